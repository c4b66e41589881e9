"""The Chinese words of time: the pattern of each word and the reading it produces.

One regular expression of bounded alternatives finds the words. The first matching alternative wins, so words that only
look like time (天天, 后天性, 日本, 一点都不) come first and are discarded. Traditional characters and full-width digits are
folded one to one before, so that offsets do not change.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Literal

from ...word_lists import by_word, word_tables
from ..calendar import longest_month
from ..numerals import chinese_number
from ..reading import Amount, Clock, Direction, Edge, Found, Manner, Offset, Ordinal, Part, Reading, Stretch, Unit, amount

_WORDS = word_tables("time_expressions/chinese/words.toml")
_NONE = _WORDS["none"]
_FOLD = str.maketrans(_WORDS["folded"], _WORDS["folded_to"])
_N = r"(?:\d{1,4}(?:\.\d)?|[零〇一二两俩三四五六七八九十百]{1,6}|半)"
_FEW = r"(?:个把|[两三四五六七八九]个来|好几|几十|十几|几|数|若干|许多|好多|很多|多|一两|两三|三四|三五|四五|五六|六七|七八|八九)"
_UNIT = (
    r"(?:年|个?月|个?(?:周|星期|礼拜)(?!年)|天|日|个?(?:小时|钟头)|分钟?|刻钟|秒钟?|(?:mins?|h|hrs?|hours?|minutes?|"
    r"s)(?![a-zA-Z])|个?季度|个?世纪|个?工作日)"
)
LENGTH = rf"{_N}[ ]?(?:个半|多?个?)?[ ]?{_UNIT}半?"
_LENGTHS = rf"{LENGTH}(?:[零又]?{LENGTH})?"
_GUESS = (
    r"(?:[一二][两二三]|两三|三[四五]|四五|五六|六七|七八|八九|[一二两三四五六七八九][到至、][二两三四五六七八九]|"
    r"[二两三四五六七八九]?十[几来])"
)
"""A count told as a guess: 三五, 两三, 三到五, 十来."""
_GUESSED = rf"{_GUESS}(?:个?(?:半)?月|年|天|日|个?(?:周|星期|礼拜)|个?(?:小时|钟头)|分钟)"
_DIGITS12 = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_DIGITS31 = r"(?:3[01]|[12]\d|0?[1-9]|三十一?|[二廿]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|[一二三四五六七八九])"
_HOUR = r"(?:2[0-4]|1\d|0?\d|二十[一二三四]?|十[一二三四五六七八九]?|[零一二两三四五六七八九])"
_MINUTE = (  # a single digit only with 分: 9点一起走 is nine o'clock
    r"(?:[0-5]\d(?![\d个人位名块元])|\d(?=分(?![之钱]))|[二三四五]?十[一二三四五六七八九]?(?![个人位名块元])|"
    r"零[一二三四五六七八九]|[一二三四五六七八九](?=分(?![之钱])))"
)
_PARTS = _WORDS["parts_of_day"].replace(" ", "|")
_CLOCK = rf"(?:{_HOUR}[点时](?:钟|整|半|[一三]刻|{_MINUTE}分?(?:\d{{1,2}}秒)?)?|{_HOUR}[ ]?:[ ]?[0-5]\d(?::[0-5]\d)?(?![\d:]))"
# A day without 日 or 号 (8月16去, 八月十六那天) that the following character does not make a count. 八月十五 is a lunar date.
_SPOKEN_DAY = (
    r"(?<=[\d十一二三四五六七八九])(?<!月[一二三四五六七八九十])(?<!八月十五)(?=[，。！？,!?；;、\s去来回到有要是的那这我你他她"
    r"们能可会就晚早上下中出开飞考面复走搬入领办拿返退签报结请休接送约聚体见]|$)"
)
_WEEKDAY = r"(?:[一二三四五六日天](?![个种])|[1-6](?![\d个种]))"
_NEXT_WEEKDAY = (
    r"(?:(?:(?<=一)二|(?<=二)三|(?<=三)四|(?<=四)五|(?<=五)六|(?<=六)[日天])(?![\d一二三四五六七八九十点时号日月个周年岁次人本元语])"
    r"|(?<=[1-5])(?:(?<=1)2|(?<=2)3|(?<=3)4|(?<=4)5|(?<=5)6)(?![\d点时号日月个周年岁次人:.]))"
)
"""The second of two weekdays in one word: 周二三, 下周六日."""
_PAIRS_OF_HOURS = (
    "一(?=[两二]点)|[两二](?=三点)|三(?=四点)|四(?=五点)|五(?=六点)|六(?=七点)|七(?=八点)|八(?=九点)|九(?=十点)|十一(?=二点)"
)
"""The first of two hours in one word: 八九点, 十一二点."""
_NO_DATE = (
    r"(?:号(?!线|楼|房(?!东|租|贷)|机|床|桌|位|店|馆|厅|仓|库|院|门|口|选|人|电|球|衣|车|汽|柴|文|玩|家|同学|服|坑|技|师|"
    r"岛|码|台|弹|窗|站|员|铺|登|染|称|召|令)|日(?!元|圆|游|内|均|本|语|记|期|常|程|报|间|志|历|子|头|夜|月))"
)
"""号 or 日 after a day of a month, and not that of a number of something (三号线) or of a length (五日游)."""

OPEN = re.compile("|".join(_WORDS["vague"]["open"]).replace("LENGTH", LENGTH))
"""Times that are counted from the moment of speaking and have no day here: 上学期, 离高考还有三天, 年后."""
_HOLIDAYS: dict[str, str] = by_word(_WORDS["feasts"])
_HOLIDAY = rf"(?:{'|'.join(sorted(_HOLIDAYS, key=len, reverse=True))})(?<![小大]暑(?=假))"
_SEASONS: dict[str, str] = by_word(_WORDS["seasons"]) | {"寒": "winter_break", "暑": "summer_break"}
_PART_OF: dict[str, Part] = by_word(_WORDS["parts"])
_PART_WORD = {"早": "早上", "晚": "晚上", "晨": "早晨", "夜": "夜里"}
_SHIFTS: dict[str, int] = by_word(_WORDS["day_shifts"])
_YEARS: dict[str, int] = by_word(_WORDS["year_shifts"])
_LEVELS: dict[str, int] = by_word(_WORDS["levels"])
_EDGES: dict[str, Edge] = by_word(_WORDS["edges"])
_UNITS: dict[str, Unit] = by_word(_WORDS["units"])
_CUT: dict[str, tuple[str, str, re.Pattern[str]]] = {
    first: (row["surely"], row["perhaps"], re.compile(row["after"])) for first, row in _WORDS["cut"].items()
}
_MONTH_NAMES = {"正": 1, "冬": 11, "腊": 12}
_PAIRS = {"今明": (0, 1), "昨今": (-1, 0), "明后": (1, 2)}

_VAGUE = "|".join(_WORDS["vague"]["words"]).replace("FEW", _FEW)
_VAGUE_PAST = re.compile(r"^(?:前|日前|刚|方才|适才|早|过去|不久(?:以|之)?前|没多久|很久|好久|许久)|前$")
_VAGUE_FUTURE = re.compile(r"^(?:再?过|未来|接下来|今后|往后|待会|等|一会|稍|晚|回头|改)|后$")
_VAGUE_AMOUNT = re.compile(
    rf"^(?:{_FEW}|[大小]半)(?:个?月|年|个?(?:周|星期|礼拜)|天|日|个?(?:小时|钟头)|分钟)(?:以|之)?[前后]$|^(?:很|好|许)久"
)

_Builder = Callable[["re.Match[str]"], "Reading | None"]


def fold(text: str) -> str:
    """Replace what time words are also written with: traditional characters, full-width digits, mistyped characters."""
    return _MISTYPED.sub(lambda slip: slip.group().translate(_MEANT), text.translate(_FOLD))


_MISTYPED = re.compile(
    r"(?<=[今明昨后])夭|(?<![明童巨新歌球影]星)(?<=星)其(?=[一二三四五六日天])|(?<=周)未(?![必曾能来经婚见到])|(?:(?<=^)|(?<=[我你他她，。！？,]))作(?=[天晚][^数气会])"
)
_MEANT = str.maketrans("夭其未作", "天期末昨")


def length_of(text: str) -> Amount | None:
    total: Amount | None = None
    for match in _LENGTH_PARTS.finditer(text):
        if _GUESS_ALONE.fullmatch(match["n"]):
            return None
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


_GUESS_ALONE = re.compile(_GUESS)
_LENGTH_PARTS = re.compile(rf"(?P<n>{_N})[ ]?(?:(?P<half>个半)|多?个?)[ ]?(?P<unit>{_UNIT})(?P<tail>半)?")


_CLOCK_PARTS = re.compile(
    rf"(?P<hour>{_HOUR})(?:[点时](?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute>{_MINUTE})分?|钟|整)?|[ ]?:[ ]?(?P<digits>[0-5"
    rf"]\d))"
)


def _clock(match: re.Match[str]) -> Reading | None:
    parts = _CLOCK_PARTS.match(match["clock"])
    hour = chinese_number(parts["hour"]) if parts is not None else None
    if parts is None or hour is None or hour > 24:
        return None
    minute = chinese_number(parts["minute"] or parts["digits"] or "") or 0.0
    if parts["half"] or parts["quarter"]:
        minute = 30 if parts["half"] else 15 if parts["quarter"] == "一" else 45
    if minute >= 60:
        return None
    if match["either"]:
        last = int(hour) + 10 * (match["either"][0] == "十")
        return Reading(clock=Clock(last - 1, known=False), clock_until=Clock(last, int(minute), known=last > 12))
    if match["meridiem"]:
        return Reading(clock=Clock(int(hour) % 12 + (12 if match["meridiem"][0] in "pP" else 0), int(minute)))
    known = hour > 12 or hour == 0 or (len(parts["hour"]) == 2 and parts["hour"][0] == "0")
    return Reading(clock=Clock(int(hour), int(minute), known))


def _shift(match: re.Match[str]) -> Reading:
    part = match["short"]
    reading = Reading(shift=_SHIFTS[match["which"]])
    return replace(reading, part=_PART_OF[part], part_name=_PART_WORD.get(part, part)) if part else reading


def _week(match: re.Match[str]) -> Reading:
    level, name = _LEVELS[match["level"]], match["name"]
    if not name:
        return Reading(week=level)
    if name == "末":
        return Reading(week=level, weekend=True)
    if name in "初中底":
        return Reading(week=level, edge=_EDGES[name], edge_name=name)
    until = Reading(week=level, weekday=_weekday(match["next"])) if match["next"] else None
    return Reading(week=level, weekday=_weekday(name[0]), through=until)


def _weekday(name: str) -> int:
    return 6 if name in "日天" else int(chinese_number(name) or 1) - 1


def _bare_weekday(match: re.Match[str]) -> Reading:
    name = match["name"]
    if name == "末":
        return Reading(weekend=True, manner="bare")
    until = Reading(weekday=_weekday(match["next"]), manner="bare") if match["next"] else None
    return Reading(weekday=_weekday(name[0]), manner="bare", through=until)


def _month_rel(match: re.Match[str]) -> Reading:
    return Reading(month=("rel", _LEVELS[match["level"]]))


def _iso(match: re.Match[str]) -> Reading:
    month = max(1, min(12, int(match["month"])))
    return Reading(year=("abs", int(match["year"])), month=("abs", month), day=int(match["day"]) if match["day"] else None)


def _year_abs(match: re.Match[str]) -> Reading | None:
    number = chinese_number(match["year4"] or match["year2"])
    if number is None:
        return None
    century = 0 if match["year4"] else 2000 if number < 50 else 1900
    return Reading(year=("abs", int(number) + century))


def _date(match: re.Match[str]) -> Reading | None:
    month = chinese_number(match["month"])
    day = chinese_number(match["day"]) if match["day"] else None
    if month is None or (match["day"] and (day is None or day > longest_month(int(month)))):
        return None
    return Reading(month=("abs", int(month)), day=None if day is None else int(day))


def _lunar(match: re.Match[str]) -> Reading | None:
    name = match["month"] or match["month2"]
    month = _MONTH_NAMES.get(name[0]) or chinese_number(name)
    day = chinese_number((match["day"] or match["day2"]).removeprefix("初"))
    if month is None or day is None or not 1 <= day <= 30 or not 1 <= month <= 12:
        return None
    return Reading(lunar=(int(month), int(day)), holiday_name=match.group())


def _day_number(match: re.Match[str]) -> Reading | None:
    day = chinese_number(match["day"])
    return Reading(day=int(day)) if day and 1 <= day <= 31 else None


def _two_days(match: re.Match[str]) -> Reading | None:
    last = chinese_number((match["tens"] or "") + match["pair"][1])
    return Reading(day=int(last) - 1, through=Reading(day=int(last))) if last else None


def _season(match: re.Match[str]) -> Reading:
    return Reading(season=_SEASONS[match.group()[0]], season_name=match.group())


def _half(match: re.Match[str]) -> Reading:
    word = match.group()
    which = 1 if word[0] in "上前" else 2
    if "个" in word:
        return Reading(half=(-1 if which == 1 else 1, "rolling"))
    unit = {"月": "month", "周": "week"}.get(word[-1], "year")
    return Reading(half=(which, unit), week=0 if unit == "week" else None)


def _quarter(match: re.Match[str]) -> Reading | None:
    if match["level"]:
        return Reading(quarter=("rel", _LEVELS[match["level"]]))
    number = chinese_number(match["number"] or match["q"])
    return Reading(quarter=("abs", int(number)), manner="bare") if number and 1 <= number <= 4 else None


def _pair(match: re.Match[str]) -> Reading:
    first, last = _PAIRS[match["pair"]]
    return Reading(shift=first, through=Reading(shift=last))


def _this_feast(match: re.Match[str]) -> Reading:
    manner: Manner = "last" if match["level"] == "上" else "next" if match["level"] == "下" else "bare"
    return replace(_feast(match), manner=manner, firm=True)


def _feast(match: re.Match[str]) -> Reading:
    return Reading(holiday=_HOLIDAYS[match["feast"]], holiday_name=match["feast"], manner="bare")


def _edge(match: re.Match[str]) -> Reading:
    of_year = match.group()[0] == "年"
    return replace(_edge_alone(match), year=("rel", 0) if of_year else None, month=None if of_year else ("rel", 0))


def _edge_alone(match: re.Match[str]) -> Reading:
    return Reading(edge=_EDGES[match["edge"]], edge_name=match["edge"])


def _stretch(sign: int, length: Amount) -> Reading:
    return Reading(stretch=Stretch("past" if sign < 0 else "next", sign, length))


def _with_length(build: Callable[[re.Match[str], Amount], Reading | None]) -> _Builder:
    """Return a builder that receives the length of time of its match; it returns None if the length is not a number."""

    def built(match: re.Match[str]) -> Reading | None:
        length = length_of(match["length"])
        return build(match, length) if length is not None else None

    return built


def _open_stretch(direction: Literal["within", "remaining"]) -> _Builder:
    return _with_length(lambda _, length: Reading(stretch=Stretch(direction, 1, length)))


def _offset(match: re.Match[str], length: Amount) -> Reading:
    approximate = bool(match["more"]) or "多" in match["length"]
    return Reading(offset=Offset(-1 if match["direction"] == "前" else 1, length, approximate=approximate))


def _directed(match: re.Match[str], length: Amount) -> Reading:
    sign = -1 if match["direction"] in ("过去", "最近", "近", "之前", "往前") else 1
    return Reading(stretch=Stretch("aligned", sign, length)) if length.unit == "quarter" else _stretch(sign, length)


def _front(match: re.Match[str], length: Amount) -> Reading | None:
    word = match["direction"]
    if length.count != int(length.count):
        return None
    if "最" in word or word == "头":
        return Reading(ordinal=Ordinal(int(length.count), length.unit, "first" if word == "头" else "last"))
    return _stretch(-1 if word == "前" else 1, length)


def _nth(match: re.Match[str]) -> Reading | None:
    word = match["unit"].lstrip("个")
    weekday = _weekday(word[-1]) if word[:-1] in ("周", "星期", "礼拜") and word[-1] in "一二三四五六日天" else None
    unit: Unit = "day" if weekday is not None else "weekend" if word == "周末" else _UNITS[word]
    if match["last"]:
        return Reading(ordinal=Ordinal(1, unit, "nth_last", weekday))
    count = chinese_number(match["nth"])
    return Reading(ordinal=Ordinal(int(count), unit, "nth", weekday)) if count else None


def _guess(match: re.Match[str]) -> Reading:
    direction = match["direction"] or "后"
    return Reading(vague="past" if direction == "前" else "future", vague_amount=f"{match['length']}{direction}")


def _decade(match: re.Match[str]) -> Reading:
    return Reading(years=(-1, int(chinese_number(match["decade"]) or 90)))


def _vague(match: re.Match[str]) -> Reading:
    word = match.group()
    direction: Direction = "past" if _VAGUE_PAST.search(word) else "future" if _VAGUE_FUTURE.search(word) else "now"
    return Reading(vague=direction, vague_amount=word if _VAGUE_AMOUNT.search(word) else None)


def _century(match: re.Match[str]) -> Reading:
    decade = chinese_number(match["decade"]) if match["decade"] else None
    return Reading(years=(-1, -1 if decade is None else int(decade) * (10 if decade < 10 else 1)))


def _part(match: re.Match[str]) -> Reading:
    return Reading(part=_PART_OF[match.group()], part_name=match.group())


def _block(match: re.Match[str]) -> None:
    """Return None: the word only looks like time and is skipped."""


TOKENS: tuple[tuple[str, str, _Builder], ...] = (
    ("told", rf"(?:那[天日晚年月周]|当[天日晚]|第[二三四五六七八九十][天日晚年周]|次[日年月]|翌[日年]|隔[天日年]|头[天晚]|"
        rf"同一?[天年日]|有[一天]?[天晚](?!空)|某[天日年]|前后)(?:的)?(?:{_PARTS})?(?:{_CLOCK})?", _block),
    ("pair", r"(?P<pair>今明|昨今|明后)(?:两|二)?[天日](?!线)", _pair),
    ("thisfeast", rf"(?P<level>这(?=个)|[上下])一?个(?P<feast>{_HOLIDAY})", _this_feast),
    ("decade", r"(?<![\d世纪〇零一二三四五六七八九])(?P<decade>[三四五六七八九]十|[3-9]0)年代", _decade),
    ("saying", "|".join(_NONE["saying"]), _block),
    ("block", "|".join(_NONE["block"]), _block),
    ("iso", r"(?<![\d.])(?P<year>[12]\d{3})(?:[-/.](?P<month>1[0-2]|0?[1-9])(?:[-/.](?P<day>3[01]|[12]\d|0?[1-9]))?)(?![\d.])(?:"
        r"T(?=\d))?", _iso),
    ("yearabs", r"(?<![\d一二三四五六七八九十.])(?:(?P<year4>[12]\d{3}|[一二][零〇一二三四五六七八九]{3})[ ]?年(?:度)?|"
        r"(?P<year2>0\d|[零〇][一二三四五六七八九]|[1-9]\d)年(?=[ ]?\d{1,2}月|[一二三四五六七八九十]{1,2}月|[春夏秋冬初底末]|"
        r"毕业|入学|出生|以[前后]|的?(?:时候|暑假|寒假)|(?<=0\d年)|(?<=[零〇].年)))", _year_abs),
    ("block2", "|".join(_NONE["block2"]), _block),
    ("century", r"上个?世纪(?:(?P<decade>[\d一二三四五六七八九]十?|\d0)年代)?(?:[初末中]期?)?", _century),
    ("guess", rf"(?<![\d.第一二两三四五六七八九十百])(?P<length>{_GUESSED})(?:(?:以|之)?(?P<direction>前|后|内)"
        r"(?![后面端台续悔果缀])|(?=就[能会可回到好走去来]))", _guess),
    ("guessahead", rf"(?:再?过个?|再等)(?P<length>{_GUESSED})(?:(?:以|之)?(?P<direction>后))?", _guess),
    ("offset", rf"(?<![\d.第])(?!\d{{1,2}}月\d{{1,2}}[日号])(?P<length>{_LENGTHS})(?P<more>多)?(?:以|之)?"
        r"(?P<direction>前|后)(?![后面端台续悔果缀])",
        _with_length(_offset)),
    ("ahead", rf"(?:再过|再等(?=[^，。]{2,6}(?:就|后))|(?<![超经通难不])过(?!两[天周]再)(?={_LENGTHS}(?:就|再|会|要|才|后|之后|"
        rf"便|又)))(?P<length>{_LENGTHS})(?:(?:之|以)?后)?", _with_length(lambda _, length: Reading(offset=Offset(1, length)))),
    ("vague", _VAGUE, _vague),
    ("lasttime", r"(?<![网早晚马线以之版上])[上下]一?[次回](?![合数]|[次回])",
        lambda m: Reading(vague="past" if m.group()[0] == "上" else "future")),
    ("lasthour", r"(?P<level>上|下)一?个(?:小时|钟头)", lambda m: _stretch(-1 if m["level"] == "上" else 1, amount(1, "hour"))),
    ("stretch", rf"(?P<direction>过去|最近|(?<![最附靠接临])近|未来|接下来|今后|往后|之前|之后|往前)(?:的|这)?(?P<length>"
        rf"{_LENGTHS})(?![前后])(?:以来)?", _with_length(_directed)),
    ("half", r"(?:(?<![早晚])[上下前后](?:个)?半(?:年(?!级)|月|周))", _half),
    ("nth", r"(?:第(?P<nth>\d{1,2}|[一二三四五六七八九十]{1,3})|(?P<last>最后(?:的)?一))(?P<unit>个?(?:周|星期|"
        r"礼拜)[一二三四五六日天](?!次)|个?周末|个?月|个?(?:周|星期|礼拜)|天)(?![前后])", _nth),
    ("front", rf"(?P<direction>(?<![提以之日目年月周天前后面点午饭空大最考赛婚术产发播市课班试训线演])前|(?<=[年月周的 ])前|"
        rf"(?<![提以之日月周天前后面点午饭空大最然今往术产婚孕病伤课班赛餐浴睡酒])后|"
        rf"最后|头|最[初前])的?[ ]?(?P<length>{LENGTH})(?![前后])",
        _with_length(_front)),
    ("remaining", rf"(?:还剩|还有)[ ]?(?P<length>{_N}[ ]?个?半?(?:小时|分钟))", _open_stretch("remaining")),
    ("within", rf"(?<![\d.第])(?P<length>{LENGTH})(?:(?:以|之)内|内)", _open_stretch("within")),
    ("since", rf"(?<![\d.第前])(?P<length>{LENGTH})(?:以来|来(?=[，,]|一直|第|我|他|她|首|从|始终|最|都|每|没|的))",
        _with_length(lambda _, length: _stretch(-1, length))),
    ("shift", r"(?<!^[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗])(?<![，。！？；\n ][王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗])(?"
        r"P<which>大前|大后|(?<![之以目从眼面生空提史])前(?=[天日晚夜儿])|昨|(?:听|寻|琴)(?=日(?!语|文|剧)|晚(?!会|报|课))|(?<![如当而现])今|明|"
        r"(?<![以之然雨最先此年月周午])后(?=[天日晚夜儿]))(?:天(?!线|赋|堂|桥|台文|使|生的|空之|下第一)|日(?!元|本|语|志|历)|"
        r"个?儿个?(?!童|子|科)|(?P<short>晚上|夜里|早上|[晚夜早晨](?!点点|饭后|安|一点|些|餐))(?!\d*年级))", _shift),
    ("week", rf"(?P<level>上上上|上上|大上|上|下下下|下下|下|这|本)(?:一?个|一)?(?:周|星期|礼拜)(?!年|边|围|期|岁)(?P<name>"
        rf"{_WEEKDAY}(?!次[都也没])(?<!天(?=气))(?P<next>{_NEXT_WEEKDAY})?|末|[初中底](?![国文午学]))?", _week),
    ("monthrel", r"(?P<level>上上|上|下下|下|这|本)(?:一?个)?月(?!球|亮|台|份牌|经|饼)(?:份)?", _month_rel),
    ("quarter", r"(?:(?P<level>上上|上|下下|下|这|本)(?:一?个|一)?|第?(?P<number>[1-4一二三四]))季度|"
        r"(?<=年)[Qq](?P<q>[1-4])(?!\d)", _quarter),
    ("yearrel", r"(?P<level>大前|(?<![之以目])前(?=年)|(?<!过)去|(?<![如当而现])今|(?<!日)本|明|来|大后|(?<![以之然最])后(?="
        r"年)|这(?=一年)|(?<![马晚早])上(?=一?年)|(?<![之以如余剩])下(?=一?年))一?年(?!轻|级|龄|代|货|糕|纪|会|检)(?:度)?",
        lambda m: Reading(year=("rel", _YEARS[m["level"]]))),
    ("lunar", r"(?:农历|阴历|旧历)(?:的)?(?P<month>正|冬|腊|[一二三四五六七八九十]{1,2}|\d{1,2})月(?P<day>初[一二三四五六七八九"
        r"十]|[二廿]?十[一二三四五六七八九]?|三十|\d{1,2})[日号]?|(?P<month2>正|腊|冬|[二三四五六七八九十])月(?P<day2>初[一二三"
        r"四五六七八九十]|(?<=[正腊]月)(?:[二廿]?十[一二三四五六七八九]?|三十))", _lunar),
    ("newyear", r"大年初(?P<day>[二三四五六七])",
        lambda m: Reading(lunar=(1, int(chinese_number(m["day"]) or 1)), holiday_name=m.group())),
    ("date", r"(?!二月二(?![十日号])|三月三(?![十日号]))"
        rf"(?<![\d个数几半第零〇百千万亿.闰])(?<![二三四五六七八九]十)(?P<month>{_DIGITS12})(?:(?<=\d)[ ])?月(?!球|亮|台|经|"
        rf"饼|嫂|子|薪|龄|季|票|光|[一两二三四几]次|咖啡[馆厅店]|书[店屋]|酒吧|"
        rf"餐厅|民宿|花园|笋|兰(?!州)|瓜|"
        rf"街(?![上头边])|稻田|花号|工作室|影业|传媒|乐队)(?:份|(?P<day>{_DIGITS31})(?:[ ]?[日号]|{_SPOKEN_DAY}))?", _date),
    ("holiday", rf"(?:(?!年三十|\d)|(?<![\w]))(?P<feast>{_HOLIDAY})"
        r"(?!\d|快乐|礼物|粽|月饼|套餐|礼盒|(?<=元宵)[煮馅炸]|联欢|晚会|档|路|街|村|块|元|中学|公园)", _feast),
    ("october", r"(?<![\d一二三四五六七八九十第双零〇百千月])十一"
        r"(?=(?<=年十一)(?![月日号个天点])|结婚|订婚|办酒|期间|假期|长假|放假|那几天|[想要]?[去回]|出去|旅游|加班)",
        lambda m: Reading(holiday="national", holiday_name=m.group(), manner="bare")),
    ("season", r"(?:[春夏秋冬][天季]|[春夏秋冬](?=我|他|她|的)|寒假|暑假|(?<=年)[春夏秋冬](?![天季]))", _season),
    ("edge", r"(?<![\d一二三四五六七八九十个半])(?:月|(?<![去今明前后来本])年)(?P<edge>初|底|末|尾|头(?!(?<=年头)上)|"
        r"(?<=月)[中上下]旬)", _edge),
    ("weekday", rf"(?:(?<![每零一二两三四五六七八九十百\d几个多半数])|(?<=[周期拜][一二三四五六]))(?:(?<![老阿])"
        rf"(?<!(?<!大)小)周|星期|礼拜)(?P<name>"
        rf"{_WEEKDAY}(?![次级])(?<!天(?=气))(?P<next>{_NEXT_WEEKDAY})?|末(?!愉快|快乐))", _bare_weekday),
    ("twodays", rf"(?<![\d第A-Za-z一二三四五六七八九十.#])(?P<tens>[二两]?十|廿)?"
        rf"(?P<pair>一二|二三|三四|四五|五六|六七|七八|八九){_NO_DATE}", _two_days),
    ("daynumber", rf"(?<![\d第A-Za-z一二三四五六七八九十.#])(?P<day>{_DIGITS31})[ ]?{_NO_DATE}", _day_number),
    ("clock", rf"(?<![\d.第:])(?P<either>{_PAIRS_OF_HOURS})?(?P<clock>{_CLOCK})(?:[ ]?(?P<meridiem>[aApP]\.?[mM]\b\.?))?"
        r"(?! (?:(?:to|and) \d\d?:\d\d )?on \d)", _clock),
    ("early", r"(?<=[天日儿号一二三四五六])一大?早(?!上|晨)", lambda m: Reading(part="morning", part_name=m.group())),
    ("shortpart", rf"(?:(?<=[天日号一二三四五六])|(?<![㐀-鿿]))[早晚](?={_CLOCK})",
        lambda m: Reading(part=_PART_OF[m.group()], part_name=_PART_WORD[m.group()])),
    ("part", _PARTS, _part),
    ("untilnow", r"至今(?![天日年晚早])(?:为止)?|迄今(?:为止)?", lambda _: Reading(until_now=True)),
    ("now", r"现在|(?<=截至)(?:目前|当前)|目前|眼下|如今|此刻|现如今|现阶段|当前(?=[在正还没已仍])", lambda _: Reading(now=True)),
    ("tail", r"(?<=[月周年天])(?P<edge>初(?![一二三四五六七八九十](?!月))|底|末|中旬|上旬|下旬|中(?=[旬我他要去开]))",
        _edge_alone),
)  # fmt: skip

LONG_TEXT = 2_000
_UNNAMED = re.compile(r"\(\?P<\w+>")
STARTS = (
    "Qq0123456789〇一七万三上下不两中临之九乾事二五今从令以低俩傍儿元先光八六再农冬准凌几刚初到前劳十午半去及双同后周咸嘉四回国圣复夏多夜"
    "大天头女好如妇宣寒小少崇差平年底康建廿开当往待很快情愚感慢按接提教数方日旧早时明星春昨昭晚暑最月有未末本来某植次正此母每民永没洪深清然父现生"
    "百目眼睡礼神秋稍空端第等翌背腊至若许贞跟跨迄过近还这适道那重阴除随隔雍零青面饭高黄泼立护黑龙听寻琴赶改个世佛和处惊浴白破程芒记读谷霜"
)
"""Every first character of a token (checked by a test). Testing it first makes the search ten times faster."""
_TRIGGER = re.compile("[" + STARTS + "".join(chr(old) for old, new in _FOLD.items() if chr(new) in STARTS) + "]")


@cache
def _compiled() -> tuple[re.Pattern[str], dict[str, tuple[re.Pattern[str], _Builder]]]:
    """Return all tokens as one pattern, and each token alone. Compiled on first use because compiling is slow."""
    tokens = "|".join(f"(?P<{name}>{_UNNAMED.sub('(?:', pattern)})" for name, pattern, _ in TOKENS)
    single = {name: (re.compile(pattern), build) for name, pattern, build in TOKENS}
    return re.compile(f"(?=[{STARTS}])(?:{tokens})"), single


def might_hold(text: str) -> bool:
    """Return False if no character of the text can begin a Chinese word of time (a fast pre-check)."""
    return _TRIGGER.search(text) is not None


def words_of_time(text: str) -> list[Found]:
    """Return the words of time of folded text with their readings, in order and not yet merged."""
    found: list[Found] = []
    every, single = _compiled()
    match = _next(every, text, 0)
    while match is not None:
        start, end = match.span()
        if _is_cut_out(text, start):
            end = start + 1
        else:
            pattern, build = single[match.lastgroup or ""]
            detail = pattern.match(text, start)
            reading = build(detail) if detail is not None else None
            if detail is not None and reading is not None:
                found.append(Found(reading, start, detail.end()))
        match = _next(every, text, end)
    return found


def _next(every: re.Pattern[str], text: str, place: int) -> re.Match[str] | None:
    """Search from `place` on; in a long text place by place, since one search gives no other thread its turn until it ends."""
    if len(text) <= LONG_TEXT:
        return every.search(text, place)
    tried = (every.match(text, begin.start()) for begin in _TRIGGER.finditer(text, place))
    return next((match for match in tried if match is not None), None)


def _is_cut_out(text: str, start: int) -> bool:
    """Return True if the character at `start` ends the word before it: 明 in 说明天数, 上 in 赶上周末."""
    row = _CUT.get(text[start])
    if row is None or not start:
        return False
    surely, perhaps, after = row
    before = text[start - 1]
    return before in surely or (before in perhaps and after.match(text, start + 1) is not None)
