"""`historian migrate`: summaries that a bot kept before, as records."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from .console import fields
from .invocation import FAILED, CommandFailed, Shell, command
from .opening import without_models
from .root import app
from .scopes import GroupOption, UserOption, scope_of

if TYPE_CHECKING:
    from ...service.migration import MigrationReport


@command(app, "migrate")
async def migrate(
    shell: Shell,
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="Old summaries, such as end_summaries.json.")],
    group: GroupOption = None,
    user: UserOption = None,
    rewrite: Annotated[
        bool, typer.Option("--rewrite", help="Let the historian rewrite them: as jobs in the queue.", show_default=False)
    ] = False,
) -> None:
    """Make records of summaries that a bot kept before.

    A list of {summary or text, timestamp, user_id, group_id, ...}, lists by conversation ({"g:7001": [...]}), or JSON lines.
    --group or --user names the conversation of entries that do not. They are filed by the rules at once, or with --rewrite
    by the historian, as `historian worker` gets to them. The same file again, also after a crash, changes nothing more.
    Entries that cannot be used are named with their number, and the status is 1.
    """
    from ...service.migration import Migration
    from ...service.parts import open_parts, open_queue

    if not shell.settings.cognitive.enabled:
        raise CommandFailed("memory is switched off (cognitive.enabled = false); switch it on to take summaries in")
    settings = without_models(shell.settings)
    parts = open_parts(settings, queue=open_queue(settings, time.time), clock=time.time)
    progress = Progress(
        TextColumn("taking in"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=shell.err,
        transient=True,
        disable=shell.json or not shell.err.is_terminal,
    )
    started = time.monotonic()
    try:
        with progress:
            task = progress.add_task("", total=None)
            report = await Migration(parts, settings, rewrite=rewrite, scope=scope_of(group, user)).run(
                file, on_progress=lambda done, total: progress.update(task, completed=done, total=total)
            )
    finally:
        await parts.aclose()
    _print(shell, file, report, time.monotonic() - started, rewrite=rewrite)
    if report.bad:
        raise typer.Exit(FAILED)


def _print(shell: Shell, file: Path, report: MigrationReport, seconds: float, *, rewrite: bool) -> None:
    for bad in report.bad:
        if shell.json:
            shell.emit(where=bad.where, error=bad.error)
        else:
            shell.err.print(f"{file}: {bad.where}: {bad.error}", soft_wrap=True, style="red")
    numbers = {"taken": report.taken, "known": report.known, "forgotten": report.forgotten, "bad": len(report.bad)}
    if shell.json:
        shell.emit(file=str(file), seconds=round(seconds, 3), **numbers)
        return
    rate = f"{report.taken / seconds:.0f}/s" if seconds > 0 else "-"
    shown = {name: str(count) for name, count in numbers.items() if count or name == "taken"}
    shell.out.print(fields({**shown, "time": f"{seconds:.1f} s ({rate})"}))
    if rewrite and report.taken:
        shell.say("\nThey wait in the queue; a running bot or `historian worker --drain` files them")
