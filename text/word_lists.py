"""Word tables and patterns: short ones are strings in the code, long ones are TOML files beside it."""

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
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    content: dict[str, Any] = tomllib.loads(text)
    return content


_PIECE = re.compile(r"(?<!\?P)<(\w+)>")
"""A name in `<>`, not that of a group."""


def in_full(pattern: str | Sequence[str], pieces: Mapping[str, str]) -> str:
    """Return a regular expression that may be written in several lines, with the piece of each name in `<>`.

    >>> in_full(["in <N>", " <UNIT>s?"], {"N": "[0-9]+", "UNIT": "(?:day|week)"})
    'in [0-9]+ (?:day|week)s?'
    """
    return _PIECE.sub(lambda found: pieces.get(found[1], found[0]), "".join(pattern))


def in_pieces(table: Mapping[str, str | Sequence[str]], pieces: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return named regular expressions in full; each may hold `pieces` and those before it."""
    whole = dict(pieces or {})
    for name, pattern in table.items():
        whole[name] = in_full(pattern, whole)
    return whole


def alternatives(words: Mapping[str, str]) -> dict[str, str]:
    """Return for each list of words the regular expression that one of them matches."""
    return {name: "|".join(block.split()) for name, block in words.items()}


class Patterns:
    """Compiled patterns, each an attribute and an item by its name."""

    def __init__(self, patterns: Mapping[str, str]) -> None:
        vars(self).update((name, re.compile(pattern)) for name, pattern in patterns.items())

    def __getattr__(self, name: str) -> re.Pattern[str]:
        raise AttributeError(f"there is no pattern {name}")

    def __getitem__(self, name: str) -> re.Pattern[str]:
        return self.__getattribute__(name)  # type: ignore[no-any-return]


def compiled_patterns(tables: Mapping[str, Any]) -> Patterns:
    """Return the `[patterns]` of a TOML file, each with the `<name>`s in it in full.

    A name is that of a pattern before it, of one of the `[pieces]`, which only patterns hold, or of a list of `[words]`, one of
    which stands there.
    """
    patterns = {**tables.get("pieces", {}), **tables["patterns"]}
    whole = in_pieces(patterns, alternatives(tables.get("words", {})))
    return Patterns({name: whole[name] for name in tables["patterns"]})
