"""`historian export` and `historian import`: what is known of a person or a group as one file, and back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ...schema.errors import ForgottenHere
from .console import fields
from .invocation import CommandFailed, Shell, command
from .opening import opened_stores
from .root import app

KindArgument = Annotated[Literal["user", "group"], typer.Argument(metavar="user|group", help="Whether a person or a group.")]


COUNTS = {
    "events": "records",
    "portraits": "portraits",
    "jobs": "jobs",
    "summaries": "plain summaries",
    "articles": "articles",
    "dated_summaries": "dated summaries",
    "buffered_states": "buffered states",
    "memory": "lines of MEMORY.md",
}
"""What an archive holds, as the two commands name it for people."""


@command(app, "export")
def export(
    shell: Shell,
    kind: KindArgument,
    entity_id: Annotated[str, typer.Argument(metavar="ID", help="The platform's id.")],
    file: Annotated[Path, typer.Argument(metavar="FILE.zip", help="The archive to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.", show_default=False)] = False,
) -> None:
    """Write everything of a person or a group into one archive: records, portraits with history, jobs, summaries, articles.

    A zip of JSON lines and Markdown, without vectors. Of a person: what they said in every conversation; of a group: what
    everybody said there.
    """
    from ... import __version__
    from ...schema.entity import Entity
    from ...service.transfer import export as write

    entity = Entity(kind, entity_id)
    if not shell.needs_data():
        raise CommandFailed(f"there is nothing of {entity.key} to export")
    with opened_stores(shell) as parts:
        manifest = write(parts, entity, file, version=__version__, replace=force)
    counts = {**manifest["counts"], "portraits": _each(manifest["portraits"]), "articles": _each(manifest["articles"])}
    if shell.json:
        shell.emit(file=str(file), entity=entity.key, **counts)
        return
    shell.out.print(fields({"written": file, "of": entity.key, **{COUNTS[name]: str(counts[name]) for name in COUNTS}}))


@command(app, "import")
def import_file(
    shell: Shell,
    file: Annotated[Path, typer.Argument(metavar="FILE.zip", help="An archive of `historian export`.")],
    even_forgotten: Annotated[
        bool, typer.Option("--even-forgotten", help="Bring back who was forgotten here, too.", show_default=False)
    ] = False,
) -> None:
    """Bring back what an archive holds. The same archive again changes nothing; what is there is never overwritten.

    Records are found by keyword at once, and by meaning as soon as the worker has embedded them.
    """
    from ...service.transfer import import_archive

    with opened_stores(shell) as parts:
        try:
            report = import_archive(parts, file, even_forgotten=even_forgotten)
        except ForgottenHere as error:
            raise CommandFailed(str(error)) from None
    if shell.json:
        shell.emit(file=str(file), **asdict(report))
        return
    different = f", {len(report.different_portraits)} differ and stay as they are" if report.different_portraits else ""
    changed = f", {report.different_events} of them with another text, which stays" if report.different_events else ""
    told = asdict(report)
    layers = {
        COUNTS[what]: f"{told[what]} added, {told[f'known_{what}']} known"
        + (f", {told[f'different_{what}']} differ and stay as they are" if told[f"different_{what}"] else "")
        for what in ("articles", "dated_summaries", "buffered_states")
    }
    shell.out.print(
        fields(
            {
                "of": report.entity,
                COUNTS["events"]: f"{report.events} added, {report.known_events} known{changed}",
                COUNTS["portraits"]: f"{report.portraits} added, {report.known_portraits} known{different}",
                COUNTS["jobs"]: f"{report.jobs} put into the queue",
                COUNTS["summaries"]: f"{report.summaries} added",
                **layers,
            }
        )
    )


def _each(entries: list[dict[str, Any]]) -> int:
    """How many portraits or articles the entries of a manifest are: each revision has one."""
    return len({tuple(value for key, value in entry.items() if key not in ("member", "revision")) for entry in entries})
