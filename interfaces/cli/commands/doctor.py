"""`historian doctor`: tests each configured part once and prints a remedy for each failure."""

from __future__ import annotations

from typing import Any

import typer
from rich.text import Text

from ..console import Cell, plain
from ..invocation import command
from ..language import duration, say
from ..shell import FAILED, Shell

MARKS = {
    "ok": ("✓", "bold green"),
    "warning": ("!", "bold yellow"),
    "failed": ("✗", "bold red"),
    "off": ("–", "dim"),
}


@command("doctor")
async def doctor(shell: Shell) -> None:
    """Try the disk, the database, the queue and every configured model."""
    from ....service.diagnosis import diagnose

    found = []
    async for result in diagnose(shell.settings, shell.directory):
        found.append(result.as_dict(say))
        if shell.json:
            shell.emit(**found[-1])
    failed = any(one["state"] == "failed" for one in found)
    if not shell.json:
        shell.table("|part|what was found|took", map(_cells, found), wide=2)
        shell.tell()
        shell.tell(
            "Something that is configured does not work: see → above."
            if failed
            else "Everything that is configured works."
        )
    if failed:
        raise typer.Exit(FAILED)


def _cells(one: dict[str, Any]) -> tuple[Cell, ...]:
    mark, style = MARKS[one["state"]]
    text = Text.assemble(
        plain(one["detail"]), (f"\n→ {plain(one['remedy'])}" if one["remedy"] else "", style)
    )
    return (
        Text(mark, style),
        Text(say(one["part"]), "bold"),
        text,
        Text(duration(one["seconds"]), "dim"),
    )
