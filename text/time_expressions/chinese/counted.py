"""Chinese counts of time (三天前, 未来一周): the builders of readings for lengths and offsets."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ...word_lists import by_word, in_full, in_pieces, word_tables
from ..engine import Builder
from ..numerals import chinese_number
from ..reading import Amount, Offset, Ordinal, Stretch, TimeSpec, Unit, amount

UNITS: dict[str, Unit] = by_word(word_tables("time_expressions/chinese/words.toml")["units"])
WRITTEN = word_tables("time_expressions/chinese/tokens.toml")
PIECES = in_pieces(WRITTEN["pieces"])


def length_of(text: str) -> Amount | None:
    """Return a length of time (两个半小时, 1年3个月), or None if it is approximate."""
    total: Amount | None = None
    for match in _LENGTH_PARTS.finditer(text):
        count = chinese_number(match["n"])
        if count is None or _GUESS_ALONE.fullmatch(match["n"]):
            return None
        count += 0.5 if match["half"] or match["tail"] else 0.0
        unit = match["unit"].lstrip("个")
        part = amount(15 * count, "minute") if unit == "刻钟" else amount(count, UNITS[unit])
        total = part if total is None else total.plus(part)
    return total


_GUESS_ALONE = re.compile(PIECES["GUESS"])
_LENGTH_PARTS = re.compile(
    in_full("(?P<n><N>)[ ]?(?:(?P<half>个半)|多?个?)[ ]?(?P<unit><UNIT>)(?P<tail>半)?", PIECES)
)


def stretch_of(sign: int, length: Amount) -> TimeSpec:
    return TimeSpec(stretch=Stretch("past" if sign < 0 else "next", sign, length))


def with_length(build: Callable[[re.Match[str], Amount], TimeSpec | None]) -> Builder:
    """Return a builder that calls `build` with the length of time in its match.

    The builder returns None if the length is no number.
    """

    def built(match: re.Match[str]) -> TimeSpec | None:
        length = length_of(match["length"])
        return build(match, length) if length is not None else None

    return built


def offset_of(match: re.Match[str], length: Amount) -> TimeSpec:
    approximate = bool(match["more"]) or "多" in match["length"]
    return TimeSpec(
        offset=Offset(-1 if match["direction"] == "前" else 1, length, approximate=approximate)
    )


def directed(match: re.Match[str], length: Amount) -> TimeSpec:
    sign = -1 if match["direction"] in ("过去", "最近", "近", "之前", "往前") else 1
    return (
        TimeSpec(stretch=Stretch("aligned", sign, length))
        if length.unit == "quarter"
        else stretch_of(sign, length)
    )


def counted(match: re.Match[str]) -> TimeSpec | None:
    """Return a reading that is counted from the time before it: 前两天, 的前一天, 后第三天, 前夜."""
    length = (
        length_of(match["length"])
        if match["length"]
        else amount(chinese_number(match["nth"] or "一") or 1, "day")
    )
    if length is None:
        return None
    night = match.group()[-1] in "夜夕晚"
    sign = -1 if match["sign"] == "前" else 1
    offset = Offset(
        sign,
        replace(length, unit="day") if night else length,
        TimeSpec(),
        approximate=bool(match["length"]),
    )
    return TimeSpec(
        offset=offset, part="evening" if night else None, part_name="晚上" if night else None
    )


def is_counted_on(reading: TimeSpec) -> bool:
    """Return True for a reading that is counted from the time before it in the text."""
    return (
        reading.offset is not None
        and reading.offset.base is not None
        and not reading.offset.base.slots
    )


COUNTED_ON = Offset(1, amount(1, "day"), TimeSpec())


def front(match: re.Match[str], length: Amount) -> TimeSpec | None:
    word = match["direction"]
    if length.count != int(length.count):
        return None
    if "最" in word or word == "头":
        return TimeSpec(
            ordinal=Ordinal(int(length.count), length.unit, "first" if word == "头" else "last")
        )
    return stretch_of(-1 if word == "前" else 1, length)
