"""`historian reprocess`: rewrites stored events with the current rules or model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from typer import Option

from ..console import short
from ..invocation import command
from ..language import later
from ..scopes import GroupOption, UserOption, scope_of
from ..shell import Shell


@command("reprocess")
async def reprocess(
    shell: Shell,
    group: GroupOption = None,
    user: UserOption = None,
    before_version: Annotated[
        str,
        Option(
            "--before-version",
            metavar="VERSION",
            help="Only events that an earlier version of Historian wrote.",
        ),
    ] = "",
    dry_run: Annotated[
        bool, Option("--dry-run", help="Only show what the rules would change; call no model.")
    ] = False,
) -> None:
    """Rewrite events from their original input with the current rules or model; in all
    conversations, unless --group or --user is given.

    Former texts are kept: `events show` lists them. Events from observations, summaries, notes and
    edits are not changed. If the run is interrupted, the next worker continues it; nothing is done
    twice.
    """
    from ....service.cognitive import CognitiveService

    shell.end_without_data()
    scope = scope_of(group, user)
    async with CognitiveService.open(shell.settings, worker=not dry_run) as memory:
        with shell.progress("events checked") as update:
            report = await memory.reprocess(
                scope,
                before_version=before_version,
                dry_run=dry_run,
                on_progress=lambda seen: update(seen, seen),
            )
    for event_id, before, after in [] if shell.json else report.examples:
        shell.tell(
            "{id}: {before} → {after}", id=event_id, before=short(before), after=short(after)
        )
    values = asdict(report)
    would = later(
        "{seen} {seen:event|events} checked; {changed} would be rewritten, {gained} would become "
        "absolute, {lost} would lose their absolute form"
    )
    has = later(
        "{seen} {seen:event|events} checked; {changed} rewritten, {gained} became absolute, {lost} "
        "lost their absolute form"
    )
    shell.result(values, would if dry_run else has, **values)
