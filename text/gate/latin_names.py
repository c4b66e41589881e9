"""Latin names of a text (Rust, RTX 4090, report_v2.pdf, Oslo) and their lookup in other texts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..borders import LOWER, UPPER
from ..remembered import remembered
from ..word_lists import word_list

_LETTER = UPPER + LOWER
_TOKEN = re.compile(rf"[{_LETTER}0-9_](?:[{_LETTER}0-9_#+]|[.\-&/@](?=[{_LETTER}0-9_]))*")
_WORD = re.compile(rf"[{_LETTER}]+|\d+")
_HAS_LETTER = re.compile(rf"[{_LETTER}]")
_NUMBER_WITH_UNIT = re.compile(rf"\d[\d.,:/\-]*(?:[{_LETTER}]{{1,4}}|[{_LETTER}]{{1,3}}/[{_LETTER}]{{1,2}})?$")
_SENTENCE_END = re.compile(r"[.!?。！？;；:：\n]['\"”’)\]]*\s*$|^\s*$|[•\-*]\s+$|['\"“‘「『《(（\[]$")

# Abbreviations that a rewrite may add or drop without changing the meaning.
_FREE = word_list(
    "id ids qq app ok vs ai bot am pm usd eur gbp cny rmb jpy kg km cm mm gb mb kb tb hz min sec hr etc aka uid nickname "
    "name user group utc gmt cst"
)
# Capitalised words that are not names.
_CAPITALISED_WORDS = word_list(
    "I Mr Mrs Ms Dr Sir Madam January February March April May June July August September October November December "
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue "
    "Wed Thu Fri Sat Sun"
)


@dataclass(frozen=True, slots=True)
class LatinName:
    """A word in Latin letters. `certain` is True if capitals or digits mark it as a name; otherwise it may be a loan word."""

    start: int
    end: int
    text: str
    certain: bool


@remembered(256)
def latin_names(text: str, language: str) -> tuple[LatinName, ...]:
    """Return the Latin names of `text` in order.

    In Chinese text every Latin word counts (certain if it has a capital or a digit). In English text a word counts if it
    has a capital inside a sentence, a second capital, or letters mixed with digits; the first word of a sentence is
    skipped because it is always capitalised.
    """
    found: list[LatinName] = []
    for match in _TOKEN.finditer(text):
        word = match.group()
        if not _HAS_LETTER.search(word) or _NUMBER_WITH_UNIT.match(word):
            continue
        start, end = match.span()
        shaped = "_" in word or any(letter.isupper() or letter.isdigit() for letter in word[1:]) or word[0].isdigit()
        if language == "zh" and word != "I":
            found.append(LatinName(start, end, word, shaped or word[0].isupper()))
        elif word not in _CAPITALISED_WORDS and (shaped or (word[0].isupper() and not _opens_sentence(text, start))):
            found.append(LatinName(start, end, word, True))
    return tuple(found)


def _opens_sentence(text: str, start: int) -> bool:
    return _SENTENCE_END.search(text[max(0, start - 8) : start]) is not None


def is_free(word: str) -> bool:
    """Return True if `word` is an abbreviation or a unit that a rewrite may add or drop."""
    return word.casefold() in _FREE


@remembered(512)
def word_stream(text: str) -> str:
    """Return the Latin words and digits of `text` in lower case, separated by NUL for whole-word lookup."""
    return "\0" + "\0".join(map(str.casefold, _WORD.findall(text))) + "\0"


_PARTS = 8
"""Parts of a name that are compared."""


def stands_in(word: str, streams: tuple[str, ...]) -> bool:
    """Return True if one of the `streams` contains `word`, however its parts are joined (RTX4090, RTX 4090).

    A plural or possessive "s" is ignored.
    """
    parts = [part.casefold() for part in _WORD.findall(word)][:_PARTS]
    needle = "\0".join(parts)
    held = [_runs(stream, len(parts)) for stream in streams]
    if any(needle in runs for runs in held):
        return True
    if needle.endswith("s") and len(needle) > 3:
        return any(needle[:-1] in runs for runs in held)
    return len(needle) > 2 and any(f"{needle}s" in runs for runs in held)


@remembered(64)
def _runs(stream: str, size: int) -> frozenset[str]:
    """Return every run of so many consecutive words of a stream."""
    words = stream[1:-1].split("\0")
    return frozenset("\0".join(words[at : at + size]) for at in range(len(words) - size + 1))
