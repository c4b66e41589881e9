"""What a statement or question is about, of the matters of everyday life: home, work, food, pets."""

from __future__ import annotations

import re
from functools import cache

from ..remembered import remembered
from ..support import stem
from ..word_lists import word_tables

Matters = frozenset[str]
_HAN = re.compile(r"[㐀-鿿]+")
_WORD = re.compile(r"[^\W\d_㐀-鿿]+")
_LONGEST = 4
"""Characters of the longest Chinese word of the lists."""


@remembered(4096)  # the same facts come up in most recalls of a conversation
def matters_of(text: str) -> Matters:
    """Return the matters that words of a text stand for; empty if they stand for none.

    >>> sorted(matters_of("Ann moved to a flat in Vienna")), sorted(matters_of("请小雨吃饭要避开什么？"))
    (['home'], ['food'])
    """
    words, folded = _words(), text.casefold()
    found: set[str] = set()
    for run in () if folded.isascii() else _HAN.findall(folded):
        for first in range(len(run)):
            for last in range(first + 1, min(first + _LONGEST, len(run)) + 1):
                found.update(words.get(run[first:last], ()))
    before = ""
    for word in _WORD.findall(folded):
        found.update(words.get(f"{before}_{word}") or words.get(stem(word), ()))
        before = word
    return frozenset(found)


@cache
def _words() -> dict[str, tuple[str, ...]]:
    """Return the matters by word, other than Chinese words by stem."""
    made: dict[str, tuple[str, ...]] = {}
    for matter, lists in word_tables("superseding/matters.toml").items():
        english = (word if "_" in word else stem(word) for word in lists["english"].split())
        for word in (*lists["chinese"].split(), *english):
            if matter not in made.get(word, ()):
                made[word] = (*made.get(word, ()), matter)
    return made
