"""Replacement of spans of a text."""

from __future__ import annotations

from collections.abc import Iterable

Edit = tuple[int, int, str]
"""Start, end (exclusive) and replacement of a span."""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with `edits` applied; they must be in order and must not overlap.

    >>> edited("Tom said he came", [(0, 3, "Ann"), (9, 11, "Tom")])
    'Ann said Tom came'
    """
    pieces: list[str] = []
    position = 0
    for start, end, new in edits:
        pieces += (text[position:start], new)
        position = end
    return "".join((*pieces, text[position:]))
