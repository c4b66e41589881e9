"""Word tables: short ones are strings in the code, long ones are TOML files beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any


def word_list(block: str) -> frozenset[str]:
    """Return the words of `block`, separated by white space."""
    return frozenset(block.split())


def phrase_list(block: str) -> list[tuple[str, ...]]:
    """Return the phrases of `block`, separated by commas, each split into its words."""
    return [tuple(phrase.split()) for phrase in block.split(",")]


def by_word(table: Mapping[str, str] | Sequence[str], first: int = 0) -> dict[str, Any]:
    """Return {word: value} for a table of "value = words", or of a list of words whose values count up from `first`.

    >>> by_word({"morning": "morning mornin", "-1": "yesterday"})
    {'morning': 'morning', 'mornin': 'morning', 'yesterday': -1}
    >>> by_word(["monday mon", "tuesday"])
    {'monday': 0, 'mon': 0, 'tuesday': 1}
    """
    rows = table.items() if isinstance(table, Mapping) else enumerate(table, first)
    return {word: _value(value) for value, words in rows for word in words.split()}


def _value(key: str | int) -> str | int:
    return int(key) if isinstance(key, str) and key.removeprefix("-").isdecimal() else key


@cache
def word_tables(name: str) -> dict[str, Any]:
    """Return the tables of a TOML file of this package, such as "time_expressions/english/words.toml"."""
    content: dict[str, Any] = tomllib.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))
    return content
