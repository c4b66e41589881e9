"""Parts of days and of longer times: the first week of a month, the end of a year, eight in the
evening."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from .calendar import Days, add_months, month_days, week_days
from .named_days import Resolved
from .reading import Clock, Ordinal, Tense, TimeSpec

_DAY = timedelta(days=1)


def day_of(moment: date) -> date:
    """Return the day of a minute, or the day itself."""
    return moment.date() if isinstance(moment, datetime) else moment


def within(found: Resolved, said: Ordinal) -> Resolved | None:
    """Return the first, last or nth units of a longer time: "the first two weeks of May", 去年最后一个月.

    Return None if the time has no such unit.
    """
    units = list(_units(day_of(found.first), day_of(found.last), said))
    count = said.count
    slices = {
        "first": slice(count),
        "last": slice(-count, None),
        "nth": slice(count - 1, count),
        "nth_last": slice(-1, None),
    }
    chosen = units[slices[said.which]]
    if not chosen:
        return None
    one = len(chosen) == 1 and (said.which.startswith("nth") or said.unit not in ("day", "month"))
    unit = "day" if said.weekday is not None else said.unit
    return Resolved(chosen[0][0], chosen[-1][1], unit if one else "range")


def _units(first: date, last: date, said: Ordinal) -> Iterator[Days]:
    """Yield the units of a time in order.

    A week belongs to the month or year of its Thursday (ISO 8601).
    """
    while said.unit == "month" and first <= last:
        yield first, add_months(first, 1) - _DAY
        first = add_months(first, 1)
    if said.unit in ("week", "weekend", "day"):
        begins = {"week": 3, "weekend": 5}.get(said.unit, said.weekday)
        for number in range((last - first).days + 1):
            day = first + number * _DAY
            if begins is None or day.weekday() == begins:
                yield (
                    week_days(day)
                    if said.unit == "week"
                    else (day, day + (said.unit == "weekend") * _DAY)
                )


_BOUNDS = {
    "month": {"start": (0, 9), "middle": (10, 19), "end": (20, 31)},
    "week": {"start": (0, 1), "middle": (2, 3), "end": (4, 6)},
}
"""First and last day of an edge, counted from the first day of the time."""
_MONTHS = {"start": (1, 1), "middle": (6, 7), "end": (12, 12)}


def at_edge(found: Resolved, edge: str, today: date) -> Resolved | None:
    """Return an edge of a longer time: the beginning, middle, end, rest or one half.

    Return None for the beginning, middle or end of a quarter, a half or a season.
    """
    first, last = day_of(found.first), day_of(found.last)
    if first == last:
        return found
    if edge == "rest":
        return Resolved(min(last, max(first, today)), last, "range")
    if edge in ("earlier", "later"):
        middle = first + timedelta(
            days={"month": 15, "week": 3}.get(found.granularity, (last - first).days // 2 + 1)
        )
        middle = first.replace(month=7) if found.granularity == "year" else middle
        if edge == "later":
            return Resolved(max(middle, today) if today <= last else middle, last, "range")
        return Resolved(
            first, max(first, (min(middle, today) if first < today else middle) - _DAY), "range"
        )
    if found.granularity == "year":
        begin, end = _MONTHS[edge]
        return Resolved(month_days(first.year, begin)[0], month_days(first.year, end)[1], "range")
    if found.granularity in _BOUNDS:
        begin, end = _BOUNDS[found.granularity][edge]
        return Resolved(first + begin * _DAY, min(last, first + end * _DAY), "range")
    return None if found.granularity in ("quarter", "half", "season") else found


def at_clock(
    found: Resolved, clock: Clock, reading: TimeSpec, now: datetime, tense: Tense
) -> Resolved:
    """Return the minutes of a clock time on a day.

    The result has `half_day_unknown` if neither the words nor the current time show whether a.m. or
    p.m. is meant.
    """
    here = now.replace(tzinfo=None)
    begin = _moment(day_of(found.first), clock, reading, here, tense)
    half_day_unknown = not (clock.known or reading.part is not None or begin.hour != clock.hour)
    if half_day_unknown and begin.date() == here.date() and tense != "none":
        half_day_unknown = begin + timedelta(hours=12) <= here if tense == "past" else begin >= here
    until = reading.clock_until
    if until is None:
        return Resolved(begin, begin, "minute", half_day_unknown)
    end = datetime.combine(begin.date(), time(until.hour % 24, until.minute))
    if until.hour == 24 or end < begin:
        end += (
            timedelta(hours=12) if not until.known and end + timedelta(hours=12) > begin else _DAY
        )
    return Resolved(begin, end, "minute", half_day_unknown and not until.known)


def _moment(day: date, clock: Clock, reading: TimeSpec, here: datetime, tense: Tense) -> datetime:
    hour, part = clock.hour, reading.part
    moment = datetime.combine(day, time()) + timedelta(hours=hour, minutes=clock.minute)
    if part in ("evening", "night") and (not clock.known or hour < 6):
        if 5 <= hour < 12:
            return moment.replace(hour=hour + 12)
        # Hours after midnight belong to the next day, unless it is the current night.
        still = hour < 5 and day == here.date() and here < moment and here.hour < 5
        return (
            moment
            if still
            else moment.replace(hour=hour % 12) + _DAY
            if hour in (0, 1, 2, 3, 4, 12)
            else moment
        )
    if clock.known:
        return moment
    if part is not None:
        later = part == "afternoon" or (part == "noon" and hour < 4)
        return moment.replace(hour=hour + 12) if later and hour < 12 else moment
    if day == here.date() and 1 <= hour <= 12:
        choices = [moment.replace(hour=hour % 12), moment.replace(hour=hour % 12 + 12)]
        if tense == "past":
            return max((one for one in choices if one <= here), default=choices[0])
        return min((one for one in choices if one >= here), default=choices[1])
    return moment.replace(hour=hour + 12) if 1 <= hour <= 6 else moment
