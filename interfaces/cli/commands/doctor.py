"""`historian doctor`: uses every configured part once and prints a remedy for each failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.text import Text

from ..console import Cell, plain
from ..invocation import FAILED, Shell, command
from ..language import duration, say

if TYPE_CHECKING:
    from ....service.diagnosis import Result

MARKS = {"ok": ("✓", "bold green"), "warning": ("!", "bold yellow"), "failed": ("✗", "bold red"), "off": ("–", "dim")}


@command("doctor")
async def doctor(shell: Shell) -> None:
    """Try the disk, the database, the queue and every configured model."""
    from ....service.diagnosis import diagnose

    results = []
    async for result in diagnose(shell.settings, shell.directory):
        results.append(result)
        if shell.json:
            detail, remedy = _said(result)
            state, seconds = result.found.state, result.seconds
            shell.emit(part=result.part, state=state, detail=detail, remedy=remedy, seconds=seconds)
    failed = any(result.found.state == "failed" for result in results)
    if not shell.json:
        shell.table("|part|what was found|took", map(_cells, results), wide=2)
        shell.tell()
        shell.tell(
            "Something that is configured does not work: see → above." if failed else "Everything that is configured works."
        )
    if failed:
        raise typer.Exit(FAILED)


def _said(result: Result) -> tuple[str, str]:
    found = result.found
    return say(found.detail, **found.values), say(found.remedy, **found.values) if found.remedy else ""


def _cells(result: Result) -> tuple[Cell, ...]:
    mark, style = MARKS[result.found.state]
    detail, remedy = _said(result)
    text = Text.assemble(plain(detail), (f"\n→ {plain(remedy)}" if remedy else "", style))
    return Text(mark, style), Text(say(result.part), "bold"), text, Text(duration(result.seconds), "dim")
