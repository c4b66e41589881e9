"""Joining of Chinese time words: from coarse to fine, and to ranges (周一到周三)."""

from __future__ import annotations

import re
from dataclasses import replace

from ..engine import FoldedText
from ..merging import clash, merge
from ..reading import BARE_WEEKDAY, TIME_OF_DAY, Ordinal, TimeSpec, TimeToken, is_absolute
from .counted import is_counted_on
from .words import AROUND

_JOIN = frozenset({"", " ", "  ", "的", "之", "那个", "那年", "那天"})
_COMMA = frozenset({"，", ",", "(", "（", " ("})
_LISTED = frozenset({"", "、", "和", "跟"})
NO_DAY = frozenset(
    ["part", "clock", "edge", "ordinal", "through", "offset", "stretch", "vague", "now"]
)
_RANGE = re.compile(r"[ ]?(?:一直到|一直|到|至|-|—|–|~|～|直到)[ ]?")


def join(said: FoldedText, first: TimeToken, second: TimeToken) -> TimeSpec | None:
    gap, a, b = said.low[first.end : second.start], first.reading, second.reading
    if not (a.slots and b.slots) or gap not in _JOIN | _COMMA or is_counted_on(a):
        return None
    if gap in _COMMA:  # 10月12号（星期一）
        day, weekday = (b, a) if a.weekday is not None else (a, b)
        return merge(a, b) if weekday.slots == BARE_WEEKDAY and day.day is not None else None
    if is_counted_on(b):
        return _counted_from(a, b) if gap in ("", "的", "之") else None
    return _joined(a, b)


def _counted_from(day: TimeSpec, counted: TimeSpec) -> TimeSpec | None:
    """Return the reading of a day that is counted from another one: 6月20日前两天, 上周五的前一天.

    Return None if the day is ambiguous (国庆前三天).
    """
    feast = day.holiday is not None or day.lunar is not None
    offset = counted.offset
    named = (
        day.shift is not None
        or feast
        or day.weekend
        or day.weekday is not None
        or day.day is not None
    )
    if offset is None or offset.amount.minutes or counted.edge or day.slots & NO_DAY or not named:
        return None
    unsure = feast and offset.amount.days > 1 and offset.approximate
    return None if unsure else replace(counted, offset=replace(offset, base=day, approximate=False))


def _joined(a: TimeSpec, b: TimeSpec) -> TimeSpec | None:
    """Return the reading of two neighbours as one expression, coarser one first; else None."""
    stretch = b.stretch
    if (
        stretch is not None
        and a.slots <= {"year", "month"}
        and stretch.amount.count == int(stretch.amount.count)
    ):
        which = "first" if stretch.direction == "past" else "last"
        return replace(a, ordinal=Ordinal(int(stretch.amount.count), stretch.amount.unit, which))  # type: ignore[arg-type]
    remaining = stretch is not None and stretch.direction == "remaining"
    if a.absolute and (
        b.vague is not None or remaining or (b.offset is not None and b.offset.base is None)
    ):
        return a
    if b.edge is not None:
        of_unit = (b.year is not None and a.slots == {"year"}) or (
            b.month is not None and a.slots <= {"year", "month"}
        )
        fits = of_unit or (
            b.slots == {"edge"} and not a.slots & {"edge", "clock", "part", "offset"}
        )
        return replace(a, edge=b.edge, edge_name=b.edge_name) if fits else None
    if a.slots <= TIME_OF_DAY and not b.slots <= TIME_OF_DAY:
        return None  # finer before coarser: two expressions
    return (
        None
        if "year" in b.slots and a.slots & {"day", "month", "week", "weekday", "offset"}
        else merge(a, b)
    )


def joined_range(said: FoldedText, first: TimeToken, second: TimeToken) -> TimeSpec | None:
    """Return 周一到周三 or 明晚十点到十二点 as one reading, or None if they are not the ends of a range."""
    a, b = first.reading, second.reading
    if a.through is not None or not _RANGE.fullmatch(said.low, first.end, second.start):
        return None
    if not (a.slots and b.slots) or (a.slots | b.slots) & {"vague", "stretch"} or is_counted_on(b):
        return None
    if any(one.part is not None and one.clock is None and one.has_day for one in (a, b)):
        return None  # 昨天晚上到今天早上 are two expressions: a range of days would lose the parts
    if b.slots <= TIME_OF_DAY:
        return (
            replace(a, clock_until=b.clock) if a.clock is not None and b.clock is not None else None
        )
    if b.now or b.until_now:
        return replace(a, through=TimeSpec(now=True)) if a.year is None or a.year[0] == "rel" else a
    if a.slots <= TIME_OF_DAY:
        return None
    if b.year is None and b.week is None and b.shift is None and b.offset is None:
        if a.year is not None and (b.month is not None or b.day is not None):
            b = replace(b, year=a.year)
        if b.month is None and b.day is not None:
            if a.month is None and a.day is None:
                return None
            b = replace(b, month=a.month)
    return replace(a, through=b)


def touches(said: FoldedText, first: TimeToken, second: TimeToken) -> bool:
    gap, a, b = said.low[first.end : second.start], first.reading, second.reading
    if is_absolute(a) or is_absolute(b) or len(gap) > 4:
        return False
    if is_counted_on(b):  # 周六婚礼的前一晚, 国庆后的第一个周末
        event = b.edge is None and AROUND["event"].fullmatch(gap) is not None
        return a.has_day and a.vague is None and (gap in ("", "的") or event)
    if not (a.slots and b.slots):
        return gap == "" or (gap == "的" and not (a.slots | b.slots) <= TIME_OF_DAY)
    if gap in _LISTED and a.slots - TIME_OF_DAY == b.slots - TIME_OF_DAY == BARE_WEEKDAY:
        return True  # 周二周四打球
    if gap == "的":
        return a.has_day and (a.offset, b.shift, b.week) != (None, None, None)  # 四年前的2月
    twice = a.shift is not None and a.part is not None and b.part is not None  # 今晚凌晨两点
    return gap == "" and (twice or clash(a, b) or (said.low[first.end - 1] in "次回" and b.has_day))
