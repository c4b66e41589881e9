"""From a reading, a reference time and a tense to the first and last day or minute.

The rules for what language leaves open:

* A bare weekday (周五, "on Friday") in the past is the last one before today, otherwise the next one, today included.
  With 这 / 上 / 下 or "this" / "last" / "next" it is that day of the current, previous or next week (Monday to Sunday):
  "last Friday" on a Saturday is eight days ago. "past Friday" and "coming Friday" are the nearest ones.
* A bare weekend in the past is the last one that has begun, otherwise that of the current week.
* A month or date without a year is the last one in the past, the next one in the future, else the nearest one.
* "The past three days" end yesterday, "the next three days" begin tomorrow; "within" begins today.
* "Earlier this month" is what is over of its first half, "later this month" what is left of its second half.
* The beginning of a month is days 1 to 10, its middle 11 to 20, its end the rest; of a year January, June and July,
  December; of a week Monday and Tuesday, Wednesday and Thursday, Friday to Sunday.
* An hour that may be of either half of the day is, today, the nearest one in the direction of the tense; on other
  days 1 to 6 are afternoon hours, 7 to 12 are taken as written. Evening and night make it an evening hour; small
  hours of a night (昨晚两点, "tonight at 1") belong to the next day.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from .calendar import Days, add_months, holiday, last_lunar_day, lunar_day, month_days, nth_weekday, quarter_days
from .calendar import season_days, week_days
from .reading import Amount, Clock, Manner, Ordinal, Reading

Tense = Literal["past", "future", "none"]

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Resolved:
    """First and last day or minute (wall clock, naive), and how fine it is."""

    first: date
    last: date
    granularity: str
    """`first` and `last` are datetimes exactly when this is "minute"."""


def resolve(reading: Reading, now: datetime, tense: Tense) -> Resolved | None:
    """What a reading means. None where there is no such day (a lunar date outside the tables, year 10000).

    `now` is aware and in the asker's time zone; hours and minutes are counted in real time across changes of the clock.
    """
    try:
        return _resolve(reading, now, tense)
    except (ValueError, OverflowError):
        return None


def _resolve(reading: Reading, now: datetime, tense: Tense) -> Resolved | None:
    today = now.date()
    if reading.through is not None:
        return _through(reading, now, tense)
    if reading.vague is not None:
        return Resolved(today, today, "vague")
    if reading.now is not None or reading.until_now is not None:
        return Resolved(today, today, "day")
    if reading.offset is not None:
        found = _offset(reading, now, tense)
        if found is not None and found.granularity == "minute":
            return found
    elif reading.stretch is not None:
        return _stretch(reading, now)
    else:
        found = _days(reading, today, tense)
    if found is None:
        return None
    if reading.ordinal is not None:
        found = _ordinal(found, reading.ordinal)
    if reading.edge is not None:
        found = _edge(found, reading.edge, today)
    if reading.clock is not None:
        return _at(found, reading, now, tense)
    if reading.part is not None:
        return replace(found, granularity="part")
    return found


def _through(reading: Reading, now: datetime, tense: Tense) -> Resolved | None:
    if reading.through is None:
        return None
    begin = _resolve(replace(reading, through=None), now, tense)
    if begin is None:
        return None
    end = _resolve(reading.through, now, tense)
    if reading.through.slots <= {"weekday", "manner", "part", "clock"} and reading.through.weekday is not None:
        ahead = (reading.through.weekday - begin.first.weekday()) % 7
        day = _day_of(begin.first) + timedelta(days=ahead)
        end = Resolved(day, day, "day")
        if reading.through.clock is not None:
            end = _at(end, reading.through, now, tense)
    if end is None:
        return None
    last = end.last
    while _day_of(last) < _day_of(begin.first) and reading.through.month is not None and reading.through.year is None:
        moved = add_months(_day_of(last), 12)
        last = datetime.combine(moved, last.time()) if isinstance(last, datetime) else moved
    if _day_of(last) < _day_of(begin.first):
        return None
    if isinstance(begin.first, datetime) != isinstance(last, datetime):
        return Resolved(_day_of(begin.first), _day_of(last), "range")
    return Resolved(begin.first, last, "minute" if isinstance(last, datetime) else "range")


def _day_of(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _days(reading: Reading, today: date, tense: Tense) -> Resolved | None:
    if reading.shift is not None:
        return _one(today + timedelta(days=reading.shift))
    if reading.same_day is not None and reading.year is not None:
        return _one(add_months(today, 12 * reading.year[1]))
    if reading.years is not None:
        first, last = reading.years
        return Resolved(date(first, 1, 1), date(last, 12, 31), "decade")
    if reading.week_number is not None:
        return _numbered_week(reading, today)
    if reading.holiday is not None or reading.lunar is not None:
        return _holiday(reading, today, tense)
    if reading.season is not None:
        return _season(reading, today, tense)
    if reading.week is not None or reading.weekend is not None or reading.weekday is not None:
        found = _week(reading, today, tense)
        if found is not None:
            return found
    if reading.half is not None:
        return _half(reading, today)
    if reading.quarter is not None:
        return _quarter(reading, today, tense)
    return _month_or_year(reading, today, tense)


def _one(day: date) -> Resolved:
    return Resolved(day, day, "day")


def _year(reading: Reading, today: date) -> int | None:
    if reading.year is None:
        return None
    kind, number = reading.year
    return number if kind == "abs" else today.year + number


def _choose(candidates: list[Days], today: date, manner: Manner, tense: Tense) -> Days | None:
    """Which of several stretches, in order of time, is meant."""
    match manner:
        case "last":
            fitting = [days for days in candidates if days[1] < today]
            return fitting[-1] if fitting else None
        case "past":
            fitting = [days for days in candidates if days[0] < today]
            return fitting[-1] if fitting else None
        case "next" | "coming":
            fitting = [days for days in candidates if days[0] > today]
            return fitting[0] if fitting else None
        case "bare":
            before = [days for days in candidates if days[0] <= today]
            after = [days for days in candidates if days[1] >= today]
            if tense == "past" and before:
                return before[-1]
            if tense == "future" and after:
                return after[0]
            if before and after:
                past_gap, future_gap = today - before[-1][1], after[0][0] - today
                return before[-1] if past_gap < future_gap else after[0]
            return before[-1] if before else (after[0] if after else None)


def _holiday(reading: Reading, today: date, tense: Tense) -> Resolved | None:
    def day(year: int) -> date | None:
        if reading.lunar is not None:
            month, number = reading.lunar
            try:
                if number == 30:
                    # the last day of a month that may have 29 days
                    return last_lunar_day(year) if month == 12 else lunar_day(year, month, number)
                return lunar_day(year, month, number)
            except ValueError:
                return None
        return holiday(reading.holiday or "", year)

    year = _year(reading, today)
    if year is None:
        days = [found for number in range(today.year - 2, today.year + 3) if (found := day(number)) is not None]
        chosen = _choose([(found, found) for found in sorted(days)], today, reading.manner or "bare", tense)
        found = chosen[0] if chosen else None
    else:
        found = day(year)
    if found is None:
        return None
    if reading.weekend:
        monday, sunday = week_days(found)
        saturday = sunday - _DAY
        if found == monday:
            return Resolved(monday - 2 * _DAY, monday, "weekend")
        return Resolved(saturday, sunday, "weekend")
    if reading.week is not None:
        return Resolved(*week_days(found + timedelta(days=7 * reading.week)), "week")
    return _one(found)


def _season(reading: Reading, today: date, tense: Tense) -> Resolved | None:
    name = reading.season or "summer"
    year = _year(reading, today)
    if name in ("winter_break", "summer_break"):
        def days_of(number: int) -> Days:
            if name == "summer_break":
                return date(number, 7, 1), date(number, 8, 31)
            return date(number, 1, 15), month_days(number, 2)[1]
    else:
        def days_of(number: int) -> Days:
            return season_days(name, number)

    if year is not None:
        if name == "winter" and today.month <= 2 and reading.year is not None and reading.year[0] == "rel":
            year -= 1  # in January "this winter" is the one that began last December
        return Resolved(*days_of(year), "season")
    candidates = [days_of(number) for number in range(today.year - 2, today.year + 3)]
    chosen = _choose(candidates, today, reading.manner or "bare", tense)
    return Resolved(*chosen, "season") if chosen else None


def _week(reading: Reading, today: date, tense: Tense) -> Resolved | None:
    monday = today - timedelta(days=today.weekday())
    if reading.week is None and (reading.month is not None or reading.day is not None):
        if reading.weekday is not None and reading.day is not None and reading.month is None:
            return _weekday_and_number(reading.weekday, reading.day, today, tense)
        return None
    manner = reading.manner or "bare"
    if reading.weekday is not None:
        if reading.week is not None:
            return _one(monday + timedelta(days=7 * reading.week + reading.weekday))
        ahead = (reading.weekday - today.weekday()) % 7
        if manner in ("coming", "next"):
            return _one(today + timedelta(days=ahead or 7))
        if manner in ("past", "last") or tense == "past":
            return _one(today - timedelta(days=(7 - ahead) if ahead else 7))
        return _one(today + timedelta(days=ahead))
    if reading.weekend:
        saturday = monday + timedelta(days=5 + 7 * (reading.week or 0))
        begun_only = manner == "past" or ((reading.week in (None, 0)) and tense == "past")
        if begun_only and saturday > today:
            saturday -= timedelta(days=7)
        elif manner == "coming" and saturday <= today:
            saturday += timedelta(days=7)
        return Resolved(saturday, saturday + _DAY, "weekend")
    if reading.week is None:
        return None
    first = monday + timedelta(days=7 * reading.week)
    if reading.half is not None:
        return Resolved(first, first + 2 * _DAY, "half") if reading.half[0] == 1 else Resolved(
            first + 3 * _DAY, first + 6 * _DAY, "half"
        )
    return Resolved(first, first + 6 * _DAY, "week")


def _weekday_and_number(weekday: int, number: int, today: date, tense: Tense) -> Resolved | None:
    """Monday the 21st: in this month if it fits there, else in the nearest month where it does."""
    fitting: list[Days] = []
    for months in range(-14, 15):
        first = add_months(today.replace(day=1), months)
        if number > month_days(first.year, first.month)[1].day:
            continue
        day = first.replace(day=number)
        if day.weekday() == weekday:
            if months == 0:
                return _one(day)
            fitting.append((day, day))
    chosen = _choose(fitting, today, "bare", tense if tense != "none" else "future")
    return _one(chosen[0]) if chosen else None


def _numbered_week(reading: Reading, today: date) -> Resolved | None:
    year = _year(reading, today) or today.year
    monday = date.fromisocalendar(year, reading.week_number or 1, 1)
    if reading.weekday is not None:
        return _one(monday + timedelta(days=reading.weekday))
    return Resolved(monday, monday + 6 * _DAY, "week")


def _half(reading: Reading, today: date) -> Resolved | None:
    if reading.half is None:
        return None
    which, unit = reading.half
    if unit == "month":
        found = _month_or_year(reading, today, "none") if reading.month is not None else None
        first, last = (found.first, found.last) if found else month_days(today.year, today.month)
        return Resolved(first, first.replace(day=15), "half") if which == 1 else Resolved(
            first.replace(day=16), last, "half"
        )
    if unit == "rolling":
        index = today.year * 2 + (today.month > 6) + which
        year, second = divmod(index, 2)
    else:
        year, second = _year(reading, today) or today.year, which - 1
    return Resolved(date(year, 7, 1), date(year, 12, 31), "half") if second else Resolved(
        date(year, 1, 1), date(year, 6, 30), "half"
    )


def _quarter(reading: Reading, today: date, tense: Tense) -> Resolved | None:
    if reading.quarter is None:
        return None
    kind, number = reading.quarter
    if kind == "rel":
        index = today.year * 4 + (today.month - 1) // 3 + number
        return Resolved(*quarter_days(index // 4, index % 4 + 1), "quarter")
    year = _year(reading, today)
    if year is not None:
        return Resolved(*quarter_days(year, number), "quarter")
    candidates = [quarter_days(y, number) for y in range(today.year - 1, today.year + 2)]
    chosen = _choose(candidates, today, reading.manner or "bare", tense)
    return Resolved(*chosen, "quarter") if chosen else None


def _month_or_year(reading: Reading, today: date, tense: Tense) -> Resolved | None:
    year = _year(reading, today)
    if reading.month is None:
        if reading.day is not None and year is None:
            return _day_number(reading.day, today, tense)
        if year is not None:
            return Resolved(date(year, 1, 1), date(year, 12, 31), "year")
        return None if reading.ordinal is None and reading.edge is None and reading.clock is None and (
            reading.part is None
        ) else _one(today)
    kind, number = reading.month
    if kind == "rel":
        anchor = add_months(today.replace(day=1), number + (12 * (year - today.year) if year is not None else 0))
        first, last = month_days(anchor.year, anchor.month)
        if reading.day is None:
            return Resolved(first, last, "month")
        return _one(first.replace(day=reading.day)) if reading.day <= last.day else None
    if year is not None:
        if reading.day is not None:
            return _one(date(year, number, reading.day))
        return Resolved(*month_days(year, number), "month")
    candidates: list[Days] = []
    for other in range(today.year - 8, today.year + 9):
        first, last = month_days(other, number)
        if reading.day is None:
            candidates.append((first, last))
        elif reading.day <= last.day:
            candidates.append((first.replace(day=reading.day), first.replace(day=reading.day)))
    manner = reading.manner or "bare"
    if reading.day is None and manner in ("last", "next"):
        month_start, month_end = month_days(today.year, today.month)
        today = month_start if manner == "last" else month_end
    chosen = _choose(candidates, today, manner, tense)
    if chosen is None:
        return None
    if reading.week is not None and reading.day is not None:
        return Resolved(*week_days(chosen[0]), "week")
    return Resolved(*chosen, "month" if reading.day is None else "day")


def _day_number(number: int, today: date, tense: Tense) -> Resolved | None:
    """The 15th, with no month: this month's unless the tense says otherwise."""
    candidates: list[Days] = []
    for months in (-2, -1, 0, 1, 2):
        first = add_months(today.replace(day=1), months)
        if number <= month_days(first.year, first.month)[1].day:
            day = first.replace(day=number)
            if months == 0 and (tense == "none" or (tense == "past") == (day <= today)):
                return _one(day)
            candidates.append((day, day))
    chosen = _choose(candidates, today, "bare", tense)
    return _one(chosen[0]) if chosen else None


def _shift(day: date, length: Amount, sign: int) -> date:
    moved = add_months(day, sign * length.months) + timedelta(days=sign * length.days)
    left = length.workdays
    while left:
        moved += sign * _DAY
        left -= moved.weekday() < 5
    return moved


def _offset(reading: Reading, now: datetime, tense: Tense) -> Resolved | None:
    said = reading.offset
    if said is None:
        return None
    length = said.amount
    if said.base is None or said.base.now:
        if length.minutes:
            moved = datetime.combine(_shift(now.date(), length, said.sign), now.timetz(), now.tzinfo)
            real = moved.astimezone(UTC) + said.sign * timedelta(minutes=length.minutes)
            wall = real.astimezone(now.tzinfo).replace(tzinfo=None, second=0, microsecond=0)
            return Resolved(wall, wall, "minute")
        start: date = now.date()
    else:
        # "two weeks after Christmas" without a year looks ahead unless the sentence is about the past
        base = _resolve(said.base, now, tense if tense != "none" else "future")
        if base is None:
            return None
        if length.minutes:
            begin = base.first if isinstance(base.first, datetime) else datetime.combine(base.first, time())
            moment = begin + said.sign * timedelta(minutes=length.minutes)
            return Resolved(moment, moment, "minute")
        start = _day_of(base.first if said.sign < 0 else base.last)
    day = _shift(start, length, said.sign)
    if reading.weekday is not None:
        if length.unit in ("week", "weekend"):
            day += timedelta(days=reading.weekday - day.weekday())
        elif length.unit in ("month", "year"):
            day += timedelta(days=(reading.weekday - day.weekday()) % 7)
        else:
            day += timedelta(days=(reading.weekday - day.weekday() + 3) % 7 - 3)
    if length.unit == "weekend":
        saturday = week_days(day)[0] + 5 * _DAY
        if start.weekday() < 5 and said.sign > 0:
            saturday -= 7 * _DAY
        return Resolved(saturday, saturday + _DAY, "weekend")
    return _one(day)


def _stretch(reading: Reading, now: datetime) -> Resolved | None:
    said = reading.stretch
    if said is None:
        return None
    today, length = now.date(), said.amount
    if length.minutes:
        other = datetime.combine(_shift(now.date(), length, said.sign), now.timetz(), now.tzinfo)
        real = other.astimezone(UTC) + said.sign * timedelta(minutes=length.minutes)
        wall = real.astimezone(now.tzinfo).replace(tzinfo=None, second=0, microsecond=0)
        here = now.replace(tzinfo=None, second=0, microsecond=0)
        return Resolved(min(wall, here), max(wall, here), "minute")
    if said.direction == "aligned":
        return _aligned(said.sign, length, today)
    if said.sign < 0:
        return Resolved(_shift(today, length, -1), today - _DAY, "range")
    begin = today if said.direction in ("within", "remaining") else today + _DAY
    if length.workdays:
        while begin.weekday() >= 5:
            begin += _DAY
        return Resolved(begin, _shift(today, length, 1), "range")
    return Resolved(begin, _shift(begin, length, 1) - _DAY, "range")


def _aligned(sign: int, length: Amount, today: date) -> Resolved:
    """Whole quarters, decades or weekends before or after the current one."""
    count = round(length.count)
    if length.unit == "weekend":
        monday = today - timedelta(days=today.weekday())
        first = monday + timedelta(days=5 + (7 if sign > 0 else -7 * count))
        return Resolved(first, first + timedelta(days=7 * (count - 1) + 1), "weekend")
    months = 120 if length.unit == "decade" else 3
    if length.unit == "decade":
        here = date(today.year // 10 * 10, 1, 1)
    else:
        here = quarter_days(today.year, (today.month - 1) // 3 + 1)[0]
    if sign < 0:
        return Resolved(add_months(here, -months * count), here - _DAY, "range")
    begin = add_months(here, months)
    return Resolved(begin, add_months(begin, months * count) - _DAY, "range")


def _ordinal(within: Resolved, said: Ordinal) -> Resolved | None:
    first, last = _day_of(within.first), _day_of(within.last)
    count = said.count
    if said.weekday is not None:
        day = nth_weekday(first.year, first.month, said.weekday, -1 if said.which == "nth_last" else count)
        return _one(day) if first <= day <= last else None
    match said.unit:
        case "week":
            # a week belongs to the month or year that holds its Thursday, as ISO 8601 has it
            monday = week_days(first + 3 * _DAY)[0] if first.weekday() > 3 else week_days(first)[0]
            final = week_days(last)[0] if last.weekday() >= 3 else week_days(last)[0] - 7 * _DAY
            if said.which in ("first", "nth"):
                begin = monday if said.which == "first" else monday + timedelta(days=7 * (count - 1))
                weeks = count if said.which == "first" else 1
                return Resolved(begin, begin + timedelta(days=7 * weeks - 1), "week" if weeks == 1 else "range")
            weeks = count if said.which == "last" else 1
            return Resolved(final - timedelta(days=7 * (weeks - 1)), final + 6 * _DAY, "week" if weeks == 1 else "range")
        case "day":
            if said.which == "first":
                return Resolved(first, min(last, first + timedelta(days=count - 1)), "range")
            if said.which == "last":
                return Resolved(max(first, last - timedelta(days=count - 1)), last, "range")
            day = first + timedelta(days=count - 1) if said.which == "nth" else last
            return _one(day) if day <= last else None
        case "month":
            if said.which == "first":
                return Resolved(first, add_months(first, count) - _DAY, "range")
            if said.which == "last":
                return Resolved(add_months(last.replace(day=1), 1 - count), last, "range")
            begin = add_months(first, count - 1) if said.which == "nth" else last.replace(day=1)
            return Resolved(*month_days(begin.year, begin.month), "month")
        case "quarter":
            if said.which == "last":
                return Resolved(add_months(last.replace(day=1), 1 - 3 * count), last, "range")
            number = 4 if said.which == "nth_last" else count
            if said.which == "first" and count > 1:
                return Resolved(first, add_months(first, 3 * count) - _DAY, "range")
            return Resolved(*quarter_days(first.year, number), "quarter")
        case "year":
            return within
        case "weekend":
            saturday = nth_weekday(first.year, first.month, 5, -1 if said.which in ("last", "nth_last") else count)
            return Resolved(saturday, saturday + _DAY, "weekend")
        case _:
            return None


def _edge(found: Resolved, edge: str, today: date) -> Resolved:
    first, last = _day_of(found.first), _day_of(found.last)
    if edge == "rest":
        return Resolved(min(last, max(first, today)), last, "range")
    if edge in ("earlier", "later") and first < last:
        middle = first + timedelta(days=(last - first).days // 2 + 1)
        if found.granularity == "year":
            middle = first.replace(month=7)
        elif found.granularity == "month":
            middle = first.replace(day=16)
        elif found.granularity == "week":
            middle = first + 3 * _DAY
        if edge == "earlier":
            end = min(middle, today) if first < today else middle
            return Resolved(first, max(first, end - _DAY), "range")
        return Resolved(max(middle, today) if today <= last else middle, last, "range")
    match found.granularity:
        case "month":
            bounds = {"start": (1, 10), "middle": (11, 20), "end": (21, last.day)}[edge]
            return Resolved(first.replace(day=bounds[0]), first.replace(day=bounds[1]), "range")
        case "year":
            months = {"start": (1, 1), "middle": (6, 7), "end": (12, 12)}[edge]
            return Resolved(
                month_days(first.year, months[0])[0], month_days(first.year, months[1])[1], "range"
            )
        case "week":
            days = {"start": (0, 1), "middle": (2, 3), "end": (4, 6)}[edge]
            return Resolved(first + days[0] * _DAY, first + days[1] * _DAY, "range")
        case "quarter" | "half" | "season":
            third = (last - first).days // 3
            if edge == "start":
                return Resolved(first, first + timedelta(days=third), "range")
            if edge == "end":
                return Resolved(last - timedelta(days=third), last, "range")
            return Resolved(first + timedelta(days=third), last - timedelta(days=third), "range")
        case _:
            return found


def _at(found: Resolved, reading: Reading, now: datetime, tense: Tense) -> Resolved | None:
    if reading.clock is None:
        return found
    day = _day_of(found.first)
    here = now.replace(tzinfo=None)
    begin = _moment(day, reading.clock, reading, here, tense)
    if reading.clock_until is None:
        return Resolved(begin, begin, "minute")
    end = datetime.combine(begin.date(), time(reading.clock_until.hour % 24, reading.clock_until.minute))
    if reading.clock_until.hour == 24 or end < begin:
        if not reading.clock_until.known and end + timedelta(hours=12) > begin:
            end += timedelta(hours=12)
        else:
            end += _DAY
    return Resolved(begin, end, "minute")


_PART_HOURS = {"dawn": 0, "morning": 0, "noon": 0, "afternoon": 12, "evening": 12, "night": 12, "midnight": 0}


def _moment(day: date, clock: Clock, reading: Reading, here: datetime, tense: Tense) -> datetime:
    hour, part = clock.hour, reading.part
    moment = datetime.combine(day, time(hour % 24, clock.minute))
    if hour == 24:
        return moment + _DAY
    if part in ("evening", "night") and (not clock.known or hour < 6):
        if hour == 12:
            return moment.replace(hour=0) + _DAY
        if hour < (5 if part == "night" else 4):
            # the small hours of a night belong to the next day, unless that night is not over yet
            small = moment if day == here.date() and here < moment and here.hour < 5 else moment + _DAY
            return small
        return moment.replace(hour=hour + 12) if hour < 12 else moment
    if clock.known:
        return moment
    if part is not None:
        lift = _PART_HOURS[part]
        if part == "noon" and hour < 4:
            lift = 12
        if part == "morning" and hour == 12:
            return moment
        return moment.replace(hour=hour + lift) if lift and hour < 12 else moment
    if day == here.date() and 1 <= hour <= 12:
        choices = [moment.replace(hour=hour % 12), moment.replace(hour=hour % 12 + 12)]
        if tense == "past":
            before = [choice for choice in choices if choice <= here]
            return before[-1] if before else choices[0]
        after = [choice for choice in choices if choice >= here]
        return after[0] if after else choices[1]
    return moment.replace(hour=hour + 12) if 1 <= hour <= 6 else moment
