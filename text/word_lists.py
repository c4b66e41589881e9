"""Readers of word tables and patterns. Short ones are strings in code, long ones TOML files."""

from __future__ import annotations

import re
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
    """Return {word: value} for a table of "value = words", or for a list of rows of words.

    The rows of a list get the values `first`, `first` + 1 and so on.

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
    """Return the tables of a TOML file in this package ("time_expressions/english/words.toml")."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    content: dict[str, Any] = tomllib.loads(text)
    return content


_PIECE = re.compile(r"(?<!\?P)<(\w+)>")
"""A name in `<>` that is not the name of a group."""


def in_full(pattern: str | Sequence[str], pieces: Mapping[str, str]) -> str:
    """Return a regular expression with its lines joined and each `<name>` replaced by its piece.

    >>> in_full(["in <N>", " <UNIT>s?"], {"N": "[0-9]+", "UNIT": "(?:day|week)"})
    'in [0-9]+ (?:day|week)s?'
    """
    return _PIECE.sub(lambda found: pieces.get(found[1], found[0]), "".join(pattern))


def in_pieces(
    table: Mapping[str, str | Sequence[str]], pieces: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return named regular expressions in full.

    Each may refer to `pieces` and to the expressions before it as `<name>`. The result contains the
    `pieces` too.
    """
    whole = dict(pieces or {})
    for name, pattern in table.items():
        whole[name] = in_full(pattern, whole)
    return whole


def alternatives(words: Mapping[str, str]) -> dict[str, str]:
    """Return, for each list of words, a regular expression that matches any of them."""
    return {name: "|".join(block.split()) for name, block in words.items()}


class Patterns:
    """Compiled patterns, available by name as attributes and as items."""

    def __init__(self, patterns: Mapping[str, str]) -> None:
        vars(self).update((name, re.compile(pattern)) for name, pattern in patterns.items())

    def __getattr__(self, name: str) -> re.Pattern[str]:
        raise AttributeError(f"there is no pattern {name}")

    def __getitem__(self, name: str) -> re.Pattern[str]:
        return self.__getattribute__(name)  # type: ignore[no-any-return]


def compiled_patterns(tables: Mapping[str, Any]) -> Patterns:
    """Return the `[patterns]` of a TOML file, with each `<name>` in them replaced.

    A name refers to an earlier pattern, to one of the `[pieces]` (parts of patterns), or to a list
    in `[words]`, of which any word matches.
    """
    patterns = {**tables.get("pieces", {}), **tables["patterns"]}
    whole = in_pieces(patterns, alternatives(tables.get("words", {})))
    return Patterns({name: whole[name] for name in tables["patterns"]})
