"""Differences of two texts: the words of one line, and the lines of two revisions side by side."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

_TOKEN = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|\d+(?:[-:.]\d+)*|\s+|.", re.DOTALL)
"""The unit of a difference: a Latin word, a number or date, white space, or one character."""

LONGEST = 4_000
"""Characters up to which words are compared; longer lines are shown as changed altogether."""

Piece = tuple[bool, str]
"""(True if only this text has it, the words)."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of two texts side by side; None where a text has no such line. `same` if both are equal."""

    left: Sequence[Piece] | None
    right: Sequence[Piece] | None
    same: bool = False


def words(before: str, after: str) -> tuple[list[Piece], list[Piece]]:
    """Return both texts in pieces, each marked if the other text does not have it.

    >>> words("likes tea", "likes coffee")
    ([(False, 'likes '), (True, 'tea')], [(False, 'likes '), (True, 'coffee')])
    """
    if len(before) + len(after) > LONGEST:
        return [(before != after, before)], [(before != after, after)]
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        left += [(tag != "equal", "".join(old[i1:i2]))] if i2 > i1 else []
        right += [(tag != "equal", "".join(new[j1:j2]))] if j2 > j1 else []
    return left, right


def side_by_side(older: Sequence[str], newer: Sequence[str]) -> list[Row]:
    """Return the lines of two texts as rows: equal ones beside each other, then what stands in their place."""
    rows: list[Row] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, older, newer, autojunk=False).get_opcodes():
        for left, right in zip_longest(older[i1:i2], newer[j1:j2]):
            if tag == "equal":
                rows.append(Row([(False, left)], [(False, right)], same=True))
            elif left is None or right is None:
                rows.append(Row(None if left is None else [(True, left)], None if right is None else [(True, right)]))
            else:
                rows.append(Row(*words(left, right)))
    return rows
