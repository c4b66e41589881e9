"""Chinese and English numerals in dates, clock times and counts."""

from __future__ import annotations

from ..word_lists import word_tables

_DIGITS = dict(zip("零〇○一元二两俩三仨四五六七八九", (0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9), strict=True))
_TENS = {"十": 10, "廿": 20, "卅": 30, "百": 100, "千": 1000, "万": 10000}

_ENGLISH = word_tables("time_expressions/english/words.toml")
_ONES: dict[str, int] = {word: value for value, word in enumerate(_ENGLISH["cardinals"].split())}
_ENGLISH_TENS: dict[str, int] = {word: 10 * value for value, word in enumerate(_ENGLISH["tens"].split(), 2)}
_ORDINALS: dict[str, int] = {word: value for value, word in enumerate(_ENGLISH["ordinals"].split(), 1)} | {"thirtieth": 30}


def _joined(tens: dict[str, int], ones: dict[str, int]) -> dict[str, int]:
    """Return words such as "twenty-five" with their values."""
    return {f"{ten}-{one}": t + o for ten, t in tens.items() for one, o in ones.items() if 0 < o < 10}


ENGLISH_CARDINALS = _ONES | _ENGLISH_TENS | _joined(_ENGLISH_TENS, _ONES)
"""Cardinals of one word ("seven", "twenty", "twenty-five"), 0 to 99."""
ENGLISH_ORDINALS = _ORDINALS | _joined({"twenty": 20, "thirty": 30}, _ORDINALS)
ENGLISH_ORDINALS |= {f"{n}{suffix}": n for n in range(1, 32) for suffix in ("st", "nd", "rd", "th")}
"""Ordinals of one word ("third", "twenty-first", "21st"), 1 to 31."""


def chinese_number(text: str) -> float | None:
    """Return the value of a Chinese or Arabic numeral: 三 = 3, 十五 = 15, 一百二 = 120, 2.5, 半 = 0.5; else None.

    Adjacent digits without a multiplier are positional: 二零二六 = 2026. Full-width digits are accepted.
    """
    if not text:
        return None
    if text == "半":
        return 0.5
    if text[0].isdecimal():
        try:
            return float(text)
        except ValueError:
            return None
    if all(char in _DIGITS for char in text):
        return float("".join(str(_DIGITS[char]) for char in text))
    total, section, digit, last_unit = 0, 0, -1, 1
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
            if digit == 0:
                last_unit = 10
        elif char in _TENS:
            unit = _TENS[char]
            if unit == 10000:
                total, section, digit = (total + section + max(digit, 0)) * unit, 0, -1
            elif char in "廿卅":
                section, digit = section + unit, -1
                unit = 10
            else:
                section, digit = section + (1 if digit < 0 else digit) * unit, -1
            last_unit = unit
        else:
            return None
    if digit > 0:
        section += digit * (last_unit // 10 if last_unit >= 100 else 1)
    return float(total + section)
