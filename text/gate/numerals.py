"""Values of numerals: Chinese (两万三, 二〇二六), digits with Chinese or Latin scales (2.3万, 3k), English words."""

from __future__ import annotations

import re
from decimal import Decimal

_DIGITS = {
    "零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    "俩": 2, "仨": 3, "壹": 1, "贰": 2, "叁": 3,
}  # fmt: skip
_SMALL_SCALES = {"十": 10, "百": 100, "千": 1000, "廿": 20, "卅": 30}
_GREAT_SCALES = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
CHINESE_NUMERAL = "零〇一二两兩三四五六七八九十百千万萬亿億廿卅"

_LATIN_SCALES = {"k": 10**3, "w": 10**4, "m": 10**6, "b": 10**9}
_SCALE_WORDS = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "dozen": 12, "dozens": 12}
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15,
}  # fmt: skip
_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90, "once": 1, "twice": 2, "thrice": 3, **_ORDINALS,
}  # fmt: skip
ENGLISH_NUMERAL_WORDS: frozenset[str] = frozenset(_WORDS) | frozenset(_SCALE_WORDS)
UNCERTAIN_ENGLISH_WORDS: frozenset[str] = frozenset(("one", "once", "zero", *_ORDINALS))
"""Words that are often not numbers (a second, at once, one of them): they can confirm a value but are never reported."""


def chinese_values(run: str) -> frozenset[Decimal]:
    """Return the possible values of a run of Chinese numeral characters.

    二十三 is 23, 两万三 is 23000, 二〇二六 is 2026; 三四 (three or four) is any of 3, 4 and 34.
    """
    if all(character in _DIGITS for character in run):
        digits = [_DIGITS[character] for character in run]
        if len(digits) == 1:
            return frozenset((Decimal(digits[0]),))
        whole = Decimal("".join(map(str, digits))) if len(digits) <= 40 else Decimal(0)
        return frozenset((whole, *map(Decimal, digits)))
    total = section = number = 0
    last_scale = 1
    for character in run[:40]:
        if character in _DIGITS:
            number = _DIGITS[character]
            if character in "零〇":
                last_scale = 10
        elif character in _SMALL_SCALES:
            scale = _SMALL_SCALES[character]
            if scale in (20, 30):
                section += scale
                last_scale = 10
            else:
                section += (number or 1) * scale
                last_scale = scale
            number = 0
        else:
            scale = _GREAT_SCALES[character]
            total = (total + section + number or 1) * scale
            section = number = 0
            last_scale = scale
    # 两万三 and 三百五 omit the last scale, which is a tenth of the previous one.
    values = {Decimal(total + section + number)}
    if number and last_scale >= 100:
        values.add(Decimal(total + section + number * last_scale // 10))
        values.discard(Decimal(total + section + number))
    return frozenset(values)


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
    factor = Decimal(1)
    for character in scale:
        factor *= _GREAT_SCALES.get(character) or _SMALL_SCALES.get(character, 1)
    return frozenset((value * factor,))


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
