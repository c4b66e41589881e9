"""What changed between two texts, in colour."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from rich.text import Text

from .console import plain

_TOKEN = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|\d+(?:[-:.]\d+)*|\s+|.", re.DOTALL)
"""A Latin word, a number or date, white space, or one character: what changes as a whole."""


def changes(before: str, after: str) -> tuple[Text, Text]:
    """Both texts: what went in red and struck through, what came in green."""
    old, new = _TOKEN.findall(plain(before)), _TOKEN.findall(plain(after))
    shown_old, shown_new = Text(), Text()
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        same = tag == "equal"
        shown_old.append("".join(old[i1:i2]), style="" if same else "red strike")
        shown_new.append("".join(new[j1:j2]), style="" if same else "bold green")
    return shown_old, shown_new
