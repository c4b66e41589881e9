"""Resolution of a reading, a reference time and a tense to the first and last day or minute.

Rules for ambiguous expressions:

* A bare weekday (周五, "on Friday") in the past is the last one before today, otherwise the next one, today included.
  With 这 / 上 / 下 or "this" / "last" / "next" it is that day of the current, previous or next week (Monday to Sunday):
  "last Friday" on a Saturday is eight days ago. "past Friday" and "coming Friday" are the nearest ones.
* A bare weekend in the past is the last one that has begun, otherwise that of the current week.
* A month or date without a year is the last one in the past, the next one in the future, else the nearest one; of a month
  that is more than 90 days away on both sides nobody can tell.
* A bare part of the day that is over is that of the next day if it lies ahead, one that has not begun that of the day before
  if it is past. "Tomorrow" before four in the morning may be either day.
* "The past three days" end yesterday, "the next three days" begin tomorrow; "within" begins today.
* "Earlier this month" is the elapsed part of its first half, "later this month" the rest of its second half.
* The beginning of a month is days 1 to 10, its middle 11 to 20, its end the rest; of a year January, June and July,
  December; of a week Monday and Tuesday, Wednesday and Thursday, Friday to Sunday.
* An hour without a half of the day is, today, the nearest one in the direction of the tense; on other days 1 to 6 are
  afternoon hours. 7 to 12 stay as written and are marked as open: 明天8点 may be morning or evening, so the event says
  "2026-02-22 8点". Evening and night make it an evening hour; hours after midnight (昨晚两点, "tonight at 1") belong to
  the next day.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from .calendar import add_months, feast_at, quarter_days, season_at, week_days
from .named_days import Resolved, named_days, one_day
from .portions import at_clock, at_edge, day_of, within
from .reading import Amount, Found, Offset, Part, Reading, Stretch, Tense, plain

_DAY = timedelta(days=1)


def resolve(reading: Reading, now: datetime, tense: Tense) -> Resolved | None:
    """Resolve a reading. Returns None if there is no such day (a lunar date outside the tables, year 10000).

    `now` is aware and in the requested time zone; hours and minutes count elapsed time across daylight saving changes.
    """
    if reading.holiday is not None:
        reading = replace(reading, holiday=feast_at(reading.holiday, getattr(now.tzinfo, "key", "")))
    if reading.season is not None:
        reading = replace(reading, season=season_at(reading.season, getattr(now.tzinfo, "key", "")))
    try:
        return _resolve(reading, now, tense)
    except (ValueError, OverflowError):
        return None


def _resolve(reading: Reading, now: datetime, tense: Tense) -> Resolved | None:
    today, raw, tense = now.date(), tense, plain(tense)
    if reading.through is not None:
        return _through(reading, reading.through, now, raw)
    if reading.vague is not None:
        return Resolved(today, today, "vague")
    if reading.now is not None or reading.until_now is not None:
        return Resolved(today, today, "day")
    if reading.offset is not None:
        found = _offset(reading, reading.offset, now, raw)
        if found is not None and found.granularity == "minute":
            return found
    elif reading.stretch is not None:
        return _stretch(reading.stretch, now)
    elif reading.shift == 1 and time() < now.time() < _STILL_UP:
        return None  # "tomorrow" at one in the morning: after the night, or a day later
    else:
        found = named_days(reading, today, raw)
        if found is not None and found.first == today and tense != "past" and _is_over(reading, now):
            found = one_day(today + 7 * _DAY)
    if reading.after_weekday is not None and found is not None:
        before = named_days(Reading(weekday=reading.after_weekday, manner="bare"), today, raw)
        if before is not None and before.first > found.first:
            return None  # 周三出差，周五回 on a Thursday
    given = reading.year is not None and reading.year[0] == "abs"
    if found is not None and given and tense == "past" and day_of(found.first) > today:
        return None  # the year of what was named before it: 三月考的，五月买的
    if found is None or (reading.said_weekday is not None and day_of(found.first).weekday() != reading.said_weekday):
        return None
    if reading.ordinal is not None:
        portion = within(found, reading.ordinal)
        if portion is None:
            return None
        found = portion
    if reading.edge is not None:
        found = at_edge(found, reading.edge, today)
    if reading.clock is not None:
        at = at_clock(found, reading.clock, reading, now, tense)
        days = _days_away(at, now, tense) if reading.slots <= {"clock", "part"} else 0
        return at_clock(one_day(today + days * _DAY), reading.clock, reading, now, tense) if days else at
    if reading.part is not None:
        away = _parts_away(reading.part, now, raw) if reading.slots == {"part"} else 0
        return None if away is None else replace(one_day(today + away * _DAY) if away else found, granularity="part")
    return found


def _parts_away(part: Part, now: datetime, tense: Tense) -> int | None:
    """Return by how many days a part of no named day is another day's than today's; None if nobody can tell.

    "I'll do it in the morning" late at night is tomorrow, 晚上吃了火锅 in the morning was yesterday.
    """
    if tense.endswith("future") and now.hour >= _OVER.get(part, 24):
        return 1 if tense == "future" else None
    return -int(tense.endswith("past") and now.hour < _BEGINS.get(part, 0))


def _days_away(found: Resolved, now: datetime, tense: Tense) -> int:
    """Return by how many days a time of no named day is another day's than today's, as its tense tells.

    "I slept at 23:00" in the morning was yesterday, "see you at 8" late at night is tomorrow. What is hardly over may be
    about to begin.
    """
    here = now.replace(tzinfo=None)
    if tense == "future":
        return int(found.last < here - _HARDLY_OVER)
    return -int(tense == "past" and found.first > here)


_HARDLY_OVER = timedelta(hours=1)

_OVER = {"dawn": 8, "morning": 12, "noon": 14, "afternoon": 18}
"""The hour from which on a part of the day is over."""
_STILL_UP = time(4)
"""Who is awake before that has mostly not slept yet. Midnight to the second is a day without a time."""
_BEGINS = {"noon": 11, "afternoon": 12, "evening": 16, "night": 18}


def _is_over(reading: Reading, now: datetime) -> bool:
    """Return True if a bare weekday would be today and its part of the day is over: "Monday morning" on a Monday at noon."""
    bare = reading.weekday is not None and reading.week is None and reading.day is None and reading.manner == "bare"
    if reading.clock is not None:
        return bare and reading.clock.known and (reading.clock.hour, reading.clock.minute) < (now.hour, now.minute)
    return bare and now.hour >= _OVER.get(reading.part or "", 24)


def _through(reading: Reading, until: Reading, now: datetime, tense: Tense) -> Resolved | None:
    begin = _resolve(replace(reading, through=None), now, tense)
    if begin is None:
        return None
    end = _resolve(until, now, tense)
    if until.slots <= {"weekday", "manner", "part", "clock"} and until.weekday is not None:
        ahead = (until.weekday - begin.first.weekday()) % 7
        if reading.week is None and reading.manner == "bare" and now.date() < day_of(begin.first) + timedelta(days=ahead - 7):
            return None  # "Monday to Thursday" on a Tuesday: of this week or of the next
        day = day_of(begin.first) + timedelta(days=ahead)
        end = Resolved(day, day, "day")
        if until.clock is not None:
            end = at_clock(end, until.clock, until, now, tense)
    if end is None:
        return None
    last = end.last
    while day_of(last) < day_of(begin.first) and until.month is not None and until.year is None:
        moved = add_months(day_of(last), 12)
        last = datetime.combine(moved, last.time()) if isinstance(last, datetime) else moved
    if day_of(last) < day_of(begin.first):
        return None
    if isinstance(begin.first, datetime) != isinstance(last, datetime):
        return Resolved(day_of(begin.first), day_of(last), "range")
    return Resolved(begin.first, last, "minute" if isinstance(last, datetime) else "range")


def _shift(day: date, length: Amount, sign: int) -> date:
    moved = add_months(day, sign * length.months) + timedelta(days=sign * length.days)
    left = length.workdays
    while left:
        moved += sign * _DAY
        left -= moved.weekday() < 5
    return moved


def last_moment(resolved: Resolved, item: Found) -> date:
    """Return the last day or minute of an expression; of what begins on a day and lasts, the last day of that."""
    return resolved.last if item.lasting is None else _shift(day_of(resolved.first), item.lasting, 1) - _DAY


def _minute_from(now: datetime, length: Amount, sign: int) -> datetime:
    """Return the minute (wall clock, naive) that is `length` before (`sign` -1) or after `now`, in elapsed time."""
    moved = datetime.combine(_shift(now.date(), length, sign), now.timetz(), now.tzinfo)
    real = moved.astimezone(UTC) + sign * timedelta(minutes=length.minutes)
    return real.astimezone(now.tzinfo).replace(tzinfo=None, second=0, microsecond=0)


def _offset(reading: Reading, said: Offset, now: datetime, tense: Tense) -> Resolved | None:
    length = said.amount
    if said.base is None or said.base.now:
        if length.minutes:
            wall = _minute_from(now, length, said.sign)
            return Resolved(wall, wall, "minute")
        start: date = now.date()
    else:
        # "two weeks after Monday" is in the future unless the sentence is in the past tense
        feast = said.base.holiday is not None or said.base.lunar is not None
        base = _resolve(said.base, now, tense if tense != "none" or feast else "future")
        if base is None:
            return None
        if length.minutes:
            begin = base.first if isinstance(base.first, datetime) else datetime.combine(base.first, time())
            moment = begin + said.sign * timedelta(minutes=length.minutes)
            return Resolved(moment, moment, "minute")
        start = day_of(base.first if said.sign < 0 else base.last)
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
    return one_day(day)


def _stretch(said: Stretch, now: datetime) -> Resolved:
    today, length = now.date(), said.amount
    if length.minutes:
        wall = _minute_from(now, length, said.sign)
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
    """Return whole quarters, decades or weekends before or after the current one."""
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
