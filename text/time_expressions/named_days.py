"""Resolution of named days: weekdays, months, dates, weeks, feasts, seasons, quarters.

Recurring names (Friday, March, Christmas) are chosen by their manner and the tense; see `resolution` for the rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from .calendar import Days, add_months, holiday, last_lunar_day, lunar_day, month_days, quarter_days, season_days, week_days
from .reading import Given, Manner, Reading, Tense, plain

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Resolved:
    """First and last day or minute (wall clock, naive) and their granularity."""

    first: date
    last: date
    granularity: str
    """`first` and `last` are datetimes exactly when this is "minute"."""
    is_open: bool = False
    """True if the hour may also be in the other half of the day; the earlier one is used."""


def named_days(reading: Reading, today: date, tense: Tense) -> Resolved | None:
    if reading.shift is not None:
        return one_day(today + timedelta(days=reading.shift))
    if reading.same_day is not None and reading.year is not None:
        return one_day(add_months(today, 12 * reading.year[1]))
    if reading.years is not None:
        first, last = reading.years
        if first < 0:  # the last century, or a decade of it
            century = today.year // 100 * 100 - 100
            first, last = (century, century + 99) if last < 0 else (century + last, century + last + 9)
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
        if reading.weekday is not None and reading.month is not None and reading.day is None:
            return None  # "a Sunday in March": one of several
    if reading.half is not None:
        return _half(reading, reading.half, today, tense)
    if reading.quarter is not None:
        return _quarter(reading, reading.quarter, today, tense)
    return _month_or_year(reading, today, tense)


def one_day(day: date) -> Resolved:
    return Resolved(day, day, "day")


def _year(reading: Reading, today: date) -> int | None:
    if reading.year is None:
        return None
    kind, number = reading.year
    return number if kind == "abs" else today.year + number


def _choose(candidates: list[Days], today: date, manner: Manner, tense: Tense) -> Days | None:
    """Choose one of several stretches of days, given in chronological order."""
    match manner:
        case "last" | "past":
            fitting = [days for days in candidates if days[manner == "last"] < today]
            return fitting[-1] if fitting else None
        case "next" | "coming":
            fitting = [days for days in candidates if days[0] > today]
            return fitting[0] if fitting else None
        case "bare":
            before = [days for days in candidates if days[0] <= today]
            after = [days for days in candidates if days[1] >= today]
            if not before or not after:
                return before[-1] if before else (after[0] if after else None)
            past_gap, future_gap = today - before[-1][1], after[0][0] - today
            if tense == "none":
                return before[-1] if past_gap < future_gap else after[0]
            past = tense.endswith("past")
            far, near = (past_gap, future_gap) if past else (future_gap, past_gap)
            if tense.startswith("perhaps") and far > _FAR and near < _NEAR:
                return None
            return before[-1] if past else after[0]


_UNSURE = 90 * _DAY
"""Of a month that is so far in both directions nobody can tell without a tense which one is meant."""
_FAR, _NEAR = 240 * _DAY, 60 * _DAY
"""Of two days of a name, one in each direction, one that is so far is not meant without its year where the other is so near."""


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
        around = _LONG_WEEKENDS.get(reading.holiday or "")
        return Resolved(found + around[0] * _DAY, found + around[1] * _DAY, "weekend") if around else _weekend_at(found)
    if reading.week is not None:
        return Resolved(*week_days(found + timedelta(days=7 * reading.week)), "week")
    return one_day(found)


_LONG_WEEKENDS = {"easter": (-2, 1), "thanksgiving": (0, 3)}
"""Days around a feast that its weekend holds."""


def _weekend_at(day: date) -> Resolved:
    """Return the weekend of a feast: including the Monday if the feast falls on it, else the nearest Saturday and Sunday."""
    monday, sunday = week_days(day)
    if day == monday:
        return Resolved(monday - 2 * _DAY, monday, "weekend")
    if day.weekday() == 1:
        return Resolved(monday - 2 * _DAY, monday - _DAY, "weekend")
    return Resolved(sunday - _DAY, sunday, "weekend")


def _season_days(name: str, year: int) -> Days:
    """Return the days of a season or a school holiday (寒假, 暑假)."""
    if name == "summer_break":
        return date(year, 7, 1), date(year, 8, 31)
    return (date(year, 1, 15), month_days(year, 2)[1]) if name == "winter_break" else season_days(name, year)


def _season(reading: Reading, today: date, tense: Tense) -> Resolved | None:
    name = reading.season or "summer"
    year = _year(reading, today)
    if year is not None:
        if name == "winter" and today.month <= 2 and reading.year is not None and reading.year[0] == "rel":
            year -= 1  # in January "this winter" is the one that began last December
        return Resolved(*_season_days(name, year), "season")
    candidates = [_season_days(name, number) for number in range(today.year - 2, today.year + 3)]
    chosen = _choose(candidates, today, reading.manner or "bare", tense)
    return Resolved(*chosen, "season") if chosen else None


def _week(reading: Reading, today: date, tense: Tense) -> Resolved | None:
    tense = plain(tense)
    monday = today - timedelta(days=today.weekday())
    if reading.month is not None and reading.day is not None and reading.weekday is None:
        return None
    if reading.week is None and (reading.month is not None or reading.day is not None):
        if reading.weekday is not None and reading.day is not None and reading.month is None:
            return _weekday_and_number(reading.weekday, reading.day, today, tense)
        return None
    manner = reading.manner or "bare"
    if reading.weekday is not None:
        ahead = (reading.weekday - today.weekday()) % 7
        if reading.week is not None and manner == "past":  # two Saturdays ago
            return one_day(today - timedelta(days=((7 - ahead) if ahead else 7) - 7 * (reading.week + 1)))
        if reading.week is not None:
            day = monday + timedelta(days=7 * reading.week + reading.weekday)
            if reading.day not in (None, day.day):
                raise ValueError(f"{day} is not the {reading.day}th")
            return one_day(day)
        if manner in ("coming", "next"):
            return one_day(today + timedelta(days=ahead or 7))
        if manner in ("past", "last") or tense == "past":
            return one_day(today - timedelta(days=(7 - ahead) if ahead else 7))
        return one_day(today + timedelta(days=ahead))
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
        begin, end = (0, 2) if reading.half[0] == 1 else (3, 6)
        return Resolved(first + begin * _DAY, first + end * _DAY, "half")
    return Resolved(first, first + 6 * _DAY, "week")


def _numbered_days(number: int, today: date, reach: int) -> Iterator[tuple[int, date]]:
    """Yield the day `number` of the months from `reach` before to `reach` after the current one, with that distance."""
    for months in range(-reach, reach + 1):
        first = add_months(today.replace(day=1), months)
        if number <= month_days(first.year, first.month)[1].day:
            yield months, first.replace(day=number)


def _weekday_and_number(weekday: int, number: int, today: date, tense: Tense) -> Resolved | None:
    """Resolve "Monday the 21st": in this month if the weekday matches, else in the nearest month where it does."""
    fitting: list[Days] = []
    for months, day in _numbered_days(number, today, 14):
        if day.weekday() == weekday:
            if months == 0:
                return one_day(day)
            fitting.append((day, day))
    chosen = _choose(fitting, today, "bare", tense if tense != "none" else "future")
    return one_day(chosen[0]) if chosen else None


def _numbered_week(reading: Reading, today: date) -> Resolved | None:
    year = _year(reading, today) or today.year
    monday = date.fromisocalendar(year, reading.week_number or 1, 1)
    if reading.weekday is not None:
        return one_day(monday + timedelta(days=reading.weekday))
    return Resolved(monday, monday + 6 * _DAY, "week")


def _half(reading: Reading, half: tuple[int, str], today: date, tense: Tense) -> Resolved | None:
    which, unit = half
    if unit == "month":
        month = replace(reading, half=None, month=reading.month or ("rel", 0))
        found = _month_or_year(month, today, tense)
        if found is None:
            return None
        first, last = found.first, found.last
        return Resolved(first, first.replace(day=15), "half") if which == 1 else Resolved(first.replace(day=16), last, "half")
    if unit == "rolling":
        index = today.year * 2 + (today.month > 6) + which
        year, second = divmod(index, 2)
    else:
        year, second = _year(reading, today) or today.year, which - 1
    begin, end = (7, 12) if second else (1, 6)
    return Resolved(date(year, begin, 1), month_days(year, end)[1], "half")


def _quarter(reading: Reading, quarter: Given, today: date, tense: Tense) -> Resolved | None:
    kind, number = quarter
    if kind == "rel":
        index = today.year * 4 + (today.month - 1) // 3 + number
        return Resolved(*quarter_days(index // 4, index % 4 + 1), "quarter")
    year = _year(reading, today)
    if year is not None:
        return Resolved(*quarter_days(year, number), "quarter")
    candidates = [quarter_days(y, number) for y in range(today.year - 1, today.year + 2)]
    chosen = _choose(candidates, today, reading.manner or "bare", tense)
    if chosen is None or today - chosen[1] > _UNSURE or (tense in ("none", "perhaps future") and chosen[0] - today > _UNSURE):
        return None  # Q3的预算批了 in March: of this year, or of the last
    return Resolved(*chosen, "quarter")


def _month_or_year(reading: Reading, today: date, tense: Tense) -> Resolved | None:
    year = _year(reading, today)
    if reading.month is None:
        if reading.day is not None and year is None:
            return _day_number(reading.day, today, tense)
        if year is not None:
            return Resolved(date(year, 1, 1), date(year, 12, 31), "year")
        empty = reading.ordinal is None and reading.edge is None and reading.clock is None and reading.part is None
        return None if empty else one_day(today)
    kind, number = reading.month
    if kind == "rel":
        anchor = add_months(today.replace(day=1), number + (12 * (year - today.year) if year is not None else 0))
        first, last = month_days(anchor.year, anchor.month)
        if reading.day is None:
            return Resolved(first, last, "month")
        return one_day(first.replace(day=reading.day)) if reading.day <= last.day else None
    if year is not None:
        if reading.day is not None:
            return one_day(date(year, number, reading.day))
        return Resolved(*month_days(year, number), "month")
    candidates: list[Days] = []
    reach = 8 if (number, reading.day) == (2, 29) else 2
    for other in range(today.year - reach, today.year + reach + 1):
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
    far = chosen[0] - today > _UNSURE or today - chosen[1] > _UNSURE
    if (
        far
        and tense == "none"
        and manner == "bare"
        and reading.slots <= {"month", "manner"}
        and not (reading.day or reading.firm)
    ):
        return None
    if reading.week is not None and reading.day is not None:
        return Resolved(*week_days(chosen[0]), "week")
    if reading.weekend and reading.day is not None:
        return _weekend_at(chosen[0])
    return Resolved(*chosen, "month" if reading.day is None else "day")


def _day_number(number: int, today: date, tense: Tense) -> Resolved | None:
    """Resolve "the 15th" without a month: in this month unless the tense excludes it or, without one, it is over."""
    tense = plain(tense)
    candidates: list[Days] = []
    for months, day in _numbered_days(number, today, 2):
        if months == 0 and tense == "none":
            return one_day(day) if day >= today else None
        if months == 0 and (tense == "past") == (day <= today):
            return one_day(day)
        candidates.append((day, day))
    chosen = _choose(candidates, today, "bare", tense)
    return one_day(chosen[0]) if chosen else None
