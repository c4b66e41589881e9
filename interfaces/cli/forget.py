"""`historian forget`: everything of a person or a group, for good."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .console import counted, fields, short, table
from .invocation import FAILED, Shell, command
from .opening import opened_stores, without_models
from .root import app

if TYPE_CHECKING:
    from ...schema.entity import Entity
    from ...service.parts import Parts
    from ...stores.forget_requests import ForgetReport

KINDS = {
    "events": ("record", "records"),
    "portraits": ("portrait", "portraits"),
    "articles and summaries": ("article or summary", "articles and summaries"),
    "jobs": ("job", "jobs"),
    "plain summaries": ("plain summary", "plain summaries"),
    "lines of MEMORY.md": ("line of MEMORY.md", "lines of MEMORY.md"),
    "note files": ("note file", "note files"),
}
"""What is kept of people, one and several of it."""
EVERYBODY = {"checkpoint and damaged files": ("checkpoint or damaged file", "checkpoint and damaged files")}
"""What goes whenever anybody is forgotten, whether or not it was theirs."""


@command(app, "forget")
def forget(
    shell: Shell,
    kind: Annotated[Literal["user", "group"], typer.Argument(metavar="user|group", help="Whether a person or a group.")],
    entity_id: Annotated[str, typer.Argument(metavar="ID", help="The platform's id.")],
    mentions: Annotated[
        bool,
        typer.Option("--mentions", help="Remove what the records of others say of them, too.", show_default=False),
    ] = False,
    wait: Annotated[
        float, typer.Option("--wait", metavar="SECONDS", min=0, help="How long to wait for the process that owns the data.")
    ] = 300.0,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.", show_default=False)] = False,
) -> None:
    """Forget a person or a group: records, portraits and articles with history, jobs, summaries, notes, checkpoints.

    In the end every byte below the data directory is searched for the forgotten texts, and what is left is named; then the
    status is 1. Records of others that mention them are listed, and removed with --mentions. Killed in between, it is
    finished by the next start or by the same command.
    """
    from ...schema.entity import Entity

    entity = Entity(kind, entity_id)
    if not shell.needs_data():
        if shell.json:
            shell.emit(entity=entity.key, done=True, clean=True, removed={})
        return
    if not yes and not shell.json and sys.stdin.isatty():
        typer.confirm(f"Forget {entity.key} in {shell.directory} for good?", abort=True)
    report = asyncio.run(_forget(shell, entity, mentions, wait))
    if shell.json:
        shell.emit(**report.as_dict())
    else:
        _print(shell, report)
    if not report.clean:
        raise typer.Exit(FAILED)


async def _forget(shell: Shell, entity: Entity, mentions: bool, wait: float) -> ForgetReport:
    from ...service.forgetting import forget
    from ...service.parts import open_parts, open_queue

    settings = without_models(shell.settings)
    parts: Parts = open_parts(settings, queue=open_queue(settings, time.time), clock=time.time)
    try:
        return await forget(parts, entity, mentions=mentions, wait_seconds=wait)
    finally:
        await parts.aclose()


def _print(shell: Shell, report: ForgetReport) -> None:
    if not report.done:
        shell.say(
            f"{report.entity}: the process that owns the data directory has not answered yet. It will do it, also after a "
            "restart; nothing more of them is filed meanwhile. Run this again to see the report"
        )
        return
    if not (report.removed.keys() - EVERYBODY or report.mentions) and report.clean:
        shell.say(
            f"nothing was found of {report.entity}: the id is unknown here (check it), or was forgotten before. A tombstone "
            "stays for it: should a job of the time before now still come, it is not filed"
        )
        return
    names = {**KINDS, **EVERYBODY}
    removed = ", ".join(counted(count, *names[kind]) for kind, count in report.removed.items()) or "nothing was kept"
    others = len(report.mentions) if not report.mentions_removed else 0
    nothing = (
        f"{counted(others, 'record')} of others that {'mentions' if others == 1 else 'mention'} {report.entity}, see below"
        if others
        else "nothing"
    )
    left = "; ".join((*report.left, *report.unread)) or nothing
    shell.out.print(
        fields(
            {
                "forgotten": report.entity,
                "removed": removed,
                "searched": f"{report.bytes_scanned / 1e6:.1f} MB"
                + (f"; {counted(report.too_short, 'text')} too short to search for" if report.too_short else ""),
                "left": left,
            }
        )
    )
    if report.mentions:
        was = "removed" if report.mentions_removed else "left; --mentions removes them"
        shell.say(f"\nRecords of others that mention {report.entity} ({was}):")
        shell.out.print(table(("kind", "record", "text"), _mention_rows(shell, report), wide="text"))


def _mention_rows(shell: Shell, report: ForgetReport) -> list[tuple[str, str, str]]:
    ids = [item for kind, item in report.mentions if kind == "events"]
    with opened_stores(shell) as parts:
        texts = {event.event_id: event.text for event in parts.events.get(ids)}
    return [(KINDS.get(kind, (kind,))[0], _named(kind, item), short(texts.get(item, ""), 200)) for kind, item in report.mentions]


def _named(kind: str, item: str) -> str:
    """What a record is called elsewhere on the command line."""
    from ...schema.profile import ProfileKey

    return str(ProfileKey.of_index_id(item)) if kind == "portraits" else item
