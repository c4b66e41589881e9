"""Merging of two readings to one, and clashes between them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .reading import DAY_OF_WEEK, SLOT, SLOT_NAMES, TIME_OF_DAY, TimeSpec, is_absolute


def _filled(reading: TimeSpec) -> dict[str, Any]:
    return {name: value for name, _ in SLOT_NAMES if (value := getattr(reading, name)) is not None}


def merge(first: TimeSpec, second: TimeSpec) -> TimeSpec | None:
    """Return both readings as one (昨天 + 下午三点, "Tuesday" + "of last week").

    Return None if they are not compatible.
    """
    a, b = first.slots, second.slots
    joint = a | b
    if joint & {"through", "vague", "now"}:
        return None
    if b <= TIME_OF_DAY or a <= TIME_OF_DAY:
        if (
            a & b
            or "stretch" in joint
            or not _holds_a_time_of_day(second if a <= TIME_OF_DAY else first)
        ):
            return None
        return replace(first, **_filled(second))
    if "offset" in joint:
        return _merge_offset(first, second) if "offset" in a else _merge_offset(second, first)
    if first.weekday is not None and second.weekday is not None:
        return None
    if first.weekday is not None or second.weekday is not None:
        named, other = (first, second) if first.weekday is not None else (second, first)
        if _is_one_day(other) and named.slots <= DAY_OF_WEEK:
            return replace(
                other,
                said_weekday=named.weekday,
                **_filled(replace(named, weekday=None, manner=None)),
            )
        if named.week is not None and (
            other.week is not None or other.holiday is not None or other.lunar is not None
        ):
            return None
    if (
        a & b - {"manner"}
        or "stretch" in joint
        or ("week" in joint and "month" in joint and "weekday" not in joint)
    ):
        return None
    merged = replace(first, **_filled(second))
    if "year" in joint and joint & {"week", "weekday"} and "month" not in joint:
        return None
    if merged.shift is not None:  # 去年今天
        return (
            merged
            if merged.shift == 0
            and merged.year is not None
            and merged.year[0] == "rel"
            and not merged.month
            else None
        )
    if merged.manner is not None and (merged.year is not None or merged.week is not None):
        merged = replace(merged, manner=None)
    return merged


def _holds_a_time_of_day(reading: TimeSpec) -> bool:
    said = reading.offset
    counted = said is not None and not said.amount.minutes and not said.approximate
    return (
        reading.slots <= TIME_OF_DAY
        or _is_one_day(reading)
        or reading.weekday is not None
        or counted
        or bool(reading.weekend)
    )


def _is_one_day(reading: TimeSpec) -> bool:
    return (reading.day, reading.shift, reading.holiday, reading.lunar) != (None, None, None, None)


def _merge_offset(offset: TimeSpec, other: TimeSpec) -> TimeSpec | None:
    """Return "two weeks ago on Tuesday" as one reading, None for 四年前的2月."""
    said = offset.offset
    if (
        said is None
        or other.offset is not None
        or (said.base is not None and other.weekday is None)
    ):
        return None
    time_of_day = {
        name: value for name, value in _filled(other).items() if SLOT[name] in TIME_OF_DAY
    }
    if (
        other.weekday is not None
        and other.week is None
        and other.month is None
        and other.day is None
    ):
        return replace(offset, weekday=other.weekday, **time_of_day)
    if said.base is not None:
        return None
    if other.shift == 0 and other.slots <= {"day", "part", "clock"}:
        return replace(
            offset, offset=replace(said, amount=replace(said.amount, unit="day")), **time_of_day
        )
    return None


def clash(first: TimeSpec, second: TimeSpec) -> bool:
    """Return True if two adjacent expressions are of different kinds and cannot be one time (三月明天).

    Two expressions of one kind (昨天今天) do not clash.
    """
    a, b = first.slots - {"manner"}, second.slots - {"manner"}
    if (
        is_absolute(first)
        or is_absolute(second)
        or (a | b) & {"vague", "now", "stretch", "clock", "part", "through"}
    ):
        return False
    return not a & b and first.day is None and second.offset is None
