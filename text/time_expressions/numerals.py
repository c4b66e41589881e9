"""Chinese and English numerals as they are written in dates, clock times and counts."""

from __future__ import annotations

_DIGITS = {
    "零": 0, "〇": 0, "○": 0, "一": 1, "二": 2, "两": 2, "俩": 2, "三": 3, "仨": 3, "四": 4, "五": 5, "六": 6, "七": 7,
    "八": 8, "九": 9, "元": 1,
}  # fmt: skip
_TENS = {"十": 10, "廿": 20, "卅": 30, "百": 100, "千": 1000, "万": 10000}

_ENGLISH_ONES = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_ENGLISH_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
                 "ninety": 90}  # fmt: skip
ENGLISH_CARDINALS: dict[str, int] = {
    **_ENGLISH_ONES,
    **_ENGLISH_TENS,
    **{f"{tens}-{one}": t + o for tens, t in _ENGLISH_TENS.items() for one, o in _ENGLISH_ONES.items() if 0 < o < 10},
}
"""Cardinals of one word ("seven", "twenty", "twenty-five"), 0 to 99."""

_ORDINAL_STEMS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
    "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
ENGLISH_ORDINALS: dict[str, int] = {
    **_ORDINAL_STEMS,
    **{f"{tens}-{one}": t + o for tens, t in (("twenty", 20), ("thirty", 30)) for one, o in _ORDINAL_STEMS.items()
       if o < 10},
    **{f"{n}{suffix}": n for n in range(1, 32) for suffix in ("st", "nd", "rd", "th")},
}  # fmt: skip
"""Ordinals of one word ("third", "twenty-first", "21st"), 1 to 31."""


def chinese_number(text: str) -> float | None:
    """The value of a Chinese or Arabic numeral: 三 = 3, 十五 = 15, 二十一 = 21, 一百二 = 120, 2.5, 半 = 0.5; else None.

    Digits that stand side by side without a multiplier read as positions: 二零二六 = 2026. Full-width digits count.
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
        value = 0
        for char in text:
            value = value * 10 + _DIGITS[char]
        return float(value)
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
