"""Differences of two texts in colour: by words, or the lines of a unified diff."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ..texts import Piece, words
from .console import plain

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def changes(before: str, after: str) -> tuple[Text, Text]:
    """Return both texts, with removed parts in red and struck through, added parts in green."""
    old, new = words(plain(before), plain(after))
    return _shown(old, "red strike"), _shown(new, "bold green")


def _shown(pieces: Sequence[Piece], style: str) -> Text:
    return Text.assemble(*((text, style if is_own else "") for is_own, text in pieces))


def coloured(line: str) -> Text:
    """Return a line of a unified diff in its colour."""
    style = "bold" if line.startswith(("+++", "---")) else _STYLES.get(line[:1], "default")
    return Text(plain(line), style=style)
