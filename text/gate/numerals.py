"""Values of numerals: Chinese (两万三, 二〇二六), digits with Chinese or Latin scales (2.3万, 3k), English words."""

from __future__ import annotations

import re
from decimal import Decimal
from math import prod

from ..time_expressions.numerals import CHINESE_DIGITS, SIMPLE_CARDINALS, SIMPLE_ORDINALS, chinese_integer

CHINESE_NUMERAL = "零〇一二两兩三四五六七八九十百千万萬亿億廿卅"

_LATIN_SCALES = {"k": 10**3, "w": 10**4, "m": 10**6, "b": 10**9}
_SCALE_WORDS = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "dozen": 12, "dozens": 12}
_ORDINALS = {word: value for word, value in SIMPLE_ORDINALS.items() if value <= 15}
"""Higher ones are mostly days, whose year may follow in words: "the eighteenth twenty twenty-four" is no sum."""
_WORDS = {**SIMPLE_CARDINALS, "once": 1, "twice": 2, "thrice": 3, **_ORDINALS}
ENGLISH_NUMERAL_WORDS: frozenset[str] = frozenset(_WORDS) | frozenset(_SCALE_WORDS)
UNCERTAIN_ENGLISH_WORDS: frozenset[str] = frozenset(("one", "once", "zero", *_ORDINALS))
"""Words that are often not numbers (a second, at once, one of them): they can confirm a value but are never reported."""


def chinese_values(run: str) -> frozenset[Decimal]:
    """Return the possible values of a run of Chinese numeral characters.

    二十三 is 23, 两万三 is 23000, 二〇二六 is 2026; 三四 (three or four) is any of 3, 4 and 34.
    """
    run = run[:40]
    value = Decimal(chinese_integer(run) or 0)
    digits = [CHINESE_DIGITS.get(character) for character in run]
    return frozenset((value,) if None in digits else (value, *(Decimal(digit) for digit in digits if digit is not None)))


def figure_values(figures: str, scale: str) -> frozenset[Decimal]:
    """Return the values of `figures` ("1,200", "2.3", "007") with a `scale` ("万", "k", "million", "" for none)."""
    value = Decimal(figures.replace(",", "").replace("，", ""))
    if not scale:
        return frozenset((value,))
    lowered = scale.casefold()
    if lowered in _LATIN_SCALES:
        return frozenset((value, value * _LATIN_SCALES[lowered]))
    if lowered in _SCALE_WORDS:
        return frozenset((value * _SCALE_WORDS[lowered],))
    return frozenset((value * prod(chinese_integer(character) or 1 for character in scale),))


def english_values(run: str) -> frozenset[Decimal]:
    """Return the values of English number words: "twenty-five", "two hundred and fifty", "a dozen", "half a dozen"."""
    words = re.findall(r"[a-z]+", run.casefold())[:40]
    total = current = 0
    for word in words:
        if word in _WORDS:
            current += _WORDS[word]
        elif word in ("hundred", "dozen", "dozens"):
            current = (current or 1) * _SCALE_WORDS[word]
        elif word in _SCALE_WORDS:
            total += (current or 1) * _SCALE_WORDS[word]
            current = 0
    value = Decimal(total + current)
    if "half" in words:
        return frozenset((value, value / 2))
    return frozenset((value,))
