"""The Chinese words of time: the pattern each is found by, and the reading it gives.

One regular expression of alternatives, all of them bounded, cuts the words out of a text; the first alternative that fits
wins, so that what only looks like time (天天, 后天性, 日本, 一点都不) stands first and is thrown away. Traditional characters
and full-width digits are folded one to one before, so offsets stay those of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from .numerals import chinese_number
from .reading import Amount, Clock, Edge, Found, Manner, Offset, Ordinal, Part, Reading, Stretch, Unit, amount

_FOLD = str.maketrans(
    "０１２３４５６７８９：／－～　週點個這後號兩時鐘間禮剛現節國慶陽農曆臘從來過內裡會兒變歲當將還開結學們見聖誕倆廠說"
    "華勞動雙萬感兒童婦親臺導裏隔頭條於歷齡輕氣線"
    "幾沒準備計劃畫記別約應該買寫給陣經嗎趕聽請報訂談講佈舉辦發預場塊試滿遲對貼簽議",
    "0123456789:/-~ 周点个这后号两时钟间礼刚现节国庆阳农历腊从来过内里会儿变岁当将还开结学们见圣诞俩厂说"
    "华劳动双万感儿童妇亲台导里隔头条于历龄轻气线"
    "几没准备计划画记别约应该买写给阵经吗赶听请报订谈讲布举办发预场块试满迟对贴签议",
)
_N = r"(?:\d{1,4}(?:\.\d)?|[零〇一二两俩三四五六七八九十百]{1,6}|半)"
_FEW = r"(?:好几|几十|十几|几|数|若干|许多|好多|很多|多|一两|两三|三四|三五|四五|五六|六七|七八|八九)"
_UNIT = (
    r"(?:年|个?月|个?(?:周|星期|礼拜)(?!年)|天|日|个?(?:小时|钟头)|分钟?|刻钟|秒钟?|(?:mins?|h|hrs?|"
    r"hours?|minutes?|s)(?![a-zA-Z])|个?季度|个?世纪|个?工作日)"
)
_LENGTH = rf"{_N}[ ]?(?:个半|多?个?)?[ ]?{_UNIT}半?"
_LENGTHS = rf"{_LENGTH}(?:[零又]?{_LENGTH})?"
_DIGITS12 = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_DIGITS31 = (
    r"(?:3[01]|[12]\d|0?[1-9]|三十一?|[二廿]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|"
    r"[一二三四五六七八九])"
)
_HOUR = r"(?:2[0-4]|1\d|0?\d|二十[一二三四]?|十[一二三四五六七八九]?|[零一二两三四五六七八九])"
_MINUTE = (  # a single figure only with 分: 9点一起走 is nine o'clock
    r"(?:[0-5]\d(?![\d个人位名块元])|\d(?=分(?![之钱]))|[二三四五]?十[一二三四五六七八九]?(?![个人位名块元])|零[一二三四五六七八九]|"
    r"[一二三四五六七八九](?=分(?![之钱])))"
)
_PARTS = (
    r"凌晨|清晨|大清早|一大早|早晨|早间|早上|上午|中午|正午|午间|午后|下午|傍晚|黄昏|晚间|晚上|夜里|"
    r"夜间|夜晚|半夜|深夜|大半夜|午夜|后半夜|前半夜"
)
_CLOCK = (
    rf"(?:{_HOUR}[点时](?:钟|整|半|[一三]刻|{_MINUTE}分?(?:\d{{1,2}}秒)?)?|"
    rf"{_HOUR}[ ]?:[ ]?[0-5]\d(?::[0-5]\d)?(?![\d:]))"
)
# 8月16去, 八月十六那天: a day without 日 or 号, where what follows makes it no number of anything; 八月十五 is the moon's
_SPOKEN_DAY = (
    r"(?<=[\d十一二三四五六七八九])(?<!月[一二三四五六七八九十])(?<!八月十五)"
    r"(?=[，。！？,!?；;、\s去来回到有要是的那这我你他她们能可会就晚早上下中出开飞考面复走搬]|$)"
)
_WEEKDAY = r"(?:[一二三四五六日天](?![个种])|[1-6](?![\d个种]))"

_HOLIDAYS = {
    "元旦": "new_year", "春节": "spring", "大年初一": "spring", "大年三十": "eve", "年三十": "eve", "除夕夜": "eve",
    "除夕": "eve", "小年": "little_year", "元宵节": "lantern", "元宵": "lantern", "清明节": "qingming",
    "清明": "qingming", "五一劳动节": "labour", "五一": "labour", "劳动节": "labour", "五四青年节": "youth",
    "青年节": "youth", "端午节": "dragon_boat", "端午": "dragon_boat", "七夕节": "qixi", "七夕": "qixi",
    "中元节": "ghost", "中秋节": "mid_autumn", "中秋": "mid_autumn", "重阳节": "double_ninth",
    "重阳": "double_ninth", "国庆节": "national", "国庆": "national", "十一黄金周": "national",
    "圣诞节": "christmas", "圣诞夜": "christmas_eve", "圣诞": "christmas", "平安夜": "christmas_eve",
    "情人节": "valentine", "妇女节": "women", "三八节": "women", "女神节": "women", "儿童节": "children",
    "六一": "children", "教师节": "teachers", "双十一": "singles", "双11": "singles", "双十二": "double_12",
    "双12": "double_12", "618": "shopping_618", "万圣节": "halloween", "感恩节": "thanksgiving",
    "母亲节": "mothers", "父亲节": "fathers", "愚人节": "fools", "植树节": "arbor", "建党节": "party",
    "建军节": "army", "光棍节": "singles", "跨年夜": "new_year_eve", "跨年": "new_year_eve", "腊八节": "laba",
    "腊八": "laba", "冬至": "winter_solstice", "复活节": "easter",
}  # fmt: skip
_HOLIDAY = "|".join(sorted(_HOLIDAYS, key=len, reverse=True))
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_PART_OF: dict[str, Part] = {
    "凌晨": "dawn", "清晨": "morning", "大清早": "morning", "一大早": "morning", "早晨": "morning", "早间": "morning",
    "早上": "morning", "上午": "morning", "中午": "noon", "正午": "noon", "午间": "noon", "午后": "afternoon",
    "下午": "afternoon", "傍晚": "evening", "黄昏": "evening", "晚间": "evening", "晚上": "evening",
    "夜里": "night", "夜间": "night", "夜晚": "night", "半夜": "night", "深夜": "night", "大半夜": "night",
    "午夜": "night", "后半夜": "night", "前半夜": "night", "早": "morning", "晚": "evening", "晨": "morning",
    "夜": "night",
}  # fmt: skip
_PART_WORD = {"早": "早上", "晚": "晚上", "晨": "早晨", "夜": "夜里"}
_SHIFTS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_YEARS = {"大前": -3, "前": -2, "去": -1, "上": -1, "今": 0, "本": 0, "这": 0, "明": 1, "来": 1, "下": 1, "后": 2, "大后": 3}
_LEVELS = {"上上上": -3, "上上": -2, "大上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2, "下下下": 3}
_EDGES: dict[str, Edge] = {"初": "start", "中": "middle", "中旬": "middle", "底": "end", "末": "end", "上旬": "start",
                           "下旬": "end", "头": "start", "尾": "end"}  # fmt: skip
_MONTH_NAMES = {"正": 1, "冬": 11, "腊": 12}

_VAGUE = (
    # behind us
    r"前(?:几|两)[天日](?!的?(?:试用|免费))|刚(?=[走到来去回吃说下起睡收])|前些(?:天|日子|时候|年|"
    r"阵子)|前(?:几|两)(?:周|个?(?:星期|"
    r"礼拜)|个月|年)|前一?(?:阵子|阵儿|阵|段时间|段日子)"
    r"|(?<![提以])前不久|不久(?:以|之)?前|没多久(?:以|之)?前|(?:很|好|许)久(?:以|之)?前|刚才|方才|"
    r"适才|(?<!名)刚刚(?![好够])"
    rf"|{_FEW}(?:个?月|年|天|日|个?(?:周|星期|礼拜)|个?(?:小时|钟头)|分钟)(?:以|之)?前(?![后端台])"
    r"|日前|早些时候|早前(?=[^的])|过去(?:的)?(?:几|这)(?:几)?(?:天|年|个月|周|个?星期|个小时|小时|分钟)"
    # around now
    r"|最近(?:这)?(?:几天|几周|几个月|几年|一段时间|一阵子?|两天|些天|些日子|这?段时间)"
    r"|(?<!距)(?<!离)最近(?![邻点距公的似期])(?!(?:这)?[\d一二两三四五六七八九十半]{1,3}[ ]?(?:个|天|"
    r"周|年|日|分|小时|星期))|最近(?=的(?:事|天气|新闻|状态|情况|生活|心情|工作|消息|番|活动|更新|"
    r"行情|日子|比赛|压力|计划|动态|项目|进展))"
    r"|最近期|近来|近期|(?<![最临])近日(?!点)|近(?:几|两)[天日年周]|近些[天年日]|近几个月|近年来?|近一?段时间"
    r"|这[几两][天日](?!内)|[这近]一两天|这一?(?:阵子|阵儿|阵|段时间|段日子)|这些(?:天|日子|年)|"
    r"这(?:几|两)(?:周|年|个月|个?(?:星期|礼拜))|这会儿|这段儿?时间"
    # ahead
    rf"|(?<![提])(?<!饭){_FEW}(?:个?月|年|天|日|个?(?:周|星期|礼拜)|个?(?:小时|钟头)|分钟)(?:以|之)"
    rf"?后(?![面来悔台端])"
    r"|再?过(?:几|两)(?:天|日|周|年|个月|个?(?:星期|礼拜)|个?小时|分钟)|再?过些(?:天|日子|时候)|"
    r"再?过一?(?:阵子|阵儿|阵|段时间|段日子|会儿|会(?=[再就去来要我给]))"
    r"|(?:未来|接下来|今后|往后)的?(?:这)?(?:几|两三)(?:天|年|个月|周|个?(?:星期|礼拜)|个?小时)"
    r"|不久(?:之|以)?后|(?<![等多])待会儿?|(?<![再稍请多你])"
    r"等会儿?(?=[再我你他她们去来给要就把一吃打开发聊见说回到有还会可])"
    r"|(?<![等待了多过好没])一会儿?(?=再|就|去|来|要|见|给|我|跟|把)|稍后|稍晚|(?<![早])"
    r"晚点儿?(?=[再我给去来发说到回见聊])|晚些时候"
    r"|(?<![你稍请])等下(?=[再我给去来发说要就把见还一])|(?<![一不])回头(?=再|我|给|跟他|把|告诉|发|请)"
)
_VAGUE_PAST = re.compile(r"^(?:前|日前|刚|方才|适才|早|过去|不久(?:以|之)?前|没多久|很久|好久|许久)|前$")
_VAGUE_FUTURE = re.compile(r"^(?:再?过|未来|接下来|今后|往后|待会|等|一会|稍|晚|回头)|后$")
_VAGUE_AMOUNT = re.compile(
    rf"^{_FEW}(?:个?月|年|个?(?:周|星期|礼拜)|天|日|个?(?:小时|钟头)|分钟)(?:以|之)?[前后]$|^(?:很|好|许)久"
)

_Builder = Callable[["re.Match[str]"], "Reading | None"]


def fold(text: str) -> str:
    """Simplified characters and half-width digits in place of the traditional and full-width ones used for time."""
    return text.translate(_FOLD)


def _length(text: str) -> Amount | None:
    total: Amount | None = None
    for match in _LENGTH_PARTS.finditer(text):
        count = chinese_number(match["n"])
        if count is None:
            return None
        word = match["unit"].lstrip("个")
        half = bool(match["half"]) or bool(match["tail"])
        unit: Unit
        if word == "刻钟":
            unit, count = "minute", count * 15
        elif word.startswith("秒"):
            unit, count = "minute", count / 60
        elif word[0] in "mhs" and word.isascii():
            unit = "hour" if word[0] == "h" else "minute"
            count = count / 60 if word == "s" else count
        elif word == "世纪":
            unit, count = "year", count * 100
        else:
            unit = _UNITS[word]
        if half:
            count += 0.5
        part = amount(count, unit)
        total = part if total is None else total.plus(part)
    return total


_UNITS: dict[str, Unit] = {
    "年": "year", "月": "month", "周": "week", "星期": "week", "礼拜": "week", "天": "day", "日": "day",
    "小时": "hour", "钟头": "hour", "分钟": "minute", "分": "minute", "季度": "quarter", "工作日": "workday",
}  # fmt: skip
_LENGTH_PARTS = re.compile(rf"(?P<n>{_N})[ ]?(?:(?P<half>个半)|多?个?)[ ]?(?P<unit>{_UNIT})(?P<tail>半)?")


def _clock(text: str) -> Clock | None:
    match = _CLOCK_PARTS.match(text)
    if match is None:
        return None
    hour = chinese_number(match["hour"])
    if hour is None or hour > 24:
        return None
    minute = 0.0
    if match["half"]:
        minute = 30
    elif match["quarter"]:
        minute = 15 if match["quarter"] == "一" else 45
    elif match["minute"] or match["digits"]:
        minute = chinese_number(match["minute"] or match["digits"]) or 0.0
    known = hour > 12 or hour == 0 or (len(match["hour"]) == 2 and match["hour"][0] == "0")
    return Clock(int(hour), int(minute), known) if minute < 60 else None


_CLOCK_PARTS = re.compile(
    rf"(?P<hour>{_HOUR})(?:[点时](?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute>{_MINUTE})分?|钟|整)"
    rf"?|[ ]?:[ ]?(?P<digits>[0-5]\d))"
)


def _shift(match: re.Match[str]) -> Reading:
    part = match["short"] or ""
    reading = Reading(shift=_SHIFTS[match["which"]])
    if part:
        reading = replace(reading, part=_PART_OF[part], part_name=_PART_WORD.get(part, part))
    return reading


def _week(match: re.Match[str]) -> Reading:
    level, name = _LEVELS[match["level"]], match["name"]
    if not name:
        return Reading(week=level)
    if name == "末":
        return Reading(week=level, weekend=True)
    if name in "初中底":
        return Reading(week=level, edge=_EDGES[name], edge_name=name)
    return Reading(week=level, weekday=_weekday(name))


def _weekday(name: str) -> int:
    return 6 if name in "日天" else int(chinese_number(name) or 1) - 1


def _bare_weekday(match: re.Match[str]) -> Reading:
    name = match["wd"]
    return Reading(weekend=True, manner="bare") if name == "末" else Reading(weekday=_weekday(name), manner="bare")


def _month_rel(match: re.Match[str]) -> Reading:
    return Reading(month=("rel", _LEVELS[match["mlevel"]]))


def _year_rel(match: re.Match[str]) -> Reading:
    return Reading(year=("rel", _YEARS[match["ylevel"]]))


def _iso(match: re.Match[str]) -> Reading:
    day = match["iso_d"]
    reading = Reading(year=("abs", int(match["iso_y"])), month=("abs", max(1, min(12, int(match["iso_m"])))))
    return replace(reading, day=int(day)) if day else reading


def _year_abs(match: re.Match[str]) -> Reading | None:
    number = chinese_number(match["year4"] or match["year2"])
    if number is None:
        return None
    if match["year2"]:
        number += 2000 if number < 50 else 1900
    return Reading(year=("abs", int(number)))


def _date(match: re.Match[str]) -> Reading | None:
    month = chinese_number(match["month"])
    if month is None:
        return None
    reading = Reading(month=("abs", int(month)))
    if not match["mday"]:
        return reading
    day = chinese_number(match["mday"])
    if day is None or day > (29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31):
        return None
    return replace(reading, day=int(day))


def _lunar(match: re.Match[str]) -> Reading | None:
    name = match["lmonth"] or match["lmonth2"]
    month = _MONTH_NAMES.get(name[0]) if name[0] in _MONTH_NAMES else chinese_number(name)
    day = chinese_number((match["lday"] or match["lday2"]).removeprefix("初"))
    if month is None or day is None or not 1 <= day <= 30 or not 1 <= month <= 12:
        return None
    return Reading(lunar=(int(month), int(day)), holiday_name=match.group())


def _lunar_new_year(match: re.Match[str]) -> Reading | None:
    day = chinese_number(match["nyday"])
    return Reading(lunar=(1, int(day)), holiday_name=match.group()) if day else None


def _day_number(match: re.Match[str]) -> Reading | None:
    day = chinese_number(match["dayn"])
    return Reading(day=int(day)) if day and 1 <= day <= 31 else None


def _holiday(match: re.Match[str]) -> Reading:
    return Reading(holiday=_HOLIDAYS[match["holiday"]], holiday_name=match["holiday"], manner="bare")


def _season(match: re.Match[str]) -> Reading:
    word = match["season"]
    name = {"寒": "winter_break", "暑": "summer_break"}.get(word[0]) or _SEASONS[word[0]]
    return Reading(season=name, season_name=word)


def _half(match: re.Match[str]) -> Reading | None:
    word = match["halfword"]
    first = word[0] in "上前"
    if "个" in word:
        return Reading(half=(-1 if first else 1, "rolling"))
    which = 1 if first else 2
    if word.endswith("月"):
        return Reading(half=(which, "month"))
    if word.endswith("周"):
        return Reading(half=(which, "week"), week=0)
    return Reading(half=(which, "year"))


def _quarter(match: re.Match[str]) -> Reading | None:
    if match["qlevel"]:
        return Reading(quarter=("rel", _LEVELS[match["qlevel"]]))
    number = chinese_number(match["qnumber"])
    return Reading(quarter=("abs", int(number)), manner="bare") if number and 1 <= number <= 4 else None


_PAIRS = {"今明": (0, 1), "昨今": (-1, 0), "明后": (1, 2)}


def _pair(match: re.Match[str]) -> Reading | None:
    pair = _PAIRS.get(match["pair"])
    return Reading(shift=pair[0], through=Reading(shift=pair[1])) if pair else None


def _this_feast(match: re.Match[str]) -> Reading:
    manner: Manner = "last" if match["flevel"][0] == "上" else "next" if match["flevel"][0] == "下" else "bare"
    return Reading(holiday=_HOLIDAYS[match["ffeast"]], holiday_name=match["ffeast"], manner=manner, firm=True)


def _edge(match: re.Match[str]) -> Reading:
    word = match["edgeword"]
    edge = _EDGES[word[1:]]
    if word[0] == "年":
        return Reading(year=("rel", 0), edge=edge, edge_name=word[1:])
    return Reading(month=("rel", 0), edge=edge, edge_name=word[1:])


def _edge_only(match: re.Match[str]) -> Reading:
    return Reading(edge=_EDGES[match["tailword"]], edge_name=match["tailword"])


def _offset(match: re.Match[str]) -> Reading | None:
    length = _length(match["olength"])
    if length is None:
        return None
    sign = -1 if match["odir"] == "前" else 1
    approximate = bool(match["omore"]) or "多" in match["olength"]
    return Reading(offset=Offset(sign, length, approximate=approximate))


def _ahead(match: re.Match[str]) -> Reading | None:
    length = _length(match["alength"])
    return Reading(offset=Offset(1, length)) if length else None


def _stretch(match: re.Match[str]) -> Reading | None:
    length = _length(match["slength"])
    if length is None:
        return None
    sign = -1 if match["sdir"] in ("过去", "最近", "近", "之前", "往前") else 1
    if length.unit == "quarter":
        return Reading(stretch=Stretch("aligned", sign, length))
    return Reading(stretch=Stretch("past" if sign < 0 else "next", sign, length))


def _hour_rel(match: re.Match[str]) -> Reading | None:
    sign = -1 if match["hlevel"] == "上" else 1
    return Reading(stretch=Stretch("past" if sign < 0 else "next", sign, amount(1, "hour")))


def _front(match: re.Match[str]) -> Reading | None:
    length = _length(match["flength"])
    if length is None or length.count != int(length.count):
        return None
    word = match["fdir"]
    if "最" in word or word in ("头", "末"):
        return Reading(ordinal=Ordinal(int(length.count), length.unit, "first" if word == "头" else "last"))
    sign = -1 if word == "前" else 1
    return Reading(stretch=Stretch("past" if sign < 0 else "next", sign, length))


def _nth(match: re.Match[str]) -> Reading | None:
    weekday = None
    unit: Unit = "day"
    word = match["nunit"].lstrip("个")
    if word[:-1] in ("周", "星期", "礼拜") and word[-1] in "一二三四五六日天":
        weekday = _weekday(word[-1])
    elif word == "周末":
        unit = "weekend"
    else:
        unit = _UNITS[word]
    if match["nlast"]:
        return Reading(ordinal=Ordinal(1, unit, "nth_last", weekday))
    count = chinese_number(match["nth"])
    return Reading(ordinal=Ordinal(int(count), unit, "nth", weekday)) if count else None


def _within(match: re.Match[str]) -> Reading | None:
    length = _length(match["wlength"])
    return Reading(stretch=Stretch("within", 1, length)) if length else None


def _remaining(match: re.Match[str]) -> Reading | None:
    length = _length(match["rlength"])
    return Reading(stretch=Stretch("remaining", 1, length)) if length else None


def _since(match: re.Match[str]) -> Reading | None:
    length = _length(match["clength"])
    return Reading(stretch=Stretch("past", -1, length)) if length else None


def _part(match: re.Match[str]) -> Reading:
    return Reading(part=_PART_OF[match["part"]], part_name=match["part"])


def _early(match: re.Match[str]) -> Reading:
    return Reading(part="morning", part_name=match["early"])


def _clock_token(match: re.Match[str]) -> Reading | None:
    clock = _clock(match["clock"])
    if clock is None:
        return None
    suffix = match["meridiem"]
    if suffix:
        hour = clock.hour % 12 + (12 if suffix[0] in "pP" else 0)
        clock = Clock(hour, clock.minute)
    return Reading(clock=clock)


def _vague(match: re.Match[str]) -> Reading:
    word = match["vague"]
    direction = "past" if _VAGUE_PAST.search(word) else "future" if _VAGUE_FUTURE.search(word) else "now"
    said = word if _VAGUE_AMOUNT.search(word) else None
    return Reading(vague=direction, vague_amount=said)  # type: ignore[arg-type]


def _last_time(match: re.Match[str]) -> Reading:
    return Reading(vague="past" if match["lasttime"][0] == "上" else "future")


def _now(match: re.Match[str]) -> Reading:
    return Reading(now=True)


def _until_now(match: re.Match[str]) -> Reading:
    return Reading(until_now=True)


def _century(match: re.Match[str]) -> Reading | None:
    decade = chinese_number(match["decade"]) if match["decade"] else None
    if decade is None:
        return Reading(years=(-1, -1))
    return Reading(years=(-1, int(decade) * (10 if decade < 10 else 1)))


def _block(match: re.Match[str]) -> None:
    return None


_TOKENS: tuple[tuple[str, str, _Builder], ...] = (
    ("told", rf"(?:那[天日晚年月周]|当[天日晚]|第[二三四五六七八九十][天日晚年周]|次[日年月]|翌[日年]|"
        rf"隔[天日年]|头[天晚]|同一?[天年日]|有[一天]?[天晚](?!空)|某[天日年]|前后)(?:的)?(?:{_PARTS})"
        rf"?(?:{_CLOCK})?", _block),
    ("pair", r"(?P<pair>今明|昨今|明后)(?:两|二)?[天日](?!线)", _pair),
    ("thisfeast", rf"(?P<flevel>这个|上个|下个|上一个|下一个)(?P<ffeast>{_HOLIDAY})", _this_feast),
    ("block", r"先天[和与、及]?后天|每(?:逢|隔)?[个到一]?(?:周|星期|礼拜)(?:[一二三四五六日天末][、和跟及]?)"
        r"{0,7}|每(?:逢|隔)?[个一]?(?:年|月|天|日|晚|早|季度?)(?:初|底|末)?"
              r"|每次|今日(?:头条|说法|校园|水印|资本)|明日(?:之后|方舟|之星|香)|昨日(?:重现|青空)|昨夜星辰|天天|"
        r"[今明昨]日(?=传媒|资本|科技|集团|控股|影业|动漫)|(?<=[小阿])明(?=天天|年年|日日|早睡|早起)|"
        r"前(?=天文)|后(?=天井)|后天(?:性|因素|努力|培养|环境|"
        r"教育|免疫|形成|习得|失明|养成)"
              r"|前天线|明天赋|今天下$|(?<=[如当而])今年轻|过去年轻|现在(?:完成|进行|时态|分词|式)|一般现在时|"
        r"当(?:周|月|年|时)|目前天线"
              r"|月月|年年|日日|夜夜|时时|周周|早早|晚晚|周年|周岁|周[到围边期长折遭密旋全身知详正一鸣](?<!周一)"
        r"|周一次|五月天|三月兽|月亮|月饼|日本|日常|日记|日程|日报"
              r"|(?<![去今明前后])年(?:级|轻|龄|货|糕|会|费|薪|度|代)|"
        r"[\d〇零一二两三四五六七八九十]{1,4}(?:年级|年代|周年|周岁|月龄|点点|时代|时区|号线|号楼|号店|"
        r"点钟方向)"
              r"|从前(?!天)|以前|之前(?![半\d一二两三四五六七八九十]{1,4}(?:个|天|小时|分钟|周|年))|以后|"
        r"之后(?![半\d一二两三四五六七八九十]{1,4}(?:个|天|小时|分钟|周|年))|从此|后来|然后|"
        r"往后(?![半\d一二两三四五六七八九十的几])|眼前|面前|跟前|提前|空前|生前|午前|饭前|睡前|饭后|事后|"
        r"事前|最后(?![\d 一二两三四五六七八九十个半]{1,5})|背后|今后(?![\d一二两三四五六七八九十的几半])"
              r"|一点(?:[都也儿不没点](?!钟))|(?:[早晚多少快慢好差有大小高低这那]一|"
        r"[早多少快慢好差有大小高低这那])点(?!钟|半|整|[一三]刻|\d)(?![零一二三四五六七八九十]{1,3}分)|"
        r"两点一线|民国[\d一二三四五六七八九十]{1,3}年|明年轻|一时|有时|小时候|同时|及时|随时|准时|按时|"
        r"临时|平时|到时候?|那时|这时|此时"
              r"|周[一二三四五六日天](?:到|至|-|~)(?:周|星期|礼拜)?[一二三四五六日天](?<=[五日天])(?!我|他|她|"
        r"要|去|在)|星期五餐厅|周六福|(?<=[零一二两三四五六七八九十百\d])(?:天天|日日)", _block),
    ("iso", r"(?<![\d.])(?P<iso_y>[12]\d{3})(?:[-/.](?P<iso_m>1[0-2]|0?[1-9])(?:[-/.](?P<iso_d>3[01]|[12]\d|"
        r"0?[1-9]))?)(?![\d.])(?:T(?=\d))?", _iso),
    ("yearabs", r"(?<![\d一二三四五六七八九十.])(?:(?P<year4>[12]\d{3}|[一二][零〇一二三四五六七八九]{3})"
        r"[ ]?年(?:度)?|(?P<year2>0\d|[零〇][一二三四五六七八九]|[1-9]\d)年(?=[ ]?\d{1,2}月|"
        r"[一二三四五六七八九十]{1,2}月|[春夏秋冬初底末]|毕业|入学|出生|以[前后]|的?(?:时候|暑假|寒假)|"
        r"(?<=0\d年)|(?<=[零〇].年)))", _year_abs),
    ("block2", r"(?:康熙|雍正|乾隆|光绪|贞观|神龙|昭和|平成|令和|开元|洪武|永乐|万历|崇祯|嘉庆|道光|咸丰|同治|"
        r"宣统)[\d元一二三四五六七八九十]{1,3}年(?:[\d正腊一二三四五六七八九十]{1,2}月)"
        r"?(?:初?[\d一二三四五六七八九十]{1,3}[日号]?)?(?:大年三十)?", _block),
    ("century", r"上个?世纪(?:(?P<decade>[\d一二三四五六七八九]十?|\d0)年代)?(?:[初末中]期?)?", _century),
    ("offset", rf"(?<![\d.第])(?P<olength>{_LENGTHS})(?P<omore>多)?(?:以|之)?(?P<odir>前|后)(?![后面端台续悔果缀])", _offset),
    ("ahead", rf"(?:再过|再等(?=[^，。]{2,6}(?:就|后))|(?<![超经通难不])过(?={_LENGTHS}(?:就|再|会|要|才|后|之后|"
        rf"便|又)))(?P<alength>{_LENGTHS})(?:(?:之|以)?后)?", _ahead),
    ("vague", rf"(?P<vague>{_VAGUE})", _vague),
    ("lasttime", r"(?<![网早晚马线以之版上])(?P<lasttime>[上下]一?[次回])(?![合数]|[次回])", _last_time),
    ("lasthour", r"(?P<hlevel>上|下)一?个(?:小时|钟头)", _hour_rel),
    ("stretch", rf"(?P<sdir>过去|最近|(?<![最附靠接临])近|未来|接下来|今后|往后|之前|之后|往前)(?:的|这)"
        rf"?(?P<slength>{_LENGTHS})(?![前后])(?:以来)?", _stretch),
    ("half", r"(?P<halfword>(?<![早晚])[上下前后](?:个)?半(?:年(?!级)|月|周))", _half),
    ("nth", r"(?:第(?P<nth>\d{1,2}|[一二三四五六七八九十]{1,3})|(?P<nlast>最后(?:的)?一))(?P<nunit>个?(?:周|"
        r"星期|礼拜)[一二三四五六日天](?!次)|个?周末|个?月|个?(?:周|星期|礼拜)|天)(?![前后])", _nth),
    ("front", rf"(?P<fdir>(?<![提以之日目年月周天前后面点午饭空大最考赛婚术产发播市课班试训线演])前|(?<=[年月周的 ])前|"
        rf"(?<![提以之日月周天前后面点午饭空大最然今往])后|最后|头|最[初前])的?[ ]?(?P<flength>{_LENGTH})"
        rf"(?![前后])", _front),
    ("remaining", rf"(?:还剩|还有)[ ]?(?P<rlength>{_N}[ ]?个?半?(?:小时|分钟))", _remaining),
    ("within", rf"(?<![\d.第])(?P<wlength>{_LENGTH})(?:(?:以|之)内|内)", _within),
    ("since", rf"(?<![\d.第前])(?P<clength>{_LENGTH})(?:以来|来(?=[，,]|一直|第|我|他|她|首|从|始终|最|都|每|没|的)"
        rf")", _since),
    ("shift", r"(?<!^[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗])"
        r"(?<![，。！？；\n ][王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗])(?P<which>大前|大后|"
        r"(?<![之以目从眼面生空提史])前(?=[天日晚夜儿])|昨|(?<![如当而现])今|"
        r"(?<![黎聪光文透声说表证发查])明|(?<![以之然雨最先此年月周午])后(?=[天日晚夜儿]))"
              r"(?:天(?!线|赋|堂|桥|台文|使|生的|空之)|日(?!元|本|语|志|历)|儿个?(?!童|子|科)|(?P<short>晚上|"
        r"夜里|早上|[晚夜早晨](?!点点|饭后|安|一点|些|餐))(?!\d*年级))", _shift),
    ("week", rf"(?P<level>上上上|上上|大上|上|下下下|下下|下|这|本)(?:一?个|一)?(?:周|星期|礼拜)(?!年|边|围|期|"
        rf"岁)(?P<name>{_WEEKDAY}(?!次[都也没])(?<!天(?=气))|末|[初中底](?![国文午学]))?", _week),
    ("monthrel", r"(?P<mlevel>上上|上|下下|下|这|本)(?:一?个)?月(?!球|亮|台|份牌|经|饼)(?:份)?", _month_rel),
    ("quarter", r"(?:(?P<qlevel>上上|上|下下|下|这|本)(?:一?个|一)?|第?(?P<qnumber>[1-4一二三四]))季度", _quarter),
    ("yearrel", r"(?P<ylevel>大前|(?<![之以目])前(?=年)|(?<!过)去|(?<![如当而现])今|(?<![日资])本|明|来|大后|"
        r"(?<![以之然最])后(?=年)|这(?=一年)|(?<![马晚早])上(?=一?年)|(?<![之以])下(?=一年))一?年(?!轻|级|"
        r"龄|代|货|糕|纪|会)(?:度)?", _year_rel),
    ("lunar", r"(?:农历|阴历|旧历)(?:的)?(?P<lmonth>正|冬|腊|[一二三四五六七八九十]{1,2}|\d{1,2})"
        r"月(?P<lday>初[一二三四五六七八九十]|[二廿]?十[一二三四五六七八九]?|三十|\d{1,2})[日号]?"
              r"|(?P<lmonth2>正|腊|冬|[二三四五六七八九十])月(?P<lday2>初[一二三四五六七八九十]|(?<=[正腊]月)"
        r"(?:[二廿]?十[一二三四五六七八九]?|三十))", _lunar),
    ("newyear", r"大年初(?P<nyday>[二三四五六七])|(?<=年)初(?<=年初)(?!$)(?!.)", _lunar_new_year),
    ("date", rf"(?<![\d个数几半第零〇百千万亿.])(?<![二三四五六七八九]十)(?P<month>{_DIGITS12})(?:(?<=\d)[ ])?月(?!球|亮|台|"
        rf"经|饼|嫂|子|薪|龄|季|票|光)(?:份|(?P<mday>{_DIGITS31})(?:[ ]?[日号]|{_SPOKEN_DAY}))?", _date),
    ("holiday", rf"(?P<holiday>{_HOLIDAY})(?!快乐|礼物|联欢|晚会|档|路|街|村)", _holiday),
    ("season", r"(?P<season>[春夏秋冬][天季]|[春夏秋冬](?=我|他|她|的)|寒假|暑假|(?<=年)[春夏秋冬](?![天季]))", _season),
    ("edge", r"(?<![\d一二三四五六七八九十个半])(?P<edgeword>月(?:初|底|末|尾|头|中旬|上旬|下旬)|"
        r"(?<![去今明前后来本])年(?:初|底|末|尾|头(?!上)))", _edge),
    ("weekday", rf"(?:(?<![每零一二两三四五六七八九十百\d几个多半数])|(?<=[周期拜][一二三四五六]))(?:周|星期|礼拜)"
        rf"(?P<wd>{_WEEKDAY}(?![次级])(?<!天(?=气))|末(?!愉快|快乐))", _bare_weekday),
    ("daynumber", rf"(?<![\d第A-Za-z一二三四五六七八九十.#])(?P<dayn>{_DIGITS31})[ ]?(?:号(?!线|楼|房|机|床|桌|位|店|"
        rf"馆|厅|仓|库|院|门|口|选|人|电|球|衣|车|汽|柴|文|玩|家|同学|服|坑|技|师|岛|码|台|弹|窗|站|员|铺|"
        rf"登|染|称|召|令)|日(?!元|圆|游|内|均|本|语|记|期|常|程|报|间|志|历|子|头|夜|月))", _day_number),
    ("clock", rf"(?<![\d.第:])(?P<clock>{_CLOCK})(?:[ ]?(?P<meridiem>[aApP]\.?[mM]\b\.?))?"
        r"(?! (?:(?:to|and) \d\d?:\d\d )?on \d)", _clock_token),
    ("early", r"(?<=[天日一二三四五六])(?P<early>一大?早)(?!上|晨)", _early),
    ("part", rf"(?P<part>{_PARTS})", _part),
    ("untilnow", r"至今(?![天日年晚早])(?:为止)?|迄今(?:为止)?", _until_now),
    ("now", r"现在|(?<=截至)(?:目前|当前)|目前|眼下|如今|此刻|现如今|现阶段|当前(?=[在正还没已仍])", _now),
    ("tail", r"(?<=[月周年天])(?P<tailword>初|底|末|中旬|上旬|下旬|中(?=[旬我他要去开]))", _edge_only),
)  # fmt: skip

_UNNAMED = re.compile(r"\(\?P<\w+>")
_STARTS = (
    "0123456789〇一七万三上下不两中临之九乾事二五今从令以低俩傍儿元先光八六再农冬准凌几刚初到前劳十午半去及双同后周咸嘉四回国圣复夏多夜"
    "大天头女好如妇宣寒小少崇差平年底康建廿开当往待很快情愚感慢按接提教数方日旧早时明星春昨昭晚暑最月有未末本来某植次正此母每民永没洪深清然父现生"
    "百目眼睡礼神秋稍空端第等翌背腊至若许贞跟跨迄过近还这适道那重阴除随隔雍零青面饭高黄"
)
"""Every character a token can begin with (a test holds this true): looking for it first makes the search ten times faster."""
_TRIGGER = re.compile("[" + _STARTS + "".join(chr(old) for old, new in _FOLD.items() if chr(new) in _STARTS) + "]")


@cache
def _compiled() -> tuple[re.Pattern[str], dict[str, tuple[re.Pattern[str], _Builder]]]:
    """All tokens as one pattern, and each alone. Compiled when first needed: that takes longer than the import itself."""
    tokens = "|".join(f"(?P<{name}>{_UNNAMED.sub('(?:', pattern)})" for name, pattern, _ in _TOKENS)
    single = {name: (re.compile(pattern), build) for name, pattern, build in _TOKENS}
    return re.compile(f"(?=[{_STARTS}])(?:{tokens})"), single


def might_hold(text: str) -> bool:
    """A quick look: whether any character that Chinese words of time begin with is there."""
    return _TRIGGER.search(text) is not None


def words_of_time(text: str) -> list[Found]:
    """The words of time of folded text, each with its reading, in order; not yet merged."""
    found: list[Found] = []
    every, single = _compiled()
    for match in every.finditer(text):
        pattern, build = single[match.lastgroup or ""]
        detail = pattern.match(text, match.start())
        reading = build(detail) if detail is not None else None
        if detail is not None and reading is not None:
            found.append(Found(reading, match.start(), detail.end()))
    return found
