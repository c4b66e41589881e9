"""Where a Chinese expression ends: the words of time around it that belong to the same expression.

6月20日前两天 and 上周五的前一天 are days counted from another one and become one reading. Of 国庆后的第一个周末, 大上个月 or
三月明天 the grammar reads only a part: the whole stays as it was said, and the gate reports it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from ..numerals import chinese_number
from ..reading import Amount, Found, Offset, Reading, amount, clash, is_absolute
from .words import EXTENT, length_of

_NUMBER_BEFORE = re.compile(r"[\d一二两三四五六七八九十几](?:到|至|、)?$")
_NUMERAL = "0123456789一二两三四五六七八九十"
_DAY_NUMBER = re.compile(r"\d{1,2}[号日]|[一二三四五六](?![天点号日月个年周岁次人])")
_ENDS = "，。！？；、,.!?;\n "
_BEFORE_MONTH = re.compile("十?[一二三四五六七八九十]月[之以]?前")
_FARTHER = frozenset("大外老再")
"""What puts 前天, 后天 and 下周 one farther, in one dialect or another."""
_NAME_BEFORE = re.compile(r"(?:[名字]叫做?|[取起]名叫?|小名|外号|绰号)$")
_TITLED = re.compile(r"这(?:首|部|本|幅|支|张|盆)")


def whole(text: str, found: list[Found]) -> list[Found]:
    """Return the expressions of folded text at their full length; what is not understood as a whole is marked so."""
    names = {text[one.start : one.end] for one in found if _is_name(text, one)}
    items: list[Found] = []
    end = 0
    for index, item in enumerate(found):
        if item.start < end or text[item.start : item.end] in names:
            continue
        item = _at_full_length(text, item)
        if not item.understood and item.reading.slots <= {"clock"}:
            if not (items and items[-1].end == item.start):
                items.append(item)  # of 明天下午两三点 the day is resolved, and the rest stays
            end = item.end
            continue
        following = next((one for one in found[index + 1 : index + 4] if one.start >= item.end), None)
        if item.understood and following is not None and _belongs(text, item, following):
            item = replace(item, end=following.end, understood=False)
        items.append(item)
        end = item.end
    return items


def together(text: str, items: list[Found], kept: list[Found]) -> list[Found]:
    """Return the kept expressions; where one of two that are told as a pair was not kept (周三周四都来), neither is resolved."""
    starts = {item.start: item for item in kept if item.understood}
    pairs = [
        (first, second)
        for first, second in pairwise(items)
        if (
            (first.start in starts) != (second.start in starts)
            or _is_timetable(starts.get(first.start), starts.get(second.start))
        )
        and text[first.end : second.start] in ("", "、", "和")
        and first.reading.slots == second.reading.slots
        and not is_absolute(first.reading)
        and not is_absolute(second.reading)
    ]
    spans = {one.start: (first.start, second.end) for first, second in pairs for one in (first, second)}
    return [
        replace(item, start=spans[item.start][0], end=spans[item.start][1], understood=False) if item.start in spans else item
        for item in kept
    ]


def _is_timetable(first: Found | None, second: Found | None) -> bool:
    """Return True for two bare weekdays in one breath of which no word tells that they are past or to come: 周二周四有课."""
    both = [one for one in (first, second) if one is not None and one.understood and one.tense == "none"]
    return len(both) == 2 and all(one.reading.slots <= {"weekday", "manner"} and one.reading.weekday is not None for one in both)


def _belongs(text: str, item: Found, following: Found) -> bool:
    """Return True if two expressions that were not merged are parts of a longer one: 三月明天, 后天的后天."""
    gap = text[item.end : following.start]
    if gap == "" and text[item.end - 1] in "次回":
        return following.reading.has_day  # 上回周五
    if gap == "的":
        week_of_day = following.reading.week is not None and bool(item.reading.slots & {"weekday", "day"})
        return (following.reading.shift is not None or week_of_day) and not is_absolute(item.reading) and item.reading.has_day
    return gap == "" and clash(item.reading, following.reading)


def _at_full_length(text: str, item: Found) -> Found:
    reading = item.reading
    if reading.holiday is not None and (nth := EXTENT["day_of_feast"].match(text, item.end)) is not None:
        number = chinese_number(nth["nth"])
        if number and number > 1:
            return replace(item, reading=Reading(offset=Offset(1, amount(number - 1, "day"), reading)), end=nth.end())
    lasts = EXTENT["feast_lasts"].match(text, item.end) if reading.holiday is not None and not is_absolute(reading) else None
    if lasts is not None:
        return replace(item, end=lasts.end(), understood=False)  # 端午三天: from which day on?
    if _is_day(reading):
        there, event = EXTENT["from_there"].match(text, item.end), EXTENT["from_event"].match(text, item.end)
        counted = there or (event if reading.shift is None else None)
        if counted is not None:
            length = _length(counted)
            feast = reading.holiday is not None or reading.lunar is not None
            unsure = there and feast and there["length"]  # 国庆前三天: its first three?
            if length is not None and not (unsure and length.days > 1):
                if is_absolute(reading) and there is None:
                    return replace(item, end=counted.end())
                offset = Offset(-1 if counted["sign"] == "前" else 1, length, reading)
                evening = {"part": "evening", "part_name": "晚上"} if (counted["eve"] or "")[-1:] in ("夜", "晚") else {}
                read = Reading(offset=offset, **evening)  # type: ignore[arg-type]
                return replace(item, reading=read, end=counted.end(), understood=bool(there))
            if there and not is_absolute(reading):
                return replace(item, end=counted.end(), understood=False)
    if is_absolute(reading):
        return item
    listed = EXTENT["listed_day"].match(text, item.end) if reading.month is not None and reading.day is not None else None
    if listed is not None and reading.through is None:
        return replace(item, end=listed.end(), understood=False)  # 3月5、6号
    nth = EXTENT["more"].match(text, item.end) if reading.has_day and reading.vague is None else None
    if nth is not None:
        return replace(item, end=nth.end(), understood=False)
    if reading.offset is not None and _BEFORE_MONTH.fullmatch(text, item.start, item.end):
        return replace(item, understood=False)  # 三月前: before March, or three months ago
    if reading.offset is not None and text[item.end - 1] == "前" and EXTENT["until_then"].match(text, item.end):
        return replace(item, understood=False)  # 两个月前不能告诉别人: before two months are over, or two months ago
    first_days = EXTENT["first_days"].match(text, item.end) if reading.month is not None and reading.day is None else None
    if first_days is not None:
        return replace(item, end=first_days.end(), understood=False)  # 下个月初八
    if reading.offset is not None and text[max(0, item.start - 2) : item.start].endswith(("快", "将近", "不到", "接近")):
        return replace(item, understood=False)  # 快一个月前
    past, to = EXTENT["after_hour"].match(text, item.end), EXTENT["before_hour"].search(text, max(0, item.start - 4), item.start)
    if (reading.clock is not None and past) or to:
        return replace(item, start=to.start() if to else item.start, end=past.end() if past else item.end, understood=False)
    digits = _NUMBER_BEFORE.search(text, max(0, item.start - 2), item.start) if text[item.start] in _NUMERAL else None
    if digits is not None and (reading.slots & {"month", "day", "clock", "offset", "stretch"}):
        return replace(item, start=digits.start(), understood=False)  # 七八月份
    named = reading.weekday is not None and reading.slots <= {"weekday", "manner"} and EXTENT["venue"].match(text, item.end)
    named = named or (reading.slots <= {"weekday", "month", "day", "weekend", "manner"} and _TITLED.match(text, item.end))
    if named or (not (reading.holiday or "a").isascii() and reading.year is None and EXTENT["acts"].match(text, item.end)):
        return replace(item, understood=False)  # 周五酒吧, 小寒跟我吵架了, 惊蛰这首歌: a day, or a name
    day_number = _DAY_NUMBER.match(text, item.end) if reading.weekday is not None and reading.day is None else None
    if day_number is not None:
        return replace(item, end=day_number.end(), understood=False)
    if text[item.start] in "大外上下前后去" and text[item.start - 1 : item.start] in _FARTHER:
        return replace(item, start=item.start - 1, understood=False)
    return item


def _is_day(reading: Reading) -> bool:
    """Return True for one day without a time of day: from it other days are counted."""
    if reading.slots & {"part", "clock", "edge", "ordinal", "through", "offset", "stretch", "vague", "now"}:
        return False
    named = reading.shift is not None or reading.holiday is not None or reading.lunar is not None or bool(reading.weekend)
    return named or reading.weekday is not None or (reading.day is not None)


def _length(match: re.Match[str]) -> Amount | None:
    if match["length"]:
        length = length_of(match["length"])
        return length if length is not None and not length.minutes else None
    count = 1.0 if match["eve"] else chinese_number(match["nth"])
    return amount(count, "day") if count else None


def _is_name(text: str, item: Found) -> bool:
    """Return True for a month or weekday that is somebody's name: 三月这姑娘."""
    if not item.reading.slots <= {"month", "weekday", "day", "manner"} or item.reading.day or item.reading.season is not None:
        return False
    return (
        (text[item.start - 1 : item.start] == "叫" and (item.end == len(text) or text[item.end] in _ENDS))
        or _NAME_BEFORE.search(text, max(0, item.start - 4), item.start) is not None
        or EXTENT["name_after"].match(text, item.end) is not None
    )
