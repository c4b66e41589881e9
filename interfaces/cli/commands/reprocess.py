"""`historian reprocess`: rewrites stored events with the current rules or model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from typer import Option

from ..console import short
from ..invocation import Shell, command
from ..language import later
from ..scopes import GroupOption, UserOption, scope_of


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
            help="Only what an earlier version of Historian wrote.",
        ),
    ] = "",
    dry_run: Annotated[
        bool, Option("--dry-run", help="Only tell what the rules would change; ask no model.")
    ] = False,
) -> None:
    """Write events anew from the words as they were handed over, by today's rules or model; of all conversations unless named.

    Former texts are kept: `events show` lists them. What was observed, summarised, noted or edited stays. Interrupted, it is
    gone on with by the next worker, and nothing is done twice.
    """
    from ....service.cognitive import CognitiveService

    shell.end_without_data()
    scope = scope_of(group, user)
    async with CognitiveService.open(shell.settings, worker=not dry_run) as memory:
        with shell.progress("events seen") as update:
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
        "{seen} {seen:event|events} seen; {changed} would be written anew, {gained} become absolute, {lost} no longer be so"
    )
    has = later(
        "{seen} {seen:event|events} seen; {changed} written anew, {gained} became absolute, {lost} are no longer"
    )
    shell.result(values, would if dry_run else has, **values)
