"""The type of a found time expression."""

from __future__ import annotations

from dataclasses import dataclass

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """One relative or partial time expression of a text, resolved at the reference time.

    `start` and `end` are character offsets in the input text, end exclusive. `value` and `until` are the
    first and last day ("2026-02-20") or the first and last minute ("2026-02-20T17:05", wall clock of the time zone
    that was asked for) in ISO 8601; for a single day or minute they are the same. A part of a day (昨晚, "last night")
    has the day as its value. `granularity` is one of minute, part, day, weekend, week, month, quarter, season, half,
    year, decade, range or vague. A `vague` expression (最近, "the other day") means no day in particular: value and
    until are the day of the reference, its anchor. `rendered` replaces `text` in the absolute sentence; it may
    include a preposition or a space.
    """

    text: str
    start: int
    end: int
    value: str | None
    until: str | None
    granularity: str
    vague: bool
    rendered: str
