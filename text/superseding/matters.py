"""What belongs to somebody's life, by words that hardly stand for anything else: home, work, pets."""

from __future__ import annotations

import re
from functools import cache

from ..remembered import remembered
from ..support import stem
from ..word_lists import word_tables

_WORD = re.compile(r"[^\W\d_㐀-鿿]+")


@remembered(4096)  # the same words come up in most jobs of a conversation
def matters_of(text: str) -> frozenset[str]:
    """Return the matters that words of a text stand for; empty if they stand for none.

    >>> sorted(matters_of("my new flat in Vienna")), sorted(matters_of("我的猫和房东"))
    (['home'], ['home', 'pet'])
    """
    folded = text.casefold()
    stems = frozenset(map(stem, _WORD.findall(folded)))
    return frozenset(
        matter for matter, chinese, english in _matters() if english & stems or any(word in folded for word in chinese)
    )


@cache
def _matters() -> list[tuple[str, list[str], frozenset[str]]]:
    """Return each matter with its Chinese words and the stems of its English ones."""
    tables = word_tables("superseding/matters.toml")
    return [
        (matter, tables["chinese"][matter].split(), frozenset(map(stem, words.split())))
        for matter, words in tables["english"].items()
    ]
