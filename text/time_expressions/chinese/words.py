"""Chinese time words: the patterns of words and the builders of their readings.

One regular expression of bounded alternatives finds the words. The first matching alternative
counts, so words that only look like times (天天, 后天性, 日本, 一点都不) come first and are discarded.
Before the search, traditional characters and full-width digits are replaced one to one, so that
offsets do not change.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ...word_lists import by_word, in_full, phrase_list, word_tables
from ..calendar import longest_month
from ..engine import Builder, Tokens
from ..numerals import chinese_number
from ..reading import Clock, Direction, Edge, Offset, Ordinal, Part, Stretch, TimeSpec, Unit, amount
from .counted import (
    COUNTED_ON,
    PIECES,
    UNITS,
    WRITTEN,
    counted,
    directed,
    front,
    offset_of,
    stretch_of,
    with_length,
)

_WORDS = word_tables("time_expressions/chinese/words.toml")
_FOLD = str.maketrans(_WORDS["folded"], _WORDS["folded_to"])
_HOLIDAYS: dict[str, str] = {
    word: name for name, *words in phrase_list(_WORDS["feasts"]) for word in words
}
_SEASONS: dict[str, str] = by_word(_WORDS["seasons"]) | {"寒": "winter_break", "暑": "summer_break"}
_PART_OF: dict[str, Part] = by_word(_WORDS["parts"])
_PART_WORD = {"朝": "早上", "早": "早上", "晚": "晚上", "晨": "早晨", "夜": "夜里"}
_SHIFTS: dict[str, int] = by_word(_WORDS["day_shifts"])
_YEARS: dict[str, int] = by_word(_WORDS["year_shifts"])
_LEVELS: dict[str, int] = by_word(_WORDS["levels"])
_EDGES: dict[str, Edge] = by_word(_WORDS["edges"])
_MONTH_NAMES = {"正": 1, "冬": 11, "腊": 12}

AROUND = {name: re.compile(in_full(pattern, PIECES)) for name, pattern in _WORDS["around"].items()}
"""Patterns for the words before or after an expression."""
_VAGUE_PAST = re.compile(
    r"^(?:前|日前|刚|方才|适才|早|过去|不久(?:以|之)?前|没多久|很久|好久|许久)|前$"
)
_VAGUE_FUTURE = re.compile(r"^(?:再?过|未来|接下来|今后|往后|待会|等|一会|稍|晚|回头|改)|后$")
_VAGUE_AMOUNT = re.compile(
    rf"^(?:{PIECES['FEW']}|[大小]半)(?:个?月|年|个?(?:周|星期|礼拜)|天|日|个?(?:小时|钟头)|分钟)(?:以|之)?[前后]$|^(?:很|好|许)久"
)


def fold(text: str) -> str:
    """Return a text with traditional characters, full-width digits and typing errors replaced."""
    return _MISTYPED.sub(lambda slip: slip.group().translate(_MEANT), text.translate(_FOLD))


_MISTYPED = re.compile("".join(_WORDS["mistyped"]))
_MEANT = str.maketrans(*_WORDS["mistyped_as"])


_CLOCK_PARTS = re.compile(
    in_full(
        [
            r"(?P<hour><HOUR>)(?:[点时](?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute><MINUTE>)分?|钟|整)?",
            r"|[ ]?[:.][ ]?(?P<digits>[0-5]\d))",
        ],
        PIECES,
    )
)


def _clock(match: re.Match[str]) -> TimeSpec | None:
    parts = _CLOCK_PARTS.match(match["clock"])
    hour = chinese_number(parts["hour"]) if parts is not None else None
    if parts is None or hour is None or hour > 24:
        return None
    minute = chinese_number(parts["minute"] or parts["digits"] or "") or 0.0
    if parts["half"] or parts["quarter"]:
        minute = 30 if parts["half"] else 15 if parts["quarter"] == "一" else 45
    known = hour > 12 or hour == 0 or (len(parts["hour"]) == 2 and parts["hour"][0] == "0")
    return TimeSpec(clock=Clock(int(hour), int(minute), known))


def _shift(match: re.Match[str]) -> TimeSpec:
    part = match["short"]
    reading = TimeSpec(shift=_SHIFTS[match["which"]])
    return (
        replace(reading, part=_PART_OF[part], part_name=_PART_WORD.get(part, part))
        if part
        else reading
    )


def _week(match: re.Match[str]) -> TimeSpec:
    level, name = _LEVELS[match["level"]], match["name"]
    if not name:
        return TimeSpec(week=level)
    if name == "末":
        return TimeSpec(week=level, weekend=True)
    until = TimeSpec(week=level, weekday=_weekday(match["next"])) if match["next"] else None
    return TimeSpec(week=level, weekday=_weekday(name[0]), through=until)


def _weekday(name: str) -> int:
    return 6 if name in "日天" else int(chinese_number(name) or 1) - 1


def _bare_weekday(match: re.Match[str]) -> TimeSpec:
    name = match["name"]
    if name == "末":
        return TimeSpec(weekend=True, manner="bare")
    until = TimeSpec(weekday=_weekday(match["next"]), manner="bare") if match["next"] else None
    return TimeSpec(weekday=_weekday(name[0]), manner="bare", through=until)


def _iso(match: re.Match[str]) -> TimeSpec:
    month = max(1, min(12, int(match["month"])))
    return TimeSpec(
        year=("abs", int(match["year"])),
        month=("abs", month),
        day=int(match["day"]) if match["day"] else None,
    )


def _year_abs(match: re.Match[str]) -> TimeSpec | None:
    number = chinese_number(match["year4"] or match["year2"])
    if number is None:
        return None
    century = 0 if match["year4"] else 2000 if number < 50 else 1900
    return TimeSpec(year=("abs", int(number) + century))


def _date(match: re.Match[str]) -> TimeSpec | None:
    month = chinese_number(match["month"])
    day = chinese_number(match["day"]) if match["day"] else None
    if month is None or (match["day"] and (day is None or day > longest_month(int(month)))):
        return None
    return TimeSpec(month=("abs", int(month)), day=None if day is None else int(day))


def _lunar(match: re.Match[str]) -> TimeSpec | None:
    name = match["month"] or match["month2"]
    month = _MONTH_NAMES.get(name[0]) or chinese_number(name)
    day = chinese_number((match["day"] or match["day2"]).removeprefix("初"))
    if month is None or day is None or not 1 <= day <= 30 or not 1 <= month <= 12:
        return None
    return TimeSpec(lunar=(int(month), int(day)), holiday_name=match.group())


def _day_number(match: re.Match[str]) -> TimeSpec | None:
    day = chinese_number(match["day"])
    return TimeSpec(day=int(day)) if day and 1 <= day <= 31 else None


def _half(match: re.Match[str]) -> TimeSpec:
    word = match.group()
    which = 1 if word[0] in "上前" else 2
    if "个" in word:
        return TimeSpec(half=(-1 if which == 1 else 1, "rolling"))
    unit = {"月": "month", "周": "week"}.get(word[-1], "year")
    return TimeSpec(half=(which, unit), week=0 if unit == "week" else None)


def _quarter(match: re.Match[str]) -> TimeSpec | None:
    if match["level"]:
        return TimeSpec(quarter=("rel", _LEVELS[match["level"]]))
    number = chinese_number(match["number"] or match["q"])
    return (
        TimeSpec(quarter=("abs", int(number)), manner="bare")
        if number and 1 <= number <= 4
        else None
    )


def _feast(match: re.Match[str]) -> TimeSpec:
    return TimeSpec(holiday=_HOLIDAYS[match["feast"]], holiday_name=match["feast"], manner="bare")


def _edge(match: re.Match[str]) -> TimeSpec:
    of_year = match.group()[0] == "年"
    return replace(
        _edge_alone(match),
        year=("rel", 0) if of_year else None,
        month=None if of_year else ("rel", 0),
    )


def _edge_alone(match: re.Match[str]) -> TimeSpec:
    return TimeSpec(edge=_EDGES[match["edge"]], edge_name=match["edge"])


def _nth(match: re.Match[str]) -> TimeSpec | None:
    word = match["unit"].lstrip("个")
    weekday = (
        _weekday(word[-1])
        if word[:-1] in ("周", "星期", "礼拜") and word[-1] in "一二三四五六日天"
        else None
    )
    unit: Unit = "day" if weekday is not None else "weekend" if word == "周末" else UNITS[word]
    if match["last"]:
        return TimeSpec(ordinal=Ordinal(1, unit, "nth_last", weekday))
    count = chinese_number(match["nth"])
    return TimeSpec(ordinal=Ordinal(int(count), unit, "nth", weekday)) if count else None


def _guess(match: re.Match[str]) -> TimeSpec:
    direction = match["direction"] or "后"
    return TimeSpec(
        vague="past" if direction == "前" else "future",
        vague_amount=f"{match['length']}{direction}",
    )


def _vague(match: re.Match[str]) -> TimeSpec:
    word = match.group()
    direction: Direction = (
        "past" if _VAGUE_PAST.search(word) else "future" if _VAGUE_FUTURE.search(word) else "now"
    )
    return TimeSpec(vague=direction, vague_amount=word if _VAGUE_AMOUNT.search(word) else None)


_LISTED = {
    "PARTS": "|".join(_WORDS["parts_of_day"].split()),
    "FEAST": rf"(?:{'|'.join(sorted(_HOLIDAYS, key=len, reverse=True))})(?<![小大]暑(?=假))",
    "VAGUE": in_full("|".join(_WORDS["vague"]["words"]), PIECES),
    "OPEN": in_full("|".join(_WORDS["vague"]["open"]), PIECES),
    **{name: in_full("|".join(patterns), PIECES) for name, patterns in _WORDS["none"].items()},
}
PATTERNS = {name: in_full(pattern, PIECES | _LISTED) for name, pattern in WRITTEN["tokens"].items()}
_READINGS: dict[str, Builder] = {
    "open": lambda _: TimeSpec(),
    "counted": counted,
    "of_event": lambda _: TimeSpec(offset=COUNTED_ON),
    "more": lambda _: TimeSpec(offset=COUNTED_ON, edge="rest"),
    "iso": _iso,
    "absolute_year": _year_abs,
    "guess": _guess,
    "guess_ahead": _guess,
    "offset": with_length(offset_of),
    "ahead": with_length(lambda _, length: TimeSpec(offset=Offset(1, length))),
    "vague": _vague,
    "last_time": lambda match: TimeSpec(vague="past" if match.group()[0] == "上" else "future"),
    "stretch": with_length(directed),
    "half": _half,
    "nth": _nth,
    "front": with_length(front),
    "last_hour": lambda match: stretch_of(-1 if match["level"] == "上" else 1, amount(1, "hour")),
    "remaining": with_length(lambda _, length: TimeSpec(stretch=Stretch("remaining", 1, length))),
    "within": with_length(lambda _, length: TimeSpec(stretch=Stretch("within", 1, length))),
    "shift": _shift,
    "week": _week,
    "month": lambda match: TimeSpec(month=("rel", _LEVELS[match["level"]])),
    "quarter": _quarter,
    "year": lambda match: TimeSpec(year=("rel", _YEARS[match["level"]])),
    "lunar": _lunar,
    "new_year": lambda match: TimeSpec(
        lunar=(1, int(chinese_number(match["day"]) or 1)), holiday_name=match.group()
    ),
    "dotted": _date,
    "date": _date,
    "feast": _feast,
    "season": lambda match: TimeSpec(season=_SEASONS[match.group()[0]], season_name=match.group()),
    "edge": _edge,
    "weekday": _bare_weekday,
    "day_number": _day_number,
    "clock": _clock,
    "early": lambda match: TimeSpec(part="morning", part_name=match.group()),
    "short_part": lambda match: TimeSpec(
        part=_PART_OF[match.group()], part_name=_PART_WORD[match.group()]
    ),
    "part": lambda match: TimeSpec(part=_PART_OF[match.group()], part_name=match.group()),
    "until_now": lambda _: TimeSpec(until_now=True),
    "now": lambda _: TimeSpec(now=True),
    "tail": _edge_alone,
}
"""The builders by token name. A token without a builder only looks like a time and is skipped."""

STARTS = (
    "0123456789Qq〇一七万三上下不世两个中临之九乾事二五今从令以仨低佛俩倒假傍儿元先光入八六再农冬准凌几出刚初到前劳十午半去及双只同后听周和咸嘉四回国圣处复夏外多夜大天头女好如妇学宣寒寻将小少就岁崇差平年底康建廿开当往待很快情惊愚感慢"
    "打护按挨接提擦收改放教散数整方日旧早时明星春昨昭晌晏晚暑最月有朝期未末本来某植次正此母每民永没泼洪浴深清然父现琴生白百的目眼睡礼神离秋程稍空立端第等算翌老考而背腊至节芒若记许读谷贞赶起距跟跨迄过近还这连适透道那重长阴除随隔雍零霜青面饭高黄黑龙"
)
"""The first characters of all tokens (checked by a test). They make the search ten times faster."""


TOKENS = Tokens(PATTERNS, _READINGS, f"(?=[{STARTS}])")
