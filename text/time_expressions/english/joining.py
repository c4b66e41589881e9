"""Joining of English time words: heads and their bases, parts of one time, and ranges."""

from __future__ import annotations

import re
from dataclasses import replace

from ...word_lists import word_list
from ..engine import FoldedText
from ..merging import clash, merge
from ..reading import TIME_OF_DAY, TimeSpec, TimeToken, is_absolute
from . import lexicon as lexicon

_BEFORE_CLOCK = re.compile(
    r"[ ,]*(?:(?:at around|at about|at|@|around|from|between|for|about|by) ?)?"
)
_BEFORE_PART = re.compile(r",? (?:in the |on the |in |at )?")
_BEFORE_DAY = re.compile(r" ?,? ?| (?:on the|of the|on|of|for|the|in) |, on | - |, of ")
_RANGE = re.compile(r"(?: (?:to|until|till|til|through|thru)(?: the)? | ?[-–—~] ?)$")
_TOUCH = re.compile(
    r" ?|-| (?:(?:right |just )?(?:before|after|following|preceding|of)|on) (?:the )?"
)
_NO_BASE = word_list("vague now stretch clock part through")


def join(said: FoldedText, first: TimeToken, second: TimeToken) -> TimeSpec | None:
    gap, a, b = said.low[first.end : second.start], first.reading, second.reading
    if not (a.slots and b.slots):
        return None
    if is_head(a) or is_head(b):
        return (
            _with_base(a, b)
            if is_head(a) and gap in (" ", " the ", "-", " on ", " this ")
            else None
        )
    fits = _BEFORE_DAY
    if b.slots <= TIME_OF_DAY:
        fits = _BEFORE_PART if b.clock is None else _BEFORE_CLOCK
    return merge(a, b) if fits.fullmatch(gap) else None


def is_head(reading: TimeSpec) -> bool:
    """Return True for a reading that is incomplete without the time that follows it."""
    base = reading.offset.base if reading.offset is not None else None
    half = reading.half is not None and (reading.half[0] == 0 or reading.slots == {"month"})
    alone = reading.slots <= {"edge", "ordinal"} or reading.slots == {"through"}
    return (base is not None and not base.slots) or half or alone


def _with_base(head: TimeSpec, base: TimeSpec) -> TimeSpec | None:
    """Return "two weeks after" + "Christmas" as one reading.

    Return None if the second reading is no base of the first one.
    """
    if not base.has_day or base.slots & _NO_BASE or is_head(base):
        return None
    if head.offset is not None:
        return (
            replace(head, offset=replace(head.offset, base=base)) if base.offset is None else None
        )
    if head.through is not None and head.through.offset is not None:
        lasts = head.through.offset
        until = replace(lasts, base=base, amount=replace(lasts.amount, days=lasts.amount.days - 1))
        return replace(base, through=TimeSpec(offset=until)) if not lasts.amount.minutes else None
    if head.half is not None:
        dated = base.month is not None and base.day is not None and base.week is None
        return (
            replace(base, weekend=True)
            if head.half[1] == "weekend"
            else replace(base, week=0)
            if dated
            else None
        )
    if head.ordinal is not None:
        return replace(base, ordinal=head.ordinal)
    return replace(base, edge=head.edge if base.weekday is None else None)  # "early Monday": Monday


def joined_range(said: FoldedText, first: TimeToken, second: TimeToken) -> TimeSpec | None:
    """Return "Monday to Friday" or "between 3 March and 12 March" as one reading.

    Return None if the times are not the ends of a range.
    """
    gap, a, b = said.low[first.end : second.start], first.reading, second.reading
    between = gap in (" and ", " and the ") and said.low.endswith("between ", 0, first.start)
    to_date = gap == " " and b.until_now and said.low.endswith("from ", 0, first.start)
    if not (between or to_date or _RANGE.match(gap)) or not (a.slots and b.slots) or a.through:
        return None
    if (a.slots | b.slots) & {"vague", "stretch", "part", "clock"} or is_head(a) or is_head(b):
        return None
    if b.now or b.until_now:
        return replace(a, through=TimeSpec(now=True))
    if b.week is not None and a.week is None and a.weekday is not None:
        a = replace(a, week=b.week, manner=None)
    if a.month is not None or b.month is not None:  # one may take the month or year of the other
        a = replace(
            a,
            year=a.year or (b.year if a.day or a.month else None),
            month=a.month or (b.month if a.day else None),
        )
        b = replace(
            b,
            year=b.year or (a.year if b.day or b.month else None),
            month=b.month or (a.month if b.day else None),
        )
    return (
        replace(a, through=b)
        if b.day is None or b.month is not None or b.shift is not None
        else None
    )


def touches(said: FoldedText, first: TimeToken, second: TimeToken) -> bool:
    gap, a, b = said.low[first.end : second.start], first.reading, second.reading
    if not _TOUCH.fullmatch(gap):
        return False
    if not (a.slots and b.slots):
        return not (a.slots | b.slots) <= TIME_OF_DAY
    if is_head(a) or is_head(b) or is_absolute(a) or is_absolute(b):
        return a.offset is not None and is_head(a)
    if len(gap) > 1:
        return a.has_day and b.has_day and not (a.slots | b.slots) & {"clock", "vague", "now"}
    return clash(a, b)
