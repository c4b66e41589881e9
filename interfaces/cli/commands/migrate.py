"""`historian migrate`: summaries that a bot kept before, as events."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from ..invocation import FAILED, Shell, command
from ..language import later, say
from ..opening import opened_parts, without_models
from ..scopes import GroupOption, UserOption, scope_of

if TYPE_CHECKING:
    from ....service.entity_data.migration import MigrationReport


@command("migrate")
async def migrate(
    shell: Shell,
    file: Annotated[Path, Argument(metavar="FILE.json", help="Old summaries, such as end_summaries.json.")],
    group: GroupOption = None,
    user: UserOption = None,
    rewrite: Annotated[bool, Option("--rewrite", help="Let the historian rewrite them: as jobs in the queue.")] = False,
) -> None:
    """Make events of summaries that a bot kept before.

    A list of {summary or text, timestamp, user_id, group_id, ...}, lists by conversation ({"g:7001": [...]}), or JSON lines.
    --group or --user names the conversation of entries that do not. They are filed by the rules at once, or with --rewrite
    by the historian, as `historian worker` gets to them. The same file again, also after a crash, changes nothing more.
    Entries that cannot be used are named with their number, and the status is 1.
    """
    from ....service.entity_data.migration import Migration

    shell.needs_memory()
    settings = without_models(shell.settings)
    started = time.monotonic()
    async with opened_parts(settings) as parts:
        with shell.progress("taking in") as update:
            migration = Migration(parts, settings, rewrite=rewrite, scope=scope_of(group, user))
            report = await migration.run(file, on_progress=update)
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
    names = {"taken": later("taken"), "known": later("known"), "forgotten": later("forgotten"), "bad": later("bad")}
    shown = {names[name]: str(count) for name, count in numbers.items() if count or name == "taken"}
    rate = report.taken / seconds if seconds > 0 else 0.0
    shell.fields({**shown, later("time taken"): say("{seconds:.1f} s ({rate:.0f} a second)", seconds=seconds, rate=rate)})
    if rewrite and report.taken:
        shell.tell()
        shell.tell("They wait in the queue; a running bot or `historian worker --drain` files them")
