"""Chinese grammar: from text to readings.

Adjacent words of time are merged from coarse to fine (去年 + 12月25日, 下周三 + 下午 + 三点), and 到 / 至 / - joins two of
them to a range. Only expressions that need a reference are kept. Weak expressions (八点, 早上, 春节, 15号) are kept only if
their clause shows that they mean a single day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest

from ..reading import (
    Clock,
    Found,
    Ordinal,
    Part,
    Reading,
    Tense,
    carried,
    from_there,
    is_absolute,
    merge,
    open_hour,
)
from ..tense import chinese_evidence, chinese_habit, chinese_plan, chinese_sentence_start
from .extents import together, whole
from .words import AROUND, EXTENT, OPEN, fold, might_hold, words_of_time

__all__ = ["find", "might_hold"]

_HALVES: dict[Part | None, str] = {"evening": "night", "night": "night", "midnight": "night", "morning": "morning"}
_JOIN = frozenset({"", " ", "的", "  ", "那个", "那年", "那天"})
_COMMA = frozenset({"，", ",", "、", "(", "（", " ("})
_RANGE = re.compile(r"[ ]?(?:一直到|一直|到|至|-|—|–|~|～|直到)[ ]?$")


def candidates(text: str) -> list[Found]:
    """Return all merged expressions of folded text in order, including absolute ones."""
    found = words_of_time(text)
    return _ranges(text, _merged(text, found)) if found else []


def _merged(text: str, tokens: list[Found]) -> list[Found]:
    merged = [tokens[0]]
    for token in tokens[1:]:
        last = merged[-1]
        gap = text[last.end : token.start]
        joined: Reading | None = None
        if gap in _JOIN or (gap in _COMMA and _names_the_same_day(last.reading, token.reading)):
            joined = _join(last.reading, token.reading)
        if joined is not None:
            merged[-1] = Found(joined, last.start, token.end)
        else:
            merged.append(token)
    return merged


def _names_the_same_day(first: Reading, second: Reading) -> bool:
    if first.weekday is not None and first.slots <= {"weekday", "manner"}:
        return second.month is not None and second.day is not None
    return first.day is not None and second.weekday is not None and second.week is None


def _join(first: Reading, second: Reading) -> Reading | None:
    stretch = second.stretch
    if stretch is not None and (first.slots <= {"year", "month"}) and stretch.amount.count == int(stretch.amount.count):
        count, unit = int(stretch.amount.count), stretch.amount.unit
        return replace(first, ordinal=Ordinal(count, unit, "first" if stretch.direction == "past" else "last"))
    if first.absolute and (
        second.vague is not None
        or (second.stretch is not None and second.stretch.direction == "remaining")
        or (second.offset is not None and second.offset.base is None)
    ):
        return first
    if second.edge is not None and second.slots == {"edge"} and not first.slots & {"edge", "clock", "part", "offset"}:
        return replace(first, edge=second.edge, edge_name=second.edge_name)
    if second.edge is not None and first.edge is None and second.slots <= {"month", "year", "edge"}:
        of_month = second.month == ("rel", 0) and first.slots <= {"month", "year"} and first.month is not None
        of_year = second.year == ("rel", 0) and first.slots == {"year"}
        return replace(first, edge=second.edge, edge_name=second.edge_name) if of_month or of_year else None
    if second.through is not None and second.day is not None and first.slots == {"month"} and second.slots <= {"day", "through"}:
        return replace(first, day=second.day, through=replace(first, day=second.through.day))  # 下个月三四号
    if second.half is not None and second.half[1] == "week" and first.slots == {"week"}:
        return replace(first, half=second.half)  # 下周前半周
    if second.part == "dawn" and first.part in ("evening", "night") and first.clock is None and first.shift is not None:
        return replace(first, shift=first.shift + 1, part="dawn", part_name=second.part_name)  # 今晚凌晨两点
    same_half = first.part is not None and first.part in _HALVES and _HALVES[first.part] == _HALVES.get(second.part)
    if same_half and second.slots == {"part"} and first.clock is None and first.shift is not None:
        return replace(first, part=second.part, part_name=second.part_name)  # 今晚半夜两点, 明早上午
    if first.slots <= {"part", "clock"} and not second.slots <= {"part", "clock"}:
        return None  # finer before coarser: two expressions
    if "year" in second.slots and first.slots & {"day", "month", "week", "weekday", "offset"}:
        return None
    return merge(first, second)


def _ranges(text: str, found: list[Found]) -> list[Found]:
    joined = [found[0]]
    for token in found[1:]:
        last = joined[-1]
        gap = text[last.end : token.start]
        both = None
        if len(gap) <= 5 and _RANGE.match(gap) is not None and last.reading.through is None:
            both = _through(last.reading, token.reading)
        if both is None:
            joined.append(token)
            continue
        joined[-1] = Found(both, last.start, token.end)
    return joined


def _through(first: Reading, second: Reading) -> Reading | None:
    if not first.slots or "vague" in first.slots | second.slots or "stretch" in first.slots | second.slots:
        return None
    if any(one.part is not None and one.clock is None and one.has_day for one in (first, second)):
        return None  # keep 昨天晚上到今天早上 as two expressions: a range of days would lose the parts
    if second.slots <= _TIME_OF_DAY and second.clock is not None and first.clock is not None:
        until = second.clock
        if second.part is not None and not until.known:
            until = _lifted(until, second.part)
        elif second.part is None and not until.known and first.part is not None and until.hour >= first.clock.hour % 12:
            until = _lifted(until, first.part) if first.part not in ("morning", "dawn", "noon") else until
        return replace(first, clock_until=until)
    if second.now or second.until_now:
        return replace(first, through=Reading(now=True)) if first.year is None or first.year[0] == "rel" else first
    if first.slots <= _TIME_OF_DAY:
        return None
    inherited = second
    if second.year is None and second.week is None and second.shift is None and second.offset is None:
        if first.year is not None and (second.month is not None or second.day is not None):
            inherited = replace(inherited, year=first.year)
        if second.month is None and second.day is not None and first.month is not None:
            inherited = replace(inherited, month=first.month)
        if second.month is None and second.day is not None and first.month is None and first.day is None:
            return None
    if second.slots <= _TIME_OF_DAY:
        return None
    return replace(first, through=inherited)


def _lifted(clock: Clock, part: Part) -> Clock:
    if clock.hour == 12 and part in ("evening", "night"):
        return Clock(0, clock.minute)  # 今晚十点到十二点
    later = part in ("afternoon", "evening", "night") and clock.hour < 12
    return replace(clock, hour=clock.hour + 12 * later, known=True)


def settle(text: str, found: list[Found]) -> list[Found]:
    """Return the candidates that need a reference, each with the tense of its clause.

    Weak expressions (a clock time, a part of the day, a feast without a year, a day number) are kept only if the clause
    shows that they mean a single day and they do not belong to an earlier day of the sentence.
    """
    kept: list[Found] = []
    anchored_until = -1  # a day was named in the text before this offset
    dated = False  # that day is not today: later offsets count from it
    previous_end = -1
    of_year = False  # that day was given with its year
    earlier = Reading()  # what was said of that day
    was_past = False  # what is told of that day is past
    for item, following in zip_longest(found, found[1:]):
        reading = item.reading
        if item.start >= anchored_until:
            anchored_until = -1
        anchored = anchored_until >= 0 and chinese_sentence_start(text, item.start) <= previous_end
        if is_absolute(reading):
            anchored_until, previous_end, dated, of_year, earlier = len(text), item.end, True, True, reading
            was_past = _tells_past(text, item)
            continue
        if _is_feast(reading):
            if (anchored and AROUND["same_day"].fullmatch(text, previous_end, item.start)) or (
                following is not None and following.reading.has_day and AROUND["is_on"].fullmatch(text, item.end, following.start)
            ):
                continue  # 明天冬至, 除夕就是明天: the day stands beside its name
            anchored = anchored and of_year
        if not item.understood:
            if not chinese_habit(text, item.start, item.end, everyone=False):
                kept.append(item)
            continue
        tense = chinese_evidence(text, item.start, item.end)
        due = _goes_on(text, item, "due")
        own: Tense = "none" if due else chinese_evidence(text, item.start, item.end, wide=False)
        near = previous_end >= 0 and AROUND["near_gap"].fullmatch(text, previous_end, item.start) is not None
        until = text.endswith(("到", "至"), 0, item.start) or text.startswith(("结束", "完", "散", "收工", "下课"), item.end)
        meant = carried(earlier, reading, own, near=near, until=until) if anchored else reading
        # 3号走，6号到: of the same month as the 3rd
        after_number = anchored and bool(kept) and (reading.day or 0) > (earlier.day or 31) and earlier.month is None
        as_said = meant is reading and not after_number
        if not as_said and meant is not None and reading.part == "dawn" and text.endswith("到", 0, item.start):
            meant = replace(meant, shift=meant.shift + 1) if meant.shift is not None else None  # 昨天等到凌晨一点
        if as_said and reading.day is not None and reading.month is None:
            anchored = False
        if anchored and was_past and reading.day is not None and reading.month is None and not _tells_past(text, item):
            meant = None  # 我2号签了合同，9号搬家
        before = kept[-1] if kept and not kept[-1].understood else None
        if before is not None and chinese_sentence_start(text, item.start) <= before.start:
            # 从八点排到十点: in which half of the day? 查了周六的天气，建议7点前出发: on that day
            same_half = open_hour(reading) and open_hour(before.reading)
            if same_half or (reading.slots <= _TIME_OF_DAY and before.reading.has_day):
                meant = None
        if meant is None or (as_said and _is_undecided(text, item, tense, anchored)):
            kept.append(replace(item, understood=False))
            continue
        if tense == "none" and _goes_on(text, item, "then"):
            tense = "past"
        counted_on = anchored and dated and reading.offset is not None and reading.offset.sign > 0
        stands = _stands(text, item, tense, anchored) if as_said else True
        if stands and not counted_on:
            chosen = kept[-1].tense if after_number else _direction(text, item, tense)  # 3号走，6号到
            base = reading.offset.base if reading.offset is not None else None
            if chosen == "past" and (_is_feast(base or reading) or "month" in reading.slots):
                chosen = "perhaps past"
            if meant.slots == {"month"} and text[item.end : item.end + 1] in _OF_MONTH:
                meant = replace(meant, firm=True)
            kept.append(replace(item, reading=_in_its_half(text, item, meant), tense=chosen))
            if reading.slots == {"part"}:
                anchored_until, previous_end = len(text), item.end  # 早上出门晚上才回: on the same day
        if reading.has_day and reading.vague is None and not reading.now:
            anchored_until, previous_end, dated, of_year, earlier = len(text), item.end, reading.shift != 0, False, meant
            was_past = _tells_past(text, item)
    return kept


_TIME_OF_DAY = frozenset({"clock", "part"})
_OF_MONTH = frozenset("的和、")


def _goes_on(text: str, item: Found, *names: str) -> bool:
    """Return True if the text goes on after an expression as one of the patterns of `AROUND` says."""
    return any(AROUND[name].match(text, item.end) is not None for name in names)


def _tells_past(text: str, item: Found) -> bool:
    """Return True if the words after an expression say that it is past; those before it may tell of another day."""
    return chinese_evidence(text[item.start : item.end + 60], 0, item.end - item.start, wide=False) == "past"


def _in_its_half(text: str, item: Found, reading: Reading) -> Reading:
    """Return a clock time in the half of the day of what is done then: 七点起床, 十点睡的."""
    clock = open_hour(reading)
    if clock is None:
        return reading
    if _goes_on(text, item, "morning") or text.endswith("睡到", 0, item.start):
        return replace(reading, clock=replace(clock, known=True))
    return replace(reading, clock=Clock(clock.hour + 12, clock.minute)) if _goes_on(text, item, "evening") else reading


def _is_feast(reading: Reading) -> bool:
    """Return True for a feast without its year: the name of a day of each year."""
    return (reading.holiday is not None or reading.lunar is not None) and reading.year is None and not reading.firm


def _direction(text: str, item: Found, tense: Tense) -> Tense:
    """Return the tense that chooses among several days of the name. `tense` is that of the whole sentence.

    A feast and 这周末 are sought in the past only where their own clause is in the past (除夕到家，票抢到了 is ahead), what is
    due by a day (十五号之前) is ahead unless it is told as done.
    """
    reading = item.reading
    base = reading.offset.base if reading.offset is not None else None
    if _is_feast(reading) or (base is not None and _is_feast(base)):
        own = chinese_evidence(text, item.start, item.end, wide=False)
        return own if own != "none" else "none" if tense == "past" else "future"
    if reading.weekend and reading.week == 0:
        return chinese_evidence(text, item.start, item.end, wide=False)
    if reading.month is not None and reading.day is not None:  # what else was done then says little: the nearest
        tense = chinese_evidence(text, item.start, item.end, wide=False) if tense == "past" else tense
        return "perhaps future" if tense == "future" else tense
    if reading.slots == {"part"} and tense in ("future", "none"):  # 早上要去 is ahead, 早上去跑步 may be every day
        return "future" if tense == "future" and chinese_plan(text, item.start, item.end) else "perhaps future"
    if reading.slots == {"month"} and tense == "none" and _goes_on(text, item, "affair"):
        return "past"
    if tense == "past" and _goes_on(text, item, "due"):
        own = chinese_evidence(text, item.start, item.end, wide=False)
        asked = _goes_on(text, item, "asked") and text[item.start - 1 : item.start] not in _SUBJECTS
        return own if own != "none" and not asked else "future"
    return "future" if tense == "none" and _goes_on(text, item, "due") else tense


def _stands(text: str, item: Found, tense: Tense, anchored: bool) -> bool:
    reading = item.reading
    slots = reading.slots
    if reading.ordinal is not None and not slots & {"year", "month", "week"}:
        return False
    if reading.edge is not None and not slots & {"year", "month", "week", "day"}:
        return False
    several = reading.weekday is not None and reading.week is None and reading.through is not None
    if several and AROUND["works"].search(text, item.end, item.end + 6):
        return False
    if text[max(0, item.start - 2) : item.start] in ("每年", "每月", "每周", "每到", "一到"):
        return False
    if text[item.start : item.end] == "刚" or text[item.end - 1] in "次回":
        return not anchored
    if slots <= _TIME_OF_DAY:
        if reading.clock is not None and _is_no_hour(text, item):
            return False
        if (
            slots == {"part"}
            and _goes_on(text, item, "part_ahead")
            and not AROUND["whenever"].search(text, max(0, item.start - 3), item.start)
        ):
            return not anchored and not chinese_habit(text, item.start, item.end)
        tense = chinese_evidence(text, item.start, item.end, wide=False)
        told = tense != "none" or _goes_on(text, item, "due")
        return not anchored and told and not chinese_habit(text, item.start, item.end)
    if reading.offset is not None and reading.offset.base is None:
        # counted from an event in the text: 搬家三天后
        if reading.offset.sign > 0 and AROUND["after_event"].search(text, max(0, item.start - 4), item.start) is not None:
            return False
        return reading.offset.sign < 0 or tense != "past" or _goes_on(text, item, "soon")
    if reading.stretch is not None:
        direction = reading.stretch.direction
        if direction == "within":
            return tense == "future" or _goes_on(text, item, "deadline")
        front = text[item.start] in "前后"
        if front and text[item.start - 1 : item.start] in ("的", "年", "月", "周"):
            return False  # counted from an event: 生日的前三天
        return not front or tense != "none" or len(text) - (item.end - item.start) <= 4
    if reading.season is not None and reading.year is None:
        return False
    if reading.holiday is not None or reading.lunar is not None:
        if reading.year is not None or reading.firm or _goes_on(text, item, "then"):
            return True
        return tense != "none" and not chinese_habit(text, item.start, item.end) and not anchored
    bare = reading.manner == "bare" or slots == {"month"}
    if bare and reading.year is None and AROUND["liked"].search(text, max(0, item.start - 5), item.start):
        return False
    if slots <= {"weekday", "manner", "part", "clock"} or (reading.weekend and reading.week is None):
        return not chinese_habit(text, item.start, item.end)
    if reading.year is None and reading.month is not None and reading.month[0] == "abs":
        recurring = reading.said_weekday is None and AROUND["recurring"].search(text, max(0, item.start - 12), item.end + 4)
        return not recurring and not chinese_habit(text, item.start, item.end)
    if slots <= {"day", "part", "clock"} and reading.shift is None and reading.day is not None and reading.through is None:
        return _stands_as_day(text, item, tense, anchored)
    if reading.quarter is not None and reading.quarter[0] == "abs" and reading.year is None:
        return tense != "none"
    return True


def _is_undecided(text: str, item: Found, tense: Tense, anchored: bool) -> bool:
    """Return True if the clause does not say which one is meant: a feast or a quarter of some year, 前一天 of some day."""
    reading = item.reading
    if anchored or reading.year is not None:
        return False
    if reading.slots <= _TIME_OF_DAY:  # 半夜三点还在改方案, 下午三点二十会议室见: on one day, unless it is told as a habit
        own = chinese_evidence(text, item.start, item.end, wide=False)
        other = _is_no_hour(text, item) or _goes_on(text, item, "works", "due")
        return reading.clock is not None and own == "none" and not other and not chinese_habit(text, item.start, item.end)
    of_week = reading.weekday is not None and reading.slots <= _DAY_OF_WEEK and reading.manner == "bare"
    told_past = tense == "past" and (of_week or reading.slots == {"month"})
    if told_past and chinese_evidence(text, item.start, item.end, wide=False) == "none":
        return True  # 怀孕了 九月生, 周四打球，场地老歪订的: what was done is told of something else
    if reading.slots == {"weekday", "manner"} and tense == "past" and text.endswith("了", 0, item.start):
        return True  # 查了周六的天气: what was done is past, the day of what it was done to may lie ahead
    several = reading.weekday is not None and reading.week is None and reading.through is not None
    if several and text.startswith("都", item.end):  # 周六日都休息: a habit, or this week
        return reading.weekday != 0 and not AROUND["works"].search(text, item.end, item.end + 6)
    if reading.season is not None:  # 冬天再说, 暑假打算去海边
        named = text[item.end - 1] == "季" or text[item.start - 1 : item.start] == "的"  # 春季运动会, 北京的冬天
        return tense != "none" and not named and not chinese_habit(text, item.start, item.end)
    if reading.slots <= {"day", "part", "clock"} and reading.shift is None and reading.day is not None:
        if text.startswith(("生日", "过生日"), item.end):
            return True
        own = chinese_evidence(text, item.start, item.end, wide=False)
        if tense == "past" and own == "none" and not _goes_on(text, item, "due", "then"):
            return True  # 路上堵了很久 20号到: what was done is told of something else
        return _is_day_of_month(text, item) and not _stands_as_day(text, item, tense, anchored)  # 我16号夜班
    feast = reading.holiday is not None or reading.lunar is not None
    quarter = reading.quarter is not None and reading.quarter[0] == "abs"
    if feast or quarter:
        one = _is_of_one_year(text, item) or AROUND["that_day"].search(text, item.end)
        undecided = tense == "none" and not reading.firm and one
    elif reading.stretch is not None:
        within = reading.stretch.direction == "within" and tense == "none" and not _goes_on(text, item, "deadline")
        undecided = within or AROUND["day_told"].fullmatch(text, item.start, item.end) is not None
    else:  # 和四月是好朋友: a month, or somebody of that name
        alone = reading.month is not None and reading.slots == {"month"} and text[item.start - 1 : item.start] in _PERSON
        undecided = alone and text[item.start - 2 : item.start - 1] not in _TIME_ENDS
    return bool(undecided) and not chinese_habit(text, item.start, item.end)


def _is_of_one_year(text: str, item: Found) -> bool:
    """Return True unless a feast is spoken of as such (喜欢春节, 春节快乐) or has been (冬至那会儿)."""
    generic = AROUND["generic"].search(text, max(0, item.start - 4), item.start) is not None
    told = _goes_on(text, item, "then") and not text.startswith("那天", item.end)  # 冬至那会儿: has been
    return not generic and not told and not _goes_on(text, item, "is_next")


def _is_no_hour(text: str, item: Found) -> bool:
    """Return True where 点 is no hour: 有一点累, 有两点要说, 四点八公斤."""
    listed = item.reading.part is None and text[item.start - 1 : item.start] in _LISTS and not text.startswith("的", item.end)
    return listed or text[item.start : item.end] in ("一点", "1点") or _goes_on(text, item, "no_hour")


_DAY_OF_WEEK = frozenset(("weekday", "manner", "part", "clock"))
_LISTS = frozenset("有这那第讲说提下如共")
_SUBJECTS = frozenset("我你他她它们")
_PERSON = frozenset("和跟与给对找被让问")
_TIME_ENDS = frozenset("月年日号0123456789")
_NUMBERED = frozenset("第穿选切抽排坐住队员座桌店楼门床厅")
"""Before these 号 is a number of something: 穿23号, 住3号."""


def _is_day_of_month(text: str, item: Found) -> bool:
    """Return True unless 号 is a number of something (住3号), or the day one of each month or year."""
    numbered = text[item.start - 1 : item.start] in _NUMBERED if item.start else False
    recurring = AROUND["recurring"].search(text, max(0, item.start - 12), item.end + 4) is not None
    return not numbered and not recurring and not chinese_habit(text, item.start, item.end, everyone=False)


def _stands_as_day(text: str, item: Found, tense: Tense, anchored: bool) -> bool:
    if anchored or not _is_day_of_month(text, item):
        return False
    told = item.reading.part is not None or item.reading.clock is not None  # 22号上午
    due = _goes_on(text, item, "due") or text.startswith(("左右", "那天"), item.end)
    dated = tense != "none" or due or text[item.start : item.end].endswith("日")
    return told or dated


def find(text: str, is_content: Callable[[Found], bool]) -> list[Found]:
    """Return the Chinese expressions of a text that need a reference, without those for which `is_content` is True."""
    folded = fold(text)
    items = [item for item in whole(folded, candidates(folded)) if not is_content(item)]
    kept = together(folded, items, settle(folded, items))
    told = [item for item in _told(folded, items) if not is_content(item)]
    told = [item for item in told if not any(one.start <= item.start and item.end <= one.end for one in kept)]
    if told:
        told = sorted([_before_the_same(folded, item, kept) for item in told], key=lambda item: item.start)
        kept = [item for item in kept if not any(one.start < item.end and item.start < one.end for one in told)]
    return sorted([*kept, *told], key=lambda item: item.start) if told else kept


def _before_the_same(text: str, told: Found, kept: list[Found]) -> Found:
    """Return the day before what has its day in the same sentence: 下周三出发，出发前一天去剪头发."""
    left = AROUND["left"].search(text, max(0, told.start - 2), told.start)
    if left is not None:
        told = replace(told, start=left.start())
    match = AROUND["eve"].fullmatch(text, told.start, told.end)
    earlier = next((one for one in reversed(kept) if one.end <= told.start), None)
    if match is None or earlier is None or chinese_sentence_start(text, told.start) > earlier.start:
        return told
    if left is None and text.find(match["event"], earlier.end, told.start) < 0:
        return told
    name = match["part"] or ("晚上" if match["unit"] != "天" else None)
    part: Part | None = "evening" if name in ("晚上", "晚") else None
    return from_there(earlier, told, before=True, part=part, part_name="晚上" if part else None) or told


def _told(text: str, items: list[Found]) -> list[Found]:
    """Return what nobody can resolve: days counted from an event without a date (高考前一天), 上学期, 离高考还有三天."""
    dated = min((item.start for item in items if is_absolute(item.reading)), default=len(text))
    found: list[Found] = []
    for match in EXTENT["before_event"].finditer(text, 0, dated):
        link = match.start("before")
        counted = any(item.start < link < item.end and item.reading.vague is None for item in items)
        if not counted and not chinese_habit(text, match.start(), match.end()):
            found.append(Found(Reading(), match.start(), match.end(), understood=False))
    found += [
        Found(Reading(), *match.span(), understood=False)
        for match in OPEN.finditer(text, 0, dated)
        if not chinese_habit(text, *match.span(), everyone=False)
    ]
    return found
