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
from .words import LENGTH, length_of

_FROM_THERE = re.compile(
    rf"(?:的)?(?:之|以)?(?P<sign>前|后)(?:的)?(?:那)?(?:(?P<length>{LENGTH})(?![前后一二三四五六日天])|第(?P<nth>[\d一二三四五六七八九十]{{1,3}})天|(?P<eve>夜|夕))"
)
"""前两天, 的前一天, 后第三天, 前夜 after the day they are counted from."""
_NTH_FROM_THERE = re.compile(
    r"(?:的)?(?:之|以)?(?:前|后|起|算起|开始)(?:的|，|,)?(?:第[\d一二三四五六七八九十]{1,3}|最后一|[那这上下]一?)"
    r"个?(?:工作日|周末|季度|[周月年天日](?![一二三四五六日])|(?:周|星期|礼拜)[一二三四五六日天]?)"
)
_OTHER_WEEK = re.compile(r"(?:的)?[前后]一个?(?:周|星期|礼拜)[一二三四五六日天]|(?:的)?这(?:个?时候|会儿?)")
_DAY_OF_FEAST = re.compile(r"(?:假期)?的?第(?P<nth>[\d一二三四五六七八九十]{1,3})天")
_NUMBER_BEFORE = re.compile(r"[\d一二两三四五六七八九十几](?:到|至|、)?$")
_NUMERAL = "0123456789一二两三四五六七八九十"
_DAY_NUMBER = re.compile(r"\d{1,2}[号日]|[一二三四五六](?![天点号日月个年周岁次人])")
_LISTED_DAY = re.compile(r"(?:、|和|跟|或者?|,|，)(?:\d{1,2}|[二三]?十?[一二三四五六七八九十])[号日](?![线楼])")
_ENDS = "，。！？；、,.!?;\n "
_BEFORE_MONTH = re.compile("十?[一二三四五六七八九十]月[之以]?前")
_FIRST_DAYS = re.compile("初[一二三四五六七八九十]")
_NAME_BEFORE = re.compile(r"(?:[名字]叫做?|[取起]名叫?|小名|外号|绰号)$")
_VENUE = re.compile(r"(?:咖啡[馆厅店]|书[店屋]|酒[吧馆]|餐厅|民宿|花园|工作室|影业|传媒|乐队|俱乐部)(?![见集聚喝等走碰门])")
_TITLED = re.compile(r"这(?:首|部|本|幅|支|张|盆)")
_ACTS = re.compile(r"[跟和对把给被让叫][我你他她]|说(?![好是不了要])|问|告诉|喊|骂|哭|生气")
_NAME_AFTER = re.compile(r"这(?:个|位)?(?:姑娘|人|孩子|丫头|家伙|小子|名字|女孩|男孩)|是[^，。！？\n]{0,12}名字")


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
    starts = {item.start: item for item in kept}
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
    if reading.holiday is not None and (nth := _DAY_OF_FEAST.match(text, item.end)) is not None:
        number = chinese_number(nth["nth"])
        if number and number > 1:
            return replace(item, reading=Reading(offset=Offset(1, amount(number - 1, "day"), reading)), end=nth.end())
    if _is_day(reading):
        counted = _FROM_THERE.match(text, item.end)
        if counted is not None:
            length = _length(counted)
            feast = reading.holiday is not None or reading.lunar is not None
            if length is not None and not (feast and counted["length"] and length.days > 1):  # 国庆前三天 may be its first three
                offset = Offset(-1 if counted["sign"] == "前" else 1, length, reading)
                part = {"part": "evening", "part_name": "晚上"} if counted["eve"] == "夜" else {}
                return replace(item, reading=Reading(offset=offset, **part), end=counted.end())  # type: ignore[arg-type]
            if not is_absolute(reading):
                return replace(item, end=counted.end(), understood=False)
    if is_absolute(reading):
        return item
    listed = _LISTED_DAY.match(text, item.end) if reading.month is not None and reading.day is not None else None
    if listed is not None and reading.through is None:
        return replace(item, end=listed.end(), understood=False)  # 3月5、6号
    nth = (
        (_NTH_FROM_THERE.match(text, item.end) or _OTHER_WEEK.match(text, item.end))
        if reading.has_day and reading.vague is None
        else None
    )
    if nth is not None:
        return replace(item, end=nth.end(), understood=False)
    if reading.offset is not None and _BEFORE_MONTH.fullmatch(text, item.start, item.end):
        return replace(item, understood=False)  # 三月前: before March, or three months ago
    first_days = _FIRST_DAYS.match(text, item.end) if reading.month is not None and reading.day is None else None
    if first_days is not None:
        return replace(item, end=first_days.end(), understood=False)  # 下个月初八
    if reading.offset is not None and text[max(0, item.start - 2) : item.start].endswith(("快", "将近", "不到", "接近")):
        return replace(item, understood=False)  # 快一个月前
    digits = _NUMBER_BEFORE.search(text, max(0, item.start - 2), item.start) if text[item.start] in _NUMERAL else None
    if digits is not None and (reading.slots & {"month", "day", "clock", "offset", "stretch"}):
        return replace(item, start=digits.start(), understood=False)  # 七八月份
    named = reading.weekday is not None and reading.slots <= {"weekday", "manner"} and _VENUE.match(text, item.end)
    named = named or (reading.slots <= {"weekday", "month", "day", "weekend", "manner"} and _TITLED.match(text, item.end))
    if named or (not (reading.holiday or "a").isascii() and reading.year is None and _ACTS.match(text, item.end)):
        return replace(item, understood=False)  # 周五酒吧, 小寒跟我吵架了, 惊蛰这首歌: a day, or a name
    day_number = _DAY_NUMBER.match(text, item.end) if reading.weekday is not None and reading.day is None else None
    if day_number is not None:
        return replace(item, end=day_number.end(), understood=False)
    if text[item.start] in "大上前后去" and text[item.start - 1 : item.start] == "大":
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
        or _NAME_AFTER.match(text, item.end) is not None
    )
