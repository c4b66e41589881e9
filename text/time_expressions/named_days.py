"""Resolution of named days: weekdays, months, dates, weeks, feasts, seasons, quarters.

Which Friday, March or Christmas is meant depends on the qualifier ("last", "next" or none, see
`reading.Manner`) and on the tense of the sentence. The rules are in `resolution`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta

from .calendar import Days, add_months, feast, month_days, quarter_days, season_days, week_days
from .reading import Manner, Tense, TimeSpec, plain

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Resolved:
    """First and last day or minute (wall clock, naive) and their granularity."""

    first: date
    last: date
    granularity: str
    """`first` and `last` are datetimes if this is "minute", else dates."""
    half_day_unknown: bool = False
    """True if the hour may be a.m. or p.m. ("at 7"); `first` and `last` then have the earlier one."""


def one_day(day: date) -> Resolved:
    """Return a single day."""
    return Resolved(day, day, "day")


def named_days(reading: TimeSpec, today: date, tense: Tense) -> Resolved | None:
    """Return the days that a reading names, or None if it is ambiguous.

    `reading.offset` is not read: `resolution` resolves offsets ("three days ago").
    """
    year = None
    if reading.year is not None:
        year = reading.year[1] + (0 if reading.year[0] == "abs" else today.year)
    if reading.shift is not None:
        return one_day(
            add_months(today, 12 * ((year or today.year) - today.year))
            + timedelta(days=reading.shift)
        )
    dated = reading.month is not None or reading.day is not None
    recurring = (
        reading.holiday is not None or reading.lunar is not None or reading.season is not None
    )
    if (
        not recurring
        and not dated
        and (reading.week, reading.weekend, reading.weekday) != (None, None, None)
    ):
        return _week(reading, today, plain(tense))
    if reading.weekday is not None and (
        reading.week is not None or (reading.day is None and reading.month is not None)
    ):
        # "A Sunday in March" may be any of several days. "Tuesday the 4th of next week" may
        # contradict itself. Neither is resolved.
        return None
    if reading.half is not None:
        return _half(reading, reading.half, today, year, tense)
    if reading.quarter is not None and reading.quarter[0] == "rel":
        index = today.year * 4 + (today.month - 1) // 3 + reading.quarter[1]
        return Resolved(*quarter_days(index // 4, index % 4 + 1), "quarter")
    if reading.month is not None and reading.month[0] == "rel":
        anchor = add_months(
            today.replace(day=1), reading.month[1] + 12 * ((year or today.year) - today.year)
        )
        return _days(month_days(anchor.year, anchor.month), reading.day)
    if recurring or reading.month is not None or reading.quarter is not None:
        return _recurring(reading, today, year, tense)
    if reading.day is not None and year is None:
        return _day_number(reading, reading.day, today, plain(tense))
    if year is not None:
        return Resolved(date(year, 1, 1), date(year, 12, 31), "year")
    empty = (
        reading.ordinal is None
        and reading.edge is None
        and reading.clock is None
        and reading.part is None
    )
    return None if empty else one_day(today)


def _days(month: Days, day: int | None) -> Resolved | None:
    """Return a month, or a day of it; None if the month has no such day."""
    if day is None:
        return Resolved(*month, "month")
    return one_day(month[0].replace(day=day)) if day <= month[1].day else None


def _in_year(reading: TimeSpec, year: int) -> Resolved | None:
    """Return the days of a feast, a season, a quarter, a month or a date in a year."""
    if reading.holiday is not None or reading.lunar is not None:
        day = feast(reading.lunar or reading.holiday or "", year)
        return one_day(day) if day is not None else None
    if reading.season is not None:
        return Resolved(*season_days(reading.season, year), "season")
    if reading.quarter is not None:
        return Resolved(*quarter_days(year, reading.quarter[1]), "quarter")
    return _days(month_days(year, reading.month[1] if reading.month else 1), reading.day)


def _recurring(reading: TimeSpec, today: date, year: int | None, tense: Tense) -> Resolved | None:
    """Return the days of a name that recurs every year.

    They are in the given year, else in the year that the qualifier and the tense suggest.
    """
    if year is not None:
        relative = reading.year is not None and reading.year[0] == "rel"
        # In January "this winter" is the one that began last December.
        found = _in_year(
            reading, year - (reading.season == "winter" and relative and today.month <= 2)
        )
    else:
        reach = 8 if (reading.month, reading.day) == (("abs", 2), 29) else 2
        every = (
            _in_year(reading, number)
            for number in range(today.year - reach, today.year + reach + 1)
        )
        found = _choose(reading, [one for one in every if one is not None], today, tense)
    if found is None:
        return None
    if reading.weekend:
        monday, sunday = week_days(found.first)
        if found.first.weekday() > 1:
            return Resolved(sunday - _DAY, sunday, "weekend")
        return Resolved(monday - 2 * _DAY, monday - _DAY * (found.first != monday), "weekend")
    if reading.week is not None and found.granularity == "day":
        return Resolved(*week_days(found.first + timedelta(days=7 * reading.week)), "week")
    return found


_UNSURE = 90 * _DAY
"""Without a tense, a month that is farther away than this in both directions is not resolved."""
_FAR, _NEAR = 240 * _DAY, 60 * _DAY
"""Limits for an uncertain tense without a year: an instance that is more than _FAR away is rejected
if the one in the other direction is less than _NEAR away."""


def _choose(reading: TimeSpec, every: list[Resolved], today: date, tense: Tense) -> Resolved | None:
    """Return one instance of a name, or None if it is ambiguous.

    `every` contains the instances of several years or months, sorted by date.
    """
    manner: Manner = reading.manner or "bare"
    before = [
        one
        for one in every
        if (one.last if manner == "last" else one.first) < today + _DAY * (manner == "bare")
    ]
    after = [one for one in every if (one.last >= today if manner == "bare" else one.first > today)]
    if manner != "bare":
        chosen = before[-1:] if manner in ("last", "past") else after[:1]
        return chosen[0] if chosen else None
    if not before or not after:
        return None
    ago, ahead = today - before[-1].last, after[0].first - today
    past = ago < ahead if tense == "none" else tense.endswith("past")
    found, gap, other = (before[-1], ago, ahead) if past else (after[0], ahead, ago)
    if tense.startswith("perhaps") and gap > _FAR and other < _NEAR:
        return None
    unsure = reading.quarter is not None and (
        found is before[-1] or tense in ("none", "perhaps future")
    )
    unsure = unsure or (
        tense == "none" and reading.slots <= {"month", "manner"} and not reading.day
    )
    return None if unsure and gap > _UNSURE else found


def _week(reading: TimeSpec, today: date, tense: Tense) -> Resolved | None:
    """Return a weekday, a weekend or a week."""
    monday, manner = week_days(today)[0], reading.manner or "bare"
    if reading.weekday is not None:
        ahead = (reading.weekday - today.weekday()) % 7
        if reading.week is not None:
            return one_day(monday + timedelta(days=7 * reading.week + reading.weekday))
        if manner in ("past", "last") or (manner == "bare" and tense == "past"):
            return one_day(today - timedelta(days=(7 - ahead) if ahead else 7))
        return one_day(today + timedelta(days=ahead or 7 * (manner != "bare")))
    first = monday + timedelta(days=7 * (reading.week or 0))
    if reading.weekend:
        saturday = first + 5 * _DAY
        if saturday > today and (manner == "past" or (not reading.week and tense == "past")):
            saturday -= 7 * _DAY
        return Resolved(saturday, saturday + _DAY, "weekend")
    if reading.half is not None:
        begin, end = (0, 2) if reading.half[0] == 1 else (3, 6)
        return Resolved(first + begin * _DAY, first + end * _DAY, "half")
    return Resolved(first, first + 6 * _DAY, "week")


def _half(
    reading: TimeSpec, half: tuple[int, str], today: date, year: int | None, tense: Tense
) -> Resolved | None:
    """Return half of a month or a year.

    For the unit "rolling", the number counts half-years from the current one.
    """
    which, unit = half
    if unit == "month":
        found = named_days(
            replace(reading, half=None, month=reading.month or ("rel", 0)), today, tense
        )
        if found is None:
            return None
        middle = found.first.replace(day=15)
        return Resolved(
            *((found.first, middle) if which == 1 else (middle + _DAY, found.last)), "half"
        )
    if unit == "rolling":
        year, second = divmod(today.year * 2 + (today.month > 6) + which, 2)
    else:
        year, second = year or today.year, which - 1
    begin, end = (7, 12) if second else (1, 6)
    return Resolved(date(year, begin, 1), month_days(year, end)[1], "half")


def _day_number(reading: TimeSpec, number: int, today: date, tense: Tense) -> Resolved | None:
    """Return the day of "the 15th" without a month.

    It is in the current month, unless the tense excludes that day. Without a tense, return None if
    the 15th of this month is over.
    """
    every: list[Resolved] = []
    for months in range(-2, 3):
        first = add_months(today.replace(day=1), months)
        found = _days(month_days(first.year, first.month), number)
        if found is not None and reading.weekday in (None, found.first.weekday()):
            if months == 0 and reading.weekday is not None:
                return found
            if months == 0 and tense == "none":
                return found if found.first >= today else None
            if months == 0 and (tense == "past") == (found.first <= today):
                return found
            every.append(found)
    return _choose(
        replace(reading, manner="bare"), every, today, "future" if tense == "none" else tense
    )
