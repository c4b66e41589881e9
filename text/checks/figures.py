"""Numbers in texts: digits, Chinese numerals and number words, with their values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ..remembered import remembered
from ..time_expressions.english.lexicon import MONTHS
from ..time_expressions.numerals import SIMPLE_CARDINALS, SIMPLE_ORDINALS, chinese_integer
from ..word_lists import compiled_patterns, word_list, word_tables

_TABLES = word_tables("checks/supported.toml")
_RE = compiled_patterns(_TABLES)
NUMERALS = "零〇一二两兩三四五六七八九十百千万萬亿億廿卅俩仨"
SCALES = {"hundred": 100, "thousand": 1000, "k": 1000, "w": 10_000, "million": 10**6}
NUMBER_WORDS = SIMPLE_CARDINALS | SIMPLE_ORDINALS | MONTHS | {"once": 1, "twice": 2, "dozen": 12}
_BY_LENGTH = sorted((*NUMBER_WORDS, "hundred", "thousand", "million"), key=len, reverse=True)
_WORD = rf"\b(?:{'|'.join(_BY_LENGTH)})\b"
_FIGURE = re.compile(
    r"(?P<digits>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)*)"
    r"(?P<scale> ?[百千万萬亿億]+|[kKwW](?![a-zA-Z0-9])|(?i: ?(?:hundred|thousand|million))\b)?"
    rf"|(?P<chinese>[{NUMERALS}]+)|(?P<words>(?i:{_WORD}(?:(?:-| and | ){_WORD})*))"
)
_UNCERTAIN_WORDS = word_list("may mar second")
_UNCERTAIN_VALUES = frozenset(("0", "1"))
"""Values of words that are often no numbers (一个, "once"): they may confirm a number, and are never
reported as missing."""


def figures(text: str, *, uncertain: bool = False) -> dict[str, str]:
    """Return the numbers of a text as {value: wording}; the parts of dates and times are numbers.

    With `uncertain`, words that may be no numbers ("may", the 一 of 一个) are included.

    >>> figures("2026年2月20日, 2.3万"), figures("two cats, 20 March")
    ({'2026': '2026', '2': '2', '20': '20', '23000': '2.3万'}, {'2': 'two', '20': '20', '3': 'March'})
    """
    found: dict[str, str] = {}
    for match in _FIGURE.finditer(unicodedata.normalize("NFKC", text.replace("百分之", " "))):
        if uncertain or match.group().casefold() not in _UNCERTAIN_WORDS:
            found.update(dict.fromkeys(_values(match, uncertain), match.group().strip()))
    for n in () if uncertain else _UNCERTAIN_VALUES:
        found.pop(n, None)
    return found


@remembered(32)
def known_values(text: str) -> set[str]:
    """Return the values that a text confirms.

    These are its numbers, its hours in the 12- and the 24-hour clock, and halves and quarters of
    hours in minutes.
    """
    plain = unicodedata.normalize("NFKC", text)
    hours = [hour.group().casefold() for hour in _RE.hour.finditer(plain)]
    values = {int(n) for hour in hours for n in figures(hour, uncertain=True) if n.isdecimal()}
    known = {str((n + 12) % 24 or 24) for n in values if n <= 24}
    minutes, all_hours = _TABLES["minutes"].items(), "\n".join(hours)
    known |= {n for n, word in minutes if re.search(word, all_hours)}
    return known | figures(text, uncertain=True).keys()


def _values(match: re.Match[str], uncertain: bool) -> Iterable[str]:
    if match["digits"]:
        whole, _, rest = match["digits"].replace(",", "").partition(".")
        if "." in rest and len(whole) < 4:  # a version
            return (f"{whole}.{rest}",)
        if "." in rest or len(whole) > 15:  # a date, an id
            return [part.lstrip("0") or "0" for part in (whole, *rest.split(".")) if part]
        scale, number = (match["scale"] or "").strip().casefold(), float(f"{whole}.{rest or 0}")
        scaled = number * (SCALES.get(scale) or chinese_integer(scale or "一") or 1)
        return tuple(f"{one:.10g}" for one in ((scaled, number) if uncertain else (scaled,)))
    if match["chinese"]:
        run = match["chinese"][:40]
        is_range = len(run) == 2 and chinese_integer(run[1]) == (chinese_integer(run[0]) or 0) + 1
        return [str(chinese_integer(one) or 0) for one in (run if is_range else [run])]  # 三四个
    total = current = 0
    words = re.findall(r"[a-z]+", match["words"].casefold())[:40]
    for word in words:
        scale = SCALES.get(word, 0)
        if scale > 100:
            total, current = total + (current or 1) * scale, 0
        else:
            current = (current or 1) * scale if scale else current + NUMBER_WORDS.get(word, 0)
    each_word = (str(NUMBER_WORDS[one]) for one in words if one in NUMBER_WORDS)
    return (str(total + current), *(each_word if uncertain else ()))
