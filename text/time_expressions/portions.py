"""Parts of days and of longer stretches: the first week of a month, the end of a year, eight in the evening."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from .calendar import Days, add_months, month_days, week_days
from .named_days import Resolved
from .reading import Clock, Ordinal, Reading, Tense

_DAY = timedelta(days=1)


def day_of(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def within(found: Resolved, said: Ordinal) -> Resolved | None:
    """Return the first, last or nth units of a longer time: "the first two weeks of May", 去年最后一个月."""
    units = list(_units(day_of(found.first), day_of(found.last), said))
    count = said.count
    slices = {"first": slice(count), "last": slice(-count, None), "nth": slice(count - 1, count), "nth_last": slice(-1, None)}
    chosen = units[slices[said.which]]
    if not chosen:
        return None
    one = len(chosen) == 1 and (said.which.startswith("nth") or said.unit not in ("day", "month"))
    unit = "day" if said.weekday is not None else said.unit
    return Resolved(chosen[0][0], chosen[-1][1], unit if one else "range")


def _units(first: date, last: date, said: Ordinal) -> Iterator[Days]:
    """Yield the units of a time in order; a week belongs to the month or year of its Thursday (ISO 8601)."""
    match said.unit:
        case "year":
            yield first, last
        case "month" | "quarter":
            months = 3 if said.unit == "quarter" else 1
            while first <= last:
                yield first, add_months(first, months) - _DAY
                first = add_months(first, months)
        case "week" | "weekend" | "day":
            begins = {"week": 3, "weekend": 5}.get(said.unit, said.weekday)
            for number in range((last - first).days + 1):
                day = first + number * _DAY
                if begins is None or day.weekday() == begins:
                    yield week_days(day) if said.unit == "week" else (day, day + (said.unit == "weekend") * _DAY)


def at_edge(found: Resolved, edge: str, today: date) -> Resolved:
    first, last = day_of(found.first), day_of(found.last)
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
            return Resolved(month_days(first.year, months[0])[0], month_days(first.year, months[1])[1], "range")
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


def at_clock(found: Resolved, clock: Clock, reading: Reading, now: datetime, tense: Tense) -> Resolved:
    day = day_of(found.first)
    here = now.replace(tzinfo=None)
    begin = _moment(day, clock, reading, here, tense)
    is_open = _is_open(begin, clock, reading, here, tense)
    if reading.clock_until is None:
        return Resolved(begin, begin, "minute", is_open)
    end = datetime.combine(begin.date(), time(reading.clock_until.hour % 24, reading.clock_until.minute))
    if reading.clock_until.hour == 24 or end < begin:
        if not reading.clock_until.known and end + timedelta(hours=12) > begin:
            end += timedelta(hours=12)
        else:
            end += _DAY
    return Resolved(begin, end, "minute", is_open and not reading.clock_until.known)


def _is_open(taken: datetime, clock: Clock, reading: Reading, here: datetime, tense: Tense) -> bool:
    """Return True if neither words nor the current time exclude the hour twelve hours later (明天8点, "tomorrow at 8")."""
    if clock.known or reading.part is not None or taken.hour != clock.hour:
        return False
    later = taken + timedelta(hours=12)
    return taken.date() != here.date() or tense == "none" or (later <= here if tense == "past" else taken >= here)


_PART_HOURS = {"dawn": 0, "morning": 0, "noon": 0, "afternoon": 12, "evening": 12, "night": 12, "midnight": 0}


def _moment(day: date, clock: Clock, reading: Reading, here: datetime, tense: Tense) -> datetime:
    hour, part = clock.hour, reading.part
    moment = datetime.combine(day, time(hour % 24, clock.minute))
    if hour == 24:
        return moment + _DAY
    if part in ("evening", "night") and (not clock.known or hour < 6):
        if hour == 12:
            return moment.replace(hour=0) + _DAY
        if hour < 5:
            # hours after midnight belong to the next day, unless that night is not over yet
            return moment if day == here.date() and here < moment and here.hour < 5 else moment + _DAY
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
