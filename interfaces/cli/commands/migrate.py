"""`historian migrate`: summaries that a bot kept before, as events."""

from __future__ import annotations

import time
from collections.abc import Mapping
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
    place: Annotated[
        list[str] | None, Option("--place", metavar="NAME=ID", help="The id of a group or person that entries name; repeatable.")
    ] = None,
    places: Annotated[Path | None, Option("--places", metavar="FILE.json", help='The same as a file: {"NAME": "ID"}.')] = None,
    rewrite: Annotated[bool, Option("--rewrite", help="Let the historian rewrite them: as jobs in the queue.")] = False,
) -> None:
    """Make events of summaries that a bot kept before.

    A list of {summary or text, timestamp, user_id, group_id, ...}, lists by conversation ({"g:7001": [...]}), texts, or JSON
    lines. --group or --user names the conversation of entries that do not. Of entries that name a place, {"location":
    {"type": "group", "name": "..."}}, --place gives the id (of namesakes: --place group:NAME=ID, private:NAME=ID); in a
    terminal it is asked for once, and what has none is left out and counted by place. They are filed by the rules at once, or
    with --rewrite by the historian, as `historian worker` gets to them. The same file again, also after a crash, changes
    nothing more. Entries that cannot be used are named with their number, and the status is 1.
    """
    from ....service.entity_data.migration import Migration
    from ....service.entity_data.old_summaries import read_places

    shell.needs_memory()
    settings = without_models(shell.settings)
    started = time.monotonic()
    known = read_places(place or (), places)
    async with opened_parts(settings) as parts:
        if shell.can_ask:
            missing = await Migration(parts, settings, scope=scope_of(group, user), places=known).unplaced(file)
            known |= _asked_for(shell, missing)
        with shell.progress("taking in") as update:
            migration = Migration(parts, settings, rewrite=rewrite, scope=scope_of(group, user), places=known)
            report = await migration.run(file, on_progress=update)
    _print(shell, file, report, time.monotonic() - started, rewrite=rewrite)
    if report.bad or report.unplaced:
        raise typer.Exit(FAILED)


def _asked_for(shell: Shell, missing: Mapping[str, int]) -> dict[str, str]:
    """Return the ids that somebody at the terminal gives for places; what they leave empty has none."""
    from ....schema.ids import validate_id

    given: dict[str, str] = {}
    for place, count in missing.items():
        answer = shell.ask("the id of {place} ({n} {n:entry|entries}; empty: leave out)", place=place, n=count).strip()
        if answer:
            given[place] = validate_id(answer, place)
    return given


def _print(shell: Shell, file: Path, report: MigrationReport, seconds: float, *, rewrite: bool) -> None:
    for bad in report.bad:
        if shell.json:
            shell.emit(where=bad.where, error=bad.error)
        else:
            shell.err.print(f"{file}: {bad.where}: {bad.error}", soft_wrap=True, style="red")
    for place, count in report.unplaced.items():
        if shell.json:
            shell.emit(place=place, entries=count, error="its id is not known")
        else:
            what = say(
                "{n} {n:entry|entries} of {place} left out: its id is not known; give it with --place", n=count, place=place
            )
            shell.err.print(f"{file}: {what}", soft_wrap=True, style="red", markup=False)
    numbers = {"taken": report.taken, "known": report.known, "forgotten": report.forgotten, "bad": len(report.bad)}
    numbers["unplaced"] = report.unplaced.total()
    if shell.json:
        shell.emit(file=str(file), seconds=round(seconds, 3), **numbers)
        return
    names = {"taken": later("taken"), "known": later("known"), "forgotten": later("forgotten"), "bad": later("bad")}
    names["unplaced"] = later("without a place")
    shown = {names[name]: str(count) for name, count in numbers.items() if count or name == "taken"}
    rate = report.taken / seconds if seconds > 0 else 0.0
    shell.fields({**shown, later("time taken"): say("{seconds:.1f} s ({rate:.0f} a second)", seconds=seconds, rate=rate)})
    if rewrite and report.taken:
        shell.tell()
        shell.tell("They wait in the queue; a running bot or `historian worker --drain` files them")
