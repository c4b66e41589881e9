"""Differences of two texts: by words in colour, or by lines as a unified diff."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from rich.text import Text

from .console import plain

_TOKEN = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|\d+(?:[-:.]\d+)*|\s+|.", re.DOTALL)
"""The unit of a difference: a Latin word, a number or date, white space, or one character."""

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def changes(before: str, after: str) -> tuple[Text, Text]:
    """Return both texts, with removed parts in red and struck through, added parts in green."""
    old, new = _TOKEN.findall(plain(before)), _TOKEN.findall(plain(after))
    shown_old, shown_new = Text(), Text()
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        same = tag == "equal"
        shown_old.append("".join(old[i1:i2]), style="" if same else "red strike")
        shown_new.append("".join(new[j1:j2]), style="" if same else "bold green")
    return shown_old, shown_new


def unified(older: Sequence[str], newer: Sequence[str], old: int, new: int) -> list[str]:
    """Return the lines of the diff between two revisions; empty if they are equal."""
    return list(difflib.unified_diff(older, newer, f"revision {old}", f"revision {new}", lineterm=""))


def coloured(line: str) -> Text:
    """Return a line of a unified diff in its colour."""
    style = "bold" if line.startswith(("+++", "---")) else _STYLES.get(line[:1], "default")
    return Text(plain(line), style=style)
