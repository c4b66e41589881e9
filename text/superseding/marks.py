"""The words, Chinese and English, by which statements say that something has changed, has ended or was never so.

They are data, in `marks.toml`, which says of each table what it marks, as are the patterns that take a statement apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

from ..word_lists import compiled_patterns, word_list, word_tables

_TABLES = word_tables("superseding/marks.toml")
HAN = re.compile(r"[㐀-鿿]")
_FIRST_LETTER = re.compile(r"[a-z](?![?*+{])")


def _any_of(table: Mapping[str, Sequence[str]]) -> str:
    """Return the pattern of a table: its `parts` anywhere, its `english` as whole words.

    `re` tries the pieces one after the other at each character. So those of one first letter stand behind it, and those
    that begin with a Chinese character behind a look at whether one is there: an English text is read in a quarter of the time.
    """
    pieces = [
        rf"(?=[㐀-鿿])(?i:{'|'.join(run)})" if is_chinese else rf"(?i:{'|'.join(run)})"
        for is_chinese, run in groupby(table.get("parts", ()), lambda piece: HAN.match(piece) is not None)
    ]
    letters: dict[str, list[str]] = {}
    for piece in table.get("english", ()):
        letter = found.group() if (found := _FIRST_LETTER.match(piece)) else ""
        letters.setdefault(letter, []).append(piece.removeprefix(letter))
    words = [
        rf"(?i:{'|'.join(rest)})" if not letter else f"[{letter}{letter.upper()}](?i:{'|'.join(rest)})"
        for letter, rest in letters.items()
    ]
    return "|".join([*pieces, *([rf"\b(?:{'|'.join(words)})\b"] if words else [])])


_MARKS = {name: _any_of(table) for name, table in _TABLES["marks"].items()}
MARKS = compiled_patterns({**_TABLES, "patterns": _MARKS | _TABLES["patterns"]})
ENDED_BY = tuple(tuple(re.compile("|".join(one[end]), re.IGNORECASE) for end in ("state", "end")) for one in _TABLES["ended_by"])
_ONE_VALUE = ("|".join(pieces).replace("<value>", "([^，,。;；]{1,24})") for pieces in _TABLES["one_value"].values())
ONE_VALUE = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _ONE_VALUE)
LIGHT = word_list(_TABLES["words"]["light"])
