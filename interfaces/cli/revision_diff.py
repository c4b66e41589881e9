"""What changed between two revisions of a text, as a unified diff in colour."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from rich.text import Text

from .console import plain
from .invocation import Shell

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def unified(older: Sequence[str], newer: Sequence[str], old: int, new: int) -> list[str]:
    """The lines of the diff; none where both say the same."""
    return list(difflib.unified_diff(older, newer, f"revision {old}", f"revision {new}", lineterm=""))


def print_diff(shell: Shell, lines: Sequence[str], old: int, new: int) -> None:
    """The diff for people."""
    if not lines and old == new:
        shell.say(f"revision {new} is the only one that is kept")
    elif not lines:
        shell.say(f"revisions {old} and {new} say the same")
    for line in lines:
        style = "bold" if line.startswith(("+++", "---")) else _STYLES.get(line[:1], "default")
        shell.out.print(Text(plain(line), style=style))
