"""Values of Chinese and English numerals."""

from __future__ import annotations

from ..word_lists import by_word, word_tables

CHINESE_DIGITS: dict[str, int] = by_word(
    ["零 〇 ○", "一 壹", "二 两 兩 俩 贰", "三 仨 叁", *"四五六七八九"]
)
_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_WHOLE_TENS = {"廿": 20, "卅": 30}

_ENGLISH = word_tables("time_expressions/english/words.toml")
_ONES: dict[str, int] = by_word(_ENGLISH["cardinals"].split())
_ENGLISH_TENS: dict[str, int] = {
    word: 10 * value for value, word in enumerate(_ENGLISH["tens"].split(), 2)
}
SIMPLE_CARDINALS = _ONES | _ENGLISH_TENS
"""Cardinals that are not composed of others ("seven", "twelve", "twenty")."""
SIMPLE_ORDINALS: dict[str, int] = by_word(_ENGLISH["ordinals"].split(), 1) | {"thirtieth": 30}


def _joined(tens: dict[str, int], ones: dict[str, int]) -> dict[str, int]:
    """Return words such as "twenty-five" with their values."""
    return {
        f"{ten}-{one}": t + o for ten, t in tens.items() for one, o in ones.items() if 0 < o < 10
    }


ENGLISH_CARDINALS = SIMPLE_CARDINALS | _joined(_ENGLISH_TENS, _ONES)
"""Cardinals of one word ("seven", "twenty", "twenty-five"), 0 to 99."""
ENGLISH_ORDINALS = SIMPLE_ORDINALS | _joined({"twenty": 20, "thirty": 30}, SIMPLE_ORDINALS)
ENGLISH_ORDINALS |= {f"{n}{suffix}": n for n in range(1, 32) for suffix in ("st", "nd", "rd", "th")}
"""Ordinals of one word ("third", "twenty-first", "21st"), 1 to 31."""


def chinese_number(text: str) -> float | None:
    """Return the value of a Chinese or Arabic numeral, or None for another text.

    三 = 3, 十五 = 15, 一百二 = 120, 半 = 0.5. See `chinese_integer`. Full-width digits are accepted.
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
    value = chinese_integer(text)
    return None if value is None else float(value)


def chinese_integer(run: str) -> int | None:
    """Return the value of a run of Chinese numerals (两万三 = 23000), or None for another text.

    Digits without a multiplier are positional: 二零二六 = 2026.
    """
    if all(character in CHINESE_DIGITS for character in run):
        return int("".join(str(CHINESE_DIGITS[character]) for character in run))
    total = section = number = 0
    last_scale = 1
    for character in run:
        scale = _SCALES.get(character, 0)
        if character in CHINESE_DIGITS:
            number = CHINESE_DIGITS[character]
            last_scale = last_scale if number else 10
        elif character in _WHOLE_TENS:
            section, number, last_scale = section + _WHOLE_TENS[character], 0, 10
        elif not scale:
            return None
        elif scale < 10**4:
            section, number, last_scale = section + (number or 1) * scale, 0, scale
        else:
            total, section, number, last_scale = (
                (total + section + number or 1) * scale,
                0,
                0,
                scale,
            )
    # 两万三 and 三百五 omit the last scale, which is a tenth of the one before
    return total + section + number * (last_scale // 10 if last_scale >= 100 else 1)
