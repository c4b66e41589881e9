"""Judgement of Chinese time expressions in their clauses: which ones mean a single time."""

from __future__ import annotations

from dataclasses import replace

from ..engine import Beside, FoldedText, not_understood
from ..merging import merge
from ..reading import (
    BARE_WEEKDAY,
    DAY_OF_WEEK,
    TIME_OF_DAY,
    Clock,
    Tense,
    TimeSpec,
    TimeToken,
    is_absolute,
    open_hour,
    plain,
)
from ..tense import chinese_tense, is_chinese_habit, is_chinese_plan
from .counted import is_counted_on
from .joining import NO_DAY
from .words import AROUND

_DAY_NUMBER = frozenset({"day", "part", "clock"})


def judge(
    said: FoldedText, item: TimeToken, earlier: TimeToken | None, beside: Beside
) -> TimeToken | None:
    text, reading = said.low, item.reading
    if is_counted_on(reading) or not item.understood:
        return _open(text, item)
    if _is_feast(reading):
        if earlier is not None and AROUND["same_day"].fullmatch(text, earlier.end, item.start):
            return None  # 明天冬至: the day is beside its name
        if earlier is not None and not is_absolute(earlier.reading):
            earlier = None  # 后天就出发，国庆应该能赶上
    own = chinese_tense(text, item.start, item.end, wide=False)
    tense = own if own != "none" else chinese_tense(text, item.start, item.end)
    tense = "past" if tense == "none" and _goes_on(text, item, "then") else tense
    clock = open_hour(reading)
    if clock is not None and _goes_on(text, item, "morning", "evening"):  # 七点起床, 十点睡的
        later = 0 if _goes_on(text, item, "morning") else 12
        reading = replace(reading, clock=Clock(clock.hour + later, clock.minute))
    item = replace(item, reading=reading, tense=_direction(text, item, tense, own))
    if earlier is not None:
        meant = _carried(earlier, reading, "none" if _goes_on(text, item, "due") else own)
        if meant is None:
            return not_understood(item)
        if meant is not reading:
            return replace(item, reading=meant, tense=earlier.tense)
    stands = _stands(text, item, tense, own, earlier)
    return None if stands is False else item if stands else not_understood(item)


def _open(text: str, item: TimeToken) -> TimeToken | None:
    """Return an unresolvable expression (高考前一天, 上学期) as not understood; None in a habit."""
    if item.reading.edge is not None:
        return None
    return (
        None
        if is_chinese_habit(text, item.start, item.end, everyone=False)
        else not_understood(item)
    )


def _is_feast(reading: TimeSpec) -> bool:
    """Return True for a feast without a year."""
    return (reading.holiday is not None or reading.lunar is not None) and reading.year is None


def _goes_on(text: str, item: TimeToken, *names: str) -> bool:
    """Return True if the text after an expression matches a pattern of `AROUND` in `names`."""
    return any(AROUND[name].match(text, item.end) is not None for name in names)


def _carried(earlier: TimeToken, reading: TimeSpec, own: Tense) -> TimeSpec | None:
    """Return the reading of a bare name after an earlier day in its sentence; None if ambiguous.

    下周三出发，周日回来: the Sunday of that week. 3月28号去，30号回: the 30th of that month.
    12月24日出发，周日回 is ambiguous.
    """
    told, slots, before = earlier.reading, reading.slots, plain(earlier.tense)
    if (
        reading.manner not in (None, "bare")
        or reading.through is not None
        or reading.year is not None
    ):
        return reading
    if slots <= TIME_OF_DAY:  # 明天九点出发，下午一点到; 昨天等到凌晨一点
        single = (told.shift, told.day, told.weekday) != (None, None, None) and not told.slots & (
            NO_DAY - TIME_OF_DAY
        )
        sure = reading.clock is not None and (reading.clock.known or reading.part is not None)
        if not (sure and single) or told.absolute:
            return reading
        day = replace(told, part=None, part_name=None, clock=None, clock_until=None)
        return merge(day, reading) if reading.part != "dawn" else None
    if reading.weekday is not None and slots <= DAY_OF_WEEK:
        if (
            told.week is None
            or told.weekday is None
            or own == ("future" if told.week < 0 else "past")
        ):
            return None if told.month is not None and told.day is not None else reading
        return (
            replace(reading, week=told.week, manner=None)
            if told.weekday < reading.weekday
            else None
        )
    if reading.day is not None and slots <= _DAY_NUMBER and told.day is not None:
        unsure = told.month is None and own != before and (own != "none" or before == "past")
        if told.absolute or told.day > reading.day or unsure:
            return None
        return replace(reading, month=told.month, year=told.year)
    named = reading.month is not None and reading.month[0] == "abs" and reading.day is None
    if named and reading.month is not None and told.year is not None:  # 明年三月去，五月回来
        later = told.month is None or told.month < reading.month
        return (
            replace(reading, year=told.year, manner=None) if later and not told.absolute else None
        )
    return reading


def _direction(text: str, item: TimeToken, tense: Tense, own: Tense) -> Tense:
    """Return the tense that selects one of several instances of a name.

    `own` is the tense of the clause, `tense` that of the sentence. A feast and 这周末 are in the past
    only if their own clause is (除夕到家，票抢到了 is in the future). A deadline (十五号之前) is in the
    future unless its clause is in the past.
    """
    reading = item.reading
    base = reading.offset.base if reading.offset is not None else None
    feast = _is_feast(base or reading)
    chosen = tense
    if feast:
        chosen = own if own != "none" else "none" if tense == "past" else "future"
    elif reading.weekend and reading.week == 0:
        chosen = own
    elif reading.month is not None and reading.day is not None:  # only its own clause decides
        chosen = own if tense == "past" else tense
        chosen = "perhaps future" if chosen == "future" else chosen
    elif (
        reading.slots == {"part"} and tense != "past"
    ):  # 早上要去 is future, 早上去跑步 may be a habit
        plan = tense == "future" and is_chinese_plan(text, item.start, item.end)
        chosen = "future" if plan else "perhaps future"
    elif _goes_on(text, item, "due") and (
        tense == "none" or own == "none" or _goes_on(text, item, "asked")
    ):
        chosen = "future"
    return "perhaps past" if chosen == "past" and (feast or "month" in reading.slots) else chosen


def _is_no_hour(text: str, item: TimeToken) -> bool:
    """Return True if 点 means no hour: 有一点累, 有两点要说, 四点八公斤."""
    listed = (
        item.reading.part is None
        and text[item.start - 1 : item.start] in _LISTS
        and not text.startswith("的", item.end)
    )
    return (
        listed or text[item.start : item.end] in ("一点", "1点") or _goes_on(text, item, "no_hour")
    )


_LISTS = frozenset("有这那第讲说提下如共")


def _recurs(text: str, item: TimeToken) -> bool:
    """Return True for a date that recurs every year: 生日是5月4日."""
    return AROUND["recurring"].search(text, max(0, item.start - 12), item.end + 4) is not None


def _stands(
    text: str, item: TimeToken, tense: Tense, own: Tense, earlier: TimeToken | None
) -> bool | None:
    """Return True if an expression means a single time relative to the reference.

    Return False for a habit or a narrated time, and None if the clause does not determine which
    instance of its name it means.
    """
    reading, slots, anchored = item.reading, item.reading.slots, earlier is not None
    before, habit = (
        text[max(0, item.start - 5) : item.start],
        is_chinese_habit(text, item.start, item.end),
    )
    period = slots & {"year", "month", "week", "day", "holiday"}
    if (slots & {"ordinal", "edge"} and not period) or before.endswith(
        ("每年", "每月", "每周", "每到", "一到")
    ):
        return False
    if text[item.start : item.end] == "刚" or text[item.end - 1] in "次回":
        return not anchored
    if slots <= TIME_OF_DAY:
        return not anchored and not habit and _stands_as_hour(text, item, own)
    if reading.offset is not None and reading.offset.base is None:
        return reading.offset.sign < 0 or tense != "past" or _goes_on(text, item, "soon")
    if reading.stretch is not None:
        if reading.stretch.direction == "within":
            return tense == "future" or None
        return text[item.start] not in "前后" or before[-1:] not in _OF  # 生日的前三天
    if reading.year is not None:
        return True
    if reading.season is not None:  # 冬天再说; but 春季运动会, 北京的冬天
        return False if tense == "none" or before.endswith("的") or habit or anchored else None
    if _is_feast(reading) or (reading.quarter is not None and reading.quarter[0] == "abs"):
        if tense != "none" or habit or anchored:
            return (tense != "none" and not habit and not anchored) or _goes_on(text, item, "then")
        generic = AROUND["liked"].search(before) or _goes_on(text, item, "is_next")
        return False if generic and not AROUND["that_day"].search(text, item.end) else None
    if slots <= _DAY_NUMBER and reading.day is not None:
        return _stands_as_number(text, item, tense, own, anchored=anchored)
    bare = (
        reading.weekday is not None
        or reading.weekend
        or (reading.month is not None and reading.month[0] == "abs")
    )
    if not bare or reading.week is not None or reading.manner not in (None, "bare"):
        return True
    return _stands_bare(text, item, tense, own, before, anchored=anchored, habit=habit)


_OF = frozenset("的年月周")


def _stands_as_hour(text: str, item: TimeToken, own: Tense) -> bool | None:
    """Return the result of `_stands` for a time of day: 半夜三点还在改方案 is on one day."""
    hour = item.reading.clock is not None
    if hour and _is_no_hour(text, item):
        return False
    if own != "none" or _goes_on(text, item, "due"):
        return True
    if hour:
        return False if _goes_on(text, item, "works") else None
    return _goes_on(text, item, "part_ahead")


def _stands_as_number(
    text: str, item: TimeToken, tense: Tense, own: Tense, *, anchored: bool
) -> bool | None:
    """Return the result of `_stands` for a day number. Before 生日 its month is unknown."""
    due = _goes_on(text, item, "due")
    told = (
        item.reading.part is not None
        or item.reading.clock is not None
        or text[item.end - 1] == "日"
    )
    dated = told or tense != "none" or due or text.startswith(("左右", "那天"), item.end)
    if not anchored and text.startswith(("生日", "过生日"), item.end):
        return None
    if (
        not anchored
        and tense == "past"
        and own == "none"
        and not due
        and not _goes_on(text, item, "then")
    ):
        return None  # 路上堵了很久 20号到: the past tense is that of another clause
    if _recurs(text, item) or is_chinese_habit(text, item.start, item.end, everyone=False):
        return False
    return True if dated or anchored else None


def _stands_bare(
    text: str,
    item: TimeToken,
    tense: Tense,
    own: Tense,
    before: str,
    *,
    anchored: bool,
    habit: bool,
) -> bool | None:
    """Return the result of `_stands` for a bare weekday, weekend, month or date."""
    reading, slots = item.reading, item.reading.slots
    recurring = reading.month is not None and reading.said_weekday is None and _recurs(text, item)
    if slots == BARE_WEEKDAY and tense == "none" and _goes_on(text, item, "weekly"):
        return None
    if AROUND["liked"].search(before) or recurring or habit:
        return None if reading.through is not None else False
    elsewhere = own == "none" or (slots == BARE_WEEKDAY and before.endswith("了"))
    if (
        not anchored
        and elsewhere
        and tense == "past"
        and (reading.weekday is not None or slots == {"month"})
    ):
        return None  # 怀孕了 九月生; 查了周六的天气: the past tense is about something else
    return True
