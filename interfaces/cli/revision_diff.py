"""What changed between two revisions of a text, as a unified diff in colour."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from .console import plain
from .invocation import Shell
from .language import both, either

OlderOption = Annotated[
    int | None,
    typer.Option("--from", metavar="N", help=both("较旧的版本。", "The older revision."), show_default=False),
]
NewerOption = Annotated[
    int | None, typer.Option("--to", metavar="N", help=both("较新的版本。", "The newer one."), show_default=False)
]
RevisionArgument = Annotated[
    int, typer.Argument(metavar="REVISION", min=1, help=both("要退回到的版本。", "The revision to bring back."))
]

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def unified(older: Sequence[str], newer: Sequence[str], old: int, new: int) -> list[str]:
    """The lines of the diff; none where both say the same."""
    return list(difflib.unified_diff(older, newer, f"revision {old}", f"revision {new}", lineterm=""))


def print_diff(shell: Shell, lines: Sequence[str], old: int, new: int) -> None:
    """The diff for people."""
    if not lines and old == new:
        shell.say(either(f"只留着版本 {new}", f"revision {new} is the only one that is kept"))
    elif not lines:
        shell.say(either(f"版本 {old} 和 {new} 内容相同", f"revisions {old} and {new} say the same"))
    for line in lines:
        style = "bold" if line.startswith(("+++", "---")) else _STYLES.get(line[:1], "default")
        shell.out.print(Text(plain(line), style=style))
