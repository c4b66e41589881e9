"""Differences of two texts: the lines of two revisions side by side."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from ...texts import Piece, words


@dataclass(frozen=True, slots=True)
class Row:
    """A line of two texts side by side; None where a text has no such line. `same` if both are equal."""

    left: Sequence[Piece] | None
    right: Sequence[Piece] | None
    same: bool = False


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
