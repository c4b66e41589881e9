"""Resolution of a reading, a reference time and a tense to the first and last day or minute.

Rules for ambiguous expressions:

* A bare weekday (周五, "on Friday") is the last one before today if the tense is past, otherwise the
  next one, including today. With 这 / 上 / 下 or "this" / "last" / "next" it is a day of the current,
  previous or next week (Monday to Sunday): "last Friday" on a Saturday is eight days ago. "Past
  Friday" and "coming Friday" are the nearest ones.
* A bare weekend is the last one that has begun if the tense is past, otherwise the weekend of the
  current week.
* A month or date without a year is the last one if the tense is past, the next one if it is future,
  otherwise the nearest one. A month that is more than 90 days away in both directions is not
  resolved.
* A bare part of the day that is over is on the next day if the tense is future. One that has not
  begun is on the day before if the tense is past. "Tonight" and "tomorrow" before four in the
  morning are not resolved, since they may be either day.
* "The past three days" end yesterday, "the next three days" begin tomorrow; "within" begins today.
* "Earlier this month" is the elapsed part of its first half, "later this month" the remaining part
  of its second half.
* The beginning, middle and end of a month are days 1 to 10, 11 to 20, and the rest. Of a year they
  are January, June and July, and December. Of a week they are Monday and Tuesday, Wednesday and
  Thursday, and Friday to Sunday.
* An hour of today without a half of the day is the nearest one in the direction of the tense. On
  other days, 1 to 6 are afternoon hours; 7 to 12 are not changed, since 明天8点 may be in the
  morning or evening: the event says "2026-02-22 8点". With evening or night it is an
  evening hour; hours after midnight (昨晚两点, "tonight at 1") belong to the next day.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from .calendar import add_months, feast_at, season_at, week_days
from .named_days import Resolved, named_days, one_day
from .portions import at_clock, at_edge, day_of, within
from .reading import DAY_OF_WEEK, TIME_OF_DAY, Amount, Offset, Stretch, Tense, TimeSpec, plain

_DAY = timedelta(days=1)
_OVER = {"dawn": 8, "morning": 12, "noon": 14, "afternoon": 18}
"""The hour at which a part of the day ends."""
_BEGINS = {"noon": 11, "afternoon": 12, "evening": 16, "night": 18}
_HARDLY_OVER = timedelta(hours=1)
_STILL_UP = time(4)
"""People who are awake before this time have usually not slept yet. A reference at exactly midnight
is a day without a time."""


def resolve(reading: TimeSpec, now: datetime, tense: Tense) -> Resolved | None:
    """Return the days or minutes of a reading.

    Return None if there is no such day (a lunar date outside the tables, year 10000), or if the
    reading is ambiguous. `now` is aware and in the requested time zone. Hours and minutes are
    counted as elapsed time across daylight saving changes.
    """
    zone = getattr(now.tzinfo, "key", "")
    if reading.holiday is not None:
        reading = replace(reading, holiday=feast_at(reading.holiday, zone))
    if reading.season is not None:
        reading = replace(reading, season=season_at(reading.season, zone))
    try:
        return _resolve(reading, now, tense)
    except (ValueError, OverflowError):
        return None


def _resolve(reading: TimeSpec, now: datetime, raw: Tense) -> Resolved | None:
    today, tense = now.date(), plain(raw)
    if reading.through is not None:
        return _through(replace(reading, through=None), reading.through, now, raw)
    if reading.vague is not None or reading.now is not None or reading.until_now is not None:
        return Resolved(today, today, "vague" if reading.vague is not None else "day")
    if reading.stretch is not None:
        return _stretch(reading.stretch, now)
    is_tonight = (
        reading.shift == 0 and reading.part in ("evening", "night") and reading.clock is None
    )
    if (reading.shift == 1 or is_tonight) and time() < now.time() < _STILL_UP:
        return None  # "tomorrow", said at one in the morning, may be either of two days
    which = reading.ordinal.which if reading.ordinal is not None else None
    unsure = which in ("first", "last") or (which is not None and raw == "none")
    if unsure and reading.year is None and reading.month is not None and reading.month[0] == "abs":
        return None  # "the first two weeks of June" may be of two years
    found = (
        _offset(reading, reading.offset, now, raw)
        if reading.offset is not None
        else named_days(reading, today, raw)
    )
    if found is None or found.granularity == "minute":
        return found
    bare = (
        reading.weekday is not None
        and reading.week is None
        and reading.day is None
        and reading.manner == "bare"
    )
    if bare and found.first == today and tense != "past" and _is_over(reading, now):
        found = one_day(today + 7 * _DAY)
    if reading.said_weekday is not None and day_of(found.first).weekday() != reading.said_weekday:
        return None
    if reading.ordinal is not None and (found := within(found, reading.ordinal)) is None:
        return None
    if reading.edge is not None and (found := at_edge(found, reading.edge, today)) is None:
        return None
    if reading.clock is not None:
        at = at_clock(found, reading.clock, reading, now, tense)
        days = _days_away(at, now, tense) if reading.slots <= TIME_OF_DAY else 0
        return (
            at_clock(one_day(today + days * _DAY), reading.clock, reading, now, tense)
            if days
            else at
        )
    if reading.part is not None:
        over = now.hour >= _OVER.get(reading.part, 24)
        if reading.slots == {"part"} and raw == "perhaps future" and over:
            return None
        early = raw.endswith("past") and now.hour < _BEGINS.get(reading.part, 0)
        days = (raw == "future" and over) - early if reading.slots == {"part"} else 0
        return replace(one_day(today + days * _DAY) if days else found, granularity="part")
    return found


def _days_away(found: Resolved, now: datetime, tense: Tense) -> int:
    """Return the number of days from today to the day of a clock time without a day: -1, 0 or 1.

    It depends on the tense: "I slept at 23:00", said in the morning, was yesterday; "see you at 8",
    said late at night, is tomorrow. A future time that was less than an hour ago is today.
    """
    here = now.replace(tzinfo=None)
    if tense == "future":
        return int(found.last < here - _HARDLY_OVER)
    return -int(tense == "past" and found.first > here)


def _is_over(reading: TimeSpec, now: datetime) -> bool:
    """Return True if the hour or part of today is over: "Monday morning" on a Monday at noon."""
    if reading.clock is not None:
        return reading.clock.known and (reading.clock.hour, reading.clock.minute) < (
            now.hour,
            now.minute,
        )
    return now.hour >= _OVER.get(reading.part or "", 24)


def _through(first: TimeSpec, until: TimeSpec, now: datetime, tense: Tense) -> Resolved | None:
    begin, end = _resolve(first, now, tense), _resolve(until, now, tense)
    if begin is None or end is None:
        return None
    if until.weekday is not None and until.slots <= DAY_OF_WEEK:
        ahead = (until.weekday - begin.first.weekday()) % 7
        day = day_of(begin.first) + timedelta(days=ahead)
        if first.week is None and first.manner == "bare" and now.date() < day - 7 * _DAY:
            return None  # "Monday to Thursday" on a Tuesday: of this week or of the next one
        end = (
            at_clock(one_day(day), until.clock, until, now, tense)
            if until.clock is not None
            else one_day(day)
        )
    last = end.last
    if day_of(last) < day_of(begin.first) and until.month is not None and until.year is None:
        last = add_months(day_of(last), 12)
    if day_of(last) < day_of(begin.first):
        return None
    if isinstance(begin.first, datetime) and isinstance(last, datetime):
        return Resolved(begin.first, last, "minute")
    return Resolved(day_of(begin.first), day_of(last), "range")


def _shift(day: date, length: Amount, sign: int) -> date:
    moved = add_months(day, sign * length.months) + timedelta(days=sign * length.days)
    left = length.workdays
    while left:
        moved += sign * _DAY
        left -= moved.weekday() < 5
    return moved


def _minute_from(now: datetime, length: Amount, sign: int) -> datetime:
    """Return the minute (wall clock, naive) that is `length` before (`sign` -1) or after `now`.

    `length` is elapsed time.
    """
    moved = datetime.combine(_shift(now.date(), length, sign), now.timetz(), now.tzinfo)
    real = moved.astimezone(UTC) + sign * timedelta(minutes=length.minutes)
    return real.astimezone(now.tzinfo).replace(tzinfo=None, second=0, microsecond=0)


def _offset(reading: TimeSpec, said: Offset, now: datetime, tense: Tense) -> Resolved | None:
    length = said.amount
    start: date = now.date()
    if said.base is None or said.base.now:
        if length.minutes:
            wall = _minute_from(now, length, said.sign)
            return Resolved(wall, wall, "minute")
    else:
        # "Two weeks after Monday" is in the future unless the sentence is in the past tense.
        feast = said.base.holiday is not None or said.base.lunar is not None
        base = _resolve(said.base, now, tense if tense != "none" or feast else "future")
        if base is None or length.minutes:
            return None
        start = day_of(base.first if said.sign < 0 else base.last)
    day = _shift(start, length, said.sign)
    if reading.weekday is not None:
        away = reading.weekday - day.weekday()
        long = length.unit in ("month", "year")
        day += timedelta(
            days=away if length.unit == "week" else away % 7 if long else (away + 3) % 7 - 3
        )
    if length.unit == "weekend":
        saturday = week_days(day)[0] + 5 * _DAY
        saturday -= 7 * _DAY * (start.weekday() < 5 and said.sign > 0)
        return Resolved(saturday, saturday + _DAY, "weekend")
    return one_day(day)


def _stretch(said: Stretch, now: datetime) -> Resolved | None:
    today, length = now.date(), said.amount
    if length.minutes:
        wall = _minute_from(now, length, said.sign)
        here = now.replace(tzinfo=None, second=0, microsecond=0)
        return Resolved(min(wall, here), max(wall, here), "minute")
    if said.direction == "aligned":  # whole quarters or decades before or after the current one
        months, count = (120 if length.unit == "decade" else 3), round(length.count)
        unit = (
            date(today.year // 10 * 10, 1, 1)
            if months > 3
            else date(today.year, (today.month - 1) // 3 * 3 + 1, 1)
        )
        begin = add_months(unit, months if said.sign > 0 else -months * count)
        return (
            None
            if length.unit == "weekend"
            else Resolved(begin, add_months(begin, months * count) - _DAY, "range")
        )
    if said.sign < 0:
        return Resolved(_shift(today, length, -1), today - _DAY, "range")
    begin = today if said.direction == "within" else today + _DAY
    while length.workdays and begin.weekday() >= 5:
        begin += _DAY
    last = _shift(today, length, 1) if length.workdays else _shift(begin, length, 1) - _DAY
    return Resolved(begin, last, "range")
