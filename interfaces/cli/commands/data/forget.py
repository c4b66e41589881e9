"""`historian forget`: deletes all data of a person or a group permanently."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from ....texts import FORGOTTEN, NAMES
from ...console import short
from ...corrections import YesOption
from ...invocation import command
from ...language import later, listed, say
from ...opening import opened_parts, without_models
from ...shell import FAILED, Shell

if TYPE_CHECKING:
    from .....schema.entity import Entity
    from .....schema.forgetting import ForgetReport

KindArgument = Annotated[
    Literal["user", "group"], Argument(metavar="user|group", help="The type: a person or a group.")
]
IdArgument = Annotated[
    str, Argument(metavar="ID", help="The id of the person or group on the chat platform.")
]

STAGES: Mapping[str, str] = NAMES["command_line"]["stages"]
"""The description of each stage of a forget request."""
RECORD_KIND_NAMES: Mapping[str, str] = NAMES["command_line"]["mentioned"]
KINDS_ALWAYS_REMOVED = {"checkpoint and damaged files"}
"""The kinds of data that are removed for every entity. Their counts do not show that the entity was
known."""


@command("forget")
def forget(
    shell: Shell,
    kind: KindArgument,
    entity_id: IdArgument,
    mentions: Annotated[
        bool,
        Option(
            "--mentions", help="Also remove events and other records of others that mention them."
        ),
    ] = False,
    wait: Annotated[
        float,
        Option(
            "--wait",
            metavar="SECONDS",
            min=0,
            help="How long to wait for the process that owns the data.",
        ),
    ] = 300.0,
    yes: YesOption = False,
) -> None:
    """Forget a person or a group: events, profiles and articles with history, jobs, summaries, notes, checkpoints.

    At the end all files below the data directory are searched for the forgotten texts; if any are
    found they are listed, and the exit status is 1. Events of others that mention the person or
    group are listed, and removed with --mentions. If the command is killed, the owner process
    finishes the work at its next start, or the same command does.
    """
    from .....schema.entity import Entity

    entity = Entity(kind, entity_id)
    if not shell.needs_data():
        if shell.json:
            shell.emit(entity=entity.key, done=True, clean=True, removed={})
        return
    shell.confirm(
        "Forget {entity} in {directory} for good?",
        yes=yes,
        entity=entity.key,
        directory=shell.directory,
    )
    report = asyncio.run(_forget(shell, entity, mentions, wait))
    if shell.json:
        shell.emit(**report.as_dict())
    else:
        _print(shell, report)
    if not report.clean:
        raise typer.Exit(FAILED)


async def _forget(shell: Shell, entity: Entity, mentions: bool, wait: float) -> ForgetReport:
    from .....service.entity_data.forgetting import forget

    async with opened_parts(without_models(shell.settings)) as parts:
        return await forget(parts, entity, mentions=mentions, wait_seconds=wait)


def _print(shell: Shell, report: ForgetReport) -> None:
    from .....stores.opening import owner_of

    whom = report.entity
    if not report.done:
        shell.tell(
            "{whom}: the process that owns the data directory has not answered yet ({stage}): "
            "{owner}. It will forget {whom}, even after a restart; until then no job of {whom} "
            "from before now is filed. `historian stats` shows the progress",
            whom=whom,
            stage=say(STAGES[report.stage]),
            owner=owner_of(shell.settings) or say("it has just ended"),
        )
        return
    if not (report.removed.keys() - KINDS_ALWAYS_REMOVED or report.mentions) and report.clean:
        shell.tell(
            "no data about {whom} was found: the id is unknown here (check it), or was forgotten "
            "before. The id stays marked as forgotten: a job that arrives later but is dated "
            "before now is not filed",
            whom=whom,
        )
        return
    left = "; ".join((*report.left, *report.unread))
    if not left and report.mentions and not report.mentions_removed:
        others = later("{n} {n:event|events} of others that {n:mentions|mention} {whom}, see below")
        left = say(others, n=len(report.mentions), whom=whom)
    searched = f"{report.bytes_scanned / 1e6:.1f} MB"
    if report.too_short:
        searched += say("; {n} {n:text|texts} too short to search for", n=report.too_short)
    removed = listed(
        [say(FORGOTTEN.get(kind, kind), n=count) for kind, count in report.removed.items()]
    )
    shell.fields(
        {
            "forgotten": whom,
            "removed": removed or say("nothing was stored"),
            "searched": searched,
            "left": left or say("nothing"),
        }
    )
    if report.mentions:
        shell.tell()
        left_here = later("Events of others that mention {whom} (kept; --mentions removes them):")
        removed_here = later("Events of others that mention {whom} (removed):")
        shell.tell(removed_here if report.mentions_removed else left_here, whom=whom)
        shell.table("kind|event|text", _mention_rows(report))


def _mention_rows(report: ForgetReport) -> list[tuple[str, str, str]]:
    from .....schema.profile import ProfileKey

    names = {
        item: str(ProfileKey.of_index_id(item))
        for kind, item in report.mentions
        if kind == "profiles"
    }
    texts = report.texts_of_mentions
    return [
        (
            say(RECORD_KIND_NAMES.get(kind, kind)),
            names.get(item, item),
            short(texts.get((kind, item), ""), 200),
        )
        for kind, item in report.mentions
    ]
