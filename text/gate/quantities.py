"""Numbers, dates and clock times of a text, by value: 两个 = 2, 2.3万 = 23000, 2026年2月20日 = 2026-02-20, 5 pm = 17:00.

A strict number is certainly a quantity and can be required; a loose one (the 三 of 三亚) can only confirm another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from ..borders import LOWER, UPPER
from ..remembered import remembered
from ..time_expressions.english.lexicon import MONTHS
from .numerals import (
    CHINESE_NUMERAL,
    ENGLISH_NUMERAL_WORDS,
    UNCERTAIN_ENGLISH_WORDS,
    chinese_values,
    english_values,
    figure_values,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its possible values. `strict` is True if it is certainly a quantity."""

    start: int
    end: int
    values: frozenset[Decimal]
    strict: bool


@dataclass(frozen=True, slots=True)
class Date:
    """A calendar date; parts that are not written are None."""

    start: int
    end: int
    year: int | None
    month: int | None
    day: int | None

    @property
    def parts(self) -> dict[str, int]:
        """The parts that are written: `year`, `month`, `day`."""
        written = {"year": self.year, "month": self.month, "day": self.day}
        return {name: value for name, value in written.items() if value is not None}


class DateLookup:
    """Dates by every choice of their parts, so that one that agrees with another is found at once."""

    def __init__(self, dates: Iterable[Date]) -> None:
        self._shapes: set[tuple[str, ...]] = set()
        self._choices: set[tuple[tuple[str, ...], tuple[tuple[str, int], ...]]] = set()
        for date in dates:
            shape, parts = tuple(date.parts), date.parts.items()
            self._shapes.add(shape)
            self._choices.update((shape, chosen) for size in (1, 2, 3) for chosen in combinations(parts, size))

    def agreeing(self, date: Date, *, to_its_end: bool = False) -> bool:
        """Return True if a date shares a part with `date`, and no part that both have differs.

        With `to_its_end` it has the finest part of `date` as well.
        """
        parts = date.parts
        finest = next(reversed(parts)) if to_its_end and parts else ""
        for shape in self._shapes:
            shared = tuple((name, value) for name, value in parts.items() if name in shape)
            if shared and (not finest or finest in shape) and (shape, shared) in self._choices:
                return True
        return False


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in minutes on the 12-hour clock, so that 下午5点, 5 pm and 17:00 are equal."""

    start: int
    end: int
    minutes: int


@dataclass(frozen=True, slots=True)
class Quantities:
    """All quantities of one text, in text order."""

    numbers: tuple[Number, ...]
    dates: tuple[Date, ...]
    clocks: tuple[Clock, ...]


_MONTH = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})(?![a-z])"
_ZH_NUM = r"(?:\d{1,2}|[一二三四五六七八九十廿卅]{1,3})"
_ZH_YEAR = r"(?:\d{4}|[一二三四五六七八九〇零]{4})"
_LATIN = f"0-9_{UPPER}{LOWER}"
_MEASURES = (
    "个個只隻条條本次遍天周年月日号號点點分秒岁歲块塊元毛人位名口家张張台臺部件杯瓶碗包袋盒箱斤克吨米里寸层層楼级級"
    "段章节節集季首门門科班队隊支把封份颗顆粒片双雙对對套间間座栋辆輛架艘届代种種类類期回场場局盘盤轮輪关關星折倍"
    "页頁字句行步声聲票小钟鐘礼星晚顿頓篇幅道题題根朵头頭匹棵株所样樣项項股声排列組组厘公平立毫"
)
_WORD_ALTERNATIVES = "|".join(sorted(ENGLISH_NUMERAL_WORDS, key=len, reverse=True))

_ORDINAL = r"(?:st|nd|rd|th)?"
_ISO_DATE = r"(?P<iso>(?<!\d)(?<!\d\.)(\d{4})([-/.])(\d{1,2})(?:[-/.](\d{1,2}))?(?![\d]))"
_ZH_DATE = rf"""
    (?P<zhdate>(?P<zy>{_ZH_YEAR})[ ]?年度?[ ]?(?:(?P<zm>{_ZH_NUM})[ ]?月份?(?:[ ]?(?P<zd>{_ZH_NUM})[ ]?[日号號])?)?)
  | (?P<zhday>(?P<zm2>{_ZH_NUM})[ ]?月份?[ ]?(?P<zd2>{_ZH_NUM})[ ]?[日号號]
        | (?<!\d)(?P<zm3>{_ZH_NUM})[ ]?月(?!\w?[亮光饼])份?
        | (?<!\d)(?P<zd3>\d{{1,2}})[日号號](?![楼线机店码]))"""
_EN_DATE = rf"""
    (?P<endate>(?<![{_LATIN}])(?:
        (?P<em>{_MONTH})\.?[ ](?P<ed>\d{{1,2}}){_ORDINAL}(?![{_LATIN}:])(?:,?[ ](?P<ey>\d{{4}})(?!\d))?
      | (?P<ed2>\d{{1,2}}){_ORDINAL}[ ](?:of[ ])?(?P<em2>{_MONTH})(?![{_LATIN}])\.?(?:,?[ ](?P<ey2>\d{{4}})(?!\d))?
      | (?P<em3>{_MONTH})\.?,?[ ](?:of[ ])?(?P<ey3>\d{{4}})(?!\d|-\d)))"""
_CLOCK = rf"""
    (?P<clock>(?<![\d:])(?P<ch>\d{{1,2}})[:：](?P<cm>\d{{2}})(?:[:：]\d{{2}})?(?!\d)(?:[ ]?[aApP]\.?[mM]\b\.?)?
      | (?<![\d.])(?P<ch2>\d{{1,2}})[ ]?(?:[aApP]\.[mM]\.|[aApP][mM]\b|o['’]clock)
      | (?<![\d.])(?P<ch3>{_ZH_NUM})[ ]?[点點](?:
            (?P<half>半)|(?P<quarter>[一三]刻)|(?P<cm3>\d{{1,2}}|[零〇]?[一二三四五六七八九十]{{1,3}})分?|[钟鐘整])?)"""
# A whole number and its tenths: 5块2, 1米8.
_TENTHS = rf"""
    (?P<tenths>(?<![\d.])(?P<whole>\d{{1,4}}|[{CHINESE_NUMERAL}]{{1,6}})[ ]?(?P<unit>[块塊米])[ ]?
        (?P<tenth>[1-9](?![\d.])|[一二三四五六七八九](?![手十百千万块个])))"""
_FIGURE = rf"""
    (?P<figure>(?:\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)(?:\.\d+)?)
    (?:[ ]?(?P<scale>[十百千]?[万萬亿億]|[百千]|[kKwWmM](?![{_LATIN}])
        |(?:hundred|thousand|million|billion|dozen)(?![{_LATIN}])))?
    (?P<rest>(?<=[百千万萬亿億])(?:[{CHINESE_NUMERAL}]+|\d(?![\d.,])))?"""
_EN_WORDS = rf"""
    (?P<en>(?<![{_LATIN}])(?:half[ ]a[ ])?(?:{_WORD_ALTERNATIVES})
        (?:[ -](?:and[ ])?(?:{_WORD_ALTERNATIVES}))*(?![{_LATIN}]))"""

_QUANTITY = re.compile(
    rf"""
    (?=[\d{CHINESE_NUMERAL}俩仨半]|(?<![{_LATIN}])[A-Za-z])(?:
    {_ISO_DATE} | {_ZH_DATE} | {_EN_DATE} | {_CLOCK} | {_TENTHS}
  | (?P<halfhour>半个?(?:小时|小時|钟头)|half[ ]an[ ]hour)
  | {_FIGURE} | (?P<zh>[{CHINESE_NUMERAL}俩仨]+) | {_EN_WORDS}
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_PERCENT_PREFIX = "百分之"
_TENS_NUMERAL = re.compile(r"[二三四五六七八九]十|[一二两兩三四五六七八九十][百千万萬亿億]")
_LATIN_LETTER = re.compile(rf"[_{UPPER}{LOWER}]")


@remembered(256)
def quantities(text: str) -> Quantities:
    """Read all numbers, dates and clock times of `text`."""
    numbers: list[Number] = []
    dates: list[Date] = []
    clocks: list[Clock] = []
    for match in _QUANTITY.finditer(text):
        _read(text, match, numbers, dates, clocks)
    return Quantities(tuple(numbers), tuple(dates), tuple(clocks))


def _read(text: str, match: re.Match[str], numbers: list[Number], dates: list[Date], clocks: list[Clock]) -> None:
    start, end = match.span()
    date = _date(match)
    if date is not None:
        dates.append(date)
        return
    if match["clock"]:
        clock = _clock(match)
        if clock is not None:
            clocks.append(clock)
            if match["ch3"]:
                # 三点 may mean three points: keep the number as a loose reading.
                numbers.append(Number(start, end, _small(match["ch3"]), False))
            return
    if match["tenths"]:
        values = frozenset((max(_small(match["whole"])) + max(_small(match["tenth"])) / 10,))
        metres = {value * 100 for value in values} if match["unit"] == "米" else frozenset()
        numbers.append(Number(start, end, values | metres, True))
    elif match["halfhour"]:
        numbers.append(Number(start, end, frozenset((Decimal("0.5"), Decimal(30))), False))
    elif match["zh"]:
        run = match["zh"]
        numbers.append(Number(start, end, _converted(text, end, chinese_values(run)), _is_strict_chinese(text, start, end, run)))
    elif match["en"]:
        words = match["en"].casefold()
        certain = any(word not in UNCERTAIN_ENGLISH_WORDS for word in re.findall("[a-z]+", words))
        numbers.append(Number(start, end, _converted(text, end, english_values(words)), certain))
    elif match["figure"]:
        values = figure_values(match["figure"], match["scale"] or "")
        if match["rest"]:
            tail = max(_small(match["rest"]))
            values = _shortened(match, tail) or frozenset(value + tail for value in values)
        # Digits directly after a letter (RTX4090, P7, v2) are part of a name.
        strict = not (start and _LATIN_LETTER.match(text[start - 1]))
        numbers.append(Number(start, end, _converted(text, end, values), strict))
    else:
        # A date or clock pattern with impossible parts (1920/1080, 45:99): read its digits as plain numbers.
        for figures in re.finditer(r"\d+", match.group()):
            numbers.append(Number(start + figures.start(), start + figures.end(), frozenset((Decimal(figures.group()),)), True))


_SMALLER_UNIT = re.compile(
    r"[ ]?[个個]?(?:(?P<hours>小时|小時|钟头|h(?:rs?|ours?)?\b)|(?P<metres>米|m(?:et(?:re|er)s?)?\b)"
    r"|(?P<weeks>周(?!年|岁)|星期|礼拜|weeks?\b))",
    re.IGNORECASE,
)
_FACTORS = {"hours": 60, "metres": 100, "weeks": 7}


def _converted(text: str, end: int, values: frozenset[Decimal]) -> frozenset[Decimal]:
    """Return the values and their equivalents in the next smaller unit: 1.8 米 → 180, two hours → 120, 两周 → 14."""
    unit = _SMALLER_UNIT.match(text, end)
    if unit is None or unit.lastgroup is None:
        return values
    return values | {value * _FACTORS[unit.lastgroup] for value in values}


def _shortened(match: re.Match[str], tail: Decimal) -> frozenset[Decimal]:
    """Return the values of a figure that omits its last scale: 2万3 is 23000."""
    if match["scale"] in ("万", "萬", "千", "百") and tail < 10:
        unit = {"万": 1000, "萬": 1000, "千": 100, "百": 10}[match["scale"]]
        return frozenset(value + tail * unit for value in figure_values(match["figure"], match["scale"]))
    return frozenset()


def _small(figures: str) -> frozenset[Decimal]:
    return frozenset((Decimal(figures),)) if figures.isdecimal() else chinese_values(figures)


def _integer(figures: str | None) -> int | None:
    return int(max(_small(figures))) if figures else None


def _date(match: re.Match[str]) -> Date | None:
    if match["iso"]:
        year, month, day = _integer(match[2]), _integer(match[4]), _integer(match[5])
    elif match["zhdate"]:
        year, month, day = _integer(match["zy"]), _integer(match["zm"]), _integer(match["zd"])
    elif match["zhday"]:
        year = None
        month = _integer(match["zm2"] or match["zm3"])
        day = _integer(match["zd2"] or match["zd3"])
    elif match["endate"]:
        month = MONTHS[(match["em"] or match["em2"] or match["em3"]).casefold()]
        year = _integer(match["ey"] or match["ey2"] or match["ey3"])
        day = _integer(match["ed"] or match["ed2"])
    else:
        return None
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return None
    return Date(*match.span(), year, month, day)


def _clock(match: re.Match[str]) -> Clock | None:
    hour = _integer(match["ch"] or match["ch2"] or match["ch3"])
    minute = 30 if match["half"] else _integer(match["cm"] or match["cm3"]) or 0
    if match["quarter"]:
        minute = 15 if match["quarter"][0] == "一" else 45
    if hour is None or hour > 24 or minute > 59:
        return None
    return Clock(*match.span(), (hour % 12) * 60 + minute)


def _is_strict_chinese(text: str, start: int, end: int, run: str) -> bool:
    """Return True if a run of numeral characters is a quantity and not part of a word (三亚, 万一, 十分)."""
    following = text[end : end + 1] or " "
    if following == " ":
        following = text[end + 1 : end + 2] or " "
    if start and text[start - 1] == "第":
        return True
    if text[max(0, start - 3) : start] == _PERCENT_PREFIX:
        return True
    if run[0] in "百千万萬亿億" or run == "一":
        return False
    if run == "十" and following == "分" and text[end + 1 : end + 2] not in ("钟", "鐘"):
        return False
    if following in _MEASURES:
        return True
    return bool(_TENS_NUMERAL.match(run)) and following not in "几幾来來"
