"""Word borders in patterns, for every script with spaces between words.

`\\b` treats a Chinese character as a letter of an adjacent Latin word (我用Docker). A class of ASCII
letters splits "crème". Neither of them treats a combining accent as part of its letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .edits import edited

DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts without spaces between words: kana, Han, Hangul syllables, Thai, Lao, Burmese, Khmer."""
SIGNS = "\u0300-\u036f\u0900-\u0dff"
"""Combining accents and the vowel signs of Indic scripts: parts of words, but not for `re`."""
LETTER = rf"(?:[^\W{DENSE}]|[{SIGNS}])"
"""One letter, digit or underscore of a word, or a sign on it."""
BEGINS, ENDS = rf"(?<!{LETTER})", rf"(?!{LETTER})"
"""Assertions that no letter of a word precedes, and that none follows."""
IN_WORD = re.compile(LETTER)
_LATIN = [chr(code) for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))]
UPPER = "A-Z" + "".join(one for one in _LATIN if one.isupper())
LOWER = "a-z" + "".join(one for one in _LATIN if one.islower()) + SIGNS
"""Latin letters, also with accents (José, Łukasz), for use in a character class."""


def in_word(character: str) -> bool:
    """Return True for a letter, digit or sign of a script with spaces between words; else False."""
    return IN_WORD.match(character) is not None


def whole_word(name: str) -> str:
    """Return a pattern that matches a name as a whole word.

    A Chinese character beside a Latin name is a word border.

    >>> [bool(re.search(whole_word("Ann"), text)) for text in ("Ann的猫", "Anné", "Anna")]
    [True, False, False]
    """
    return (
        f"{BEGINS if in_word(name[0]) else ''}{re.escape(name)}{ENDS if in_word(name[-1]) else ''}"
    )


def begins_with(text: str, name: str, at: int = 0) -> bool:
    """Return True if `name` is at `at` as a whole word: "Ann" in "Ann's cat", not in "Anna"."""
    end = at + len(name)
    return (
        bool(name)
        and text.startswith(name, at)
        and not (in_word(name[-1]) and in_word(text[end : end + 1]))
    )


_DATE = re.compile(r"\d{4}[-年/]")


def places_of(text: str, names: Iterable[str]) -> list[tuple[int, int]]:
    """Return the spans in which one of the names occurs as a whole word, in order.

    If names overlap, the first one counts; of names with the same start, the longest. A date may
    follow without a space (Undefined2026-02-20).

    >>> places_of("Ann Lee met Ann and Anna", ["Ann", "Ann Lee"])
    [(0, 7), (12, 15)]
    """
    found: list[tuple[int, int]] = []
    for name in {one for one in names if one and one in text}:
        begins, ends = in_word(name[0]), in_word(name[-1])
        start = text.find(name)
        while start >= 0:
            end = start + len(name)
            if not (begins and in_word(text[max(start - 1, 0) : start])) and (
                not (ends and in_word(text[end : end + 1])) or _DATE.match(text, end)
            ):
                found.append((start, end))
            start = text.find(name, start + 1)
    kept: list[tuple[int, int]] = []
    for start, end in sorted(found, key=lambda one: (one[0], -one[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def without_names(text: str, names: Iterable[str], put: str = " ") -> str:
    """Return a text with a space (or `put`) in place of each of the names.

    >>> without_names("Ann met Anna", ["Ann"])
    '  met Anna'
    """
    return edited(text, ((start, end, put) for start, end in places_of(text, names)))


def names_one(text: str, names: Iterable[str], *, folded: bool = False) -> bool:
    """Return True if a text has one of the names as a whole word; with `folded`, in any case."""
    if folded:
        text, names = text.casefold(), map(str.casefold, names)
    return bool(places_of(text, names))
