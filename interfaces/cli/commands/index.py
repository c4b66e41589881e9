"""`historian index`: indexes Markdown notes as events."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from ..invocation import command
from ..opening import opened_parts, opened_stores
from ..owner_commands import done_here
from ..scopes import GroupOption, UserOption
from ..shell import Shell, WrongUse

if TYPE_CHECKING:
    from ....schema.job import Job
    from ....schema.scope import Scope
    from ....service.upkeep.notes_index import IndexReport


@command("index")
def index(
    shell: Shell,
    folder: Annotated[
        Path | None,
        Argument(metavar="DIR", help="The folder of notes (default: cognitive.notes_dir)."),
    ] = None,
    group: GroupOption = None,
    user: UserOption = None,
    remove: Annotated[
        bool, Option("--remove", help="Remove the notes of this folder from memory.")
    ] = False,
    list_folders: Annotated[bool, Option("--list", help="Only list the indexed folders.")] = False,
) -> None:
    """Index a folder of Markdown notes, or what changed in it since the last time.

    With --group or --user the notes belong to that conversation. Without these options, the notes
    of a folder given on the command line belong to no conversation: only `historian search
    --notes` finds them.
    """
    from ....schema.scope import notes_scope

    if list_folders:
        _list(shell)
        return
    value = _scope_value(shell, folder, group, user)
    place = _folder(shell, folder)
    scope = notes_scope(value)
    if not remove and not place.is_dir():
        raise WrongUse("{place} is not a folder; give the folder of the notes", place=place)

    def carry_out(job: Job | None = None) -> None:
        _print(shell, asyncio.run(_run(shell, place, scope, remove=remove)), place, scope)

    if shell.settings.stores.url:  # the owner may be on another machine, without this folder
        carry_out()
    else:
        done_here(
            shell,
            "index",
            {"folder": str(place), "notes_scope": value, "remove": remove},
            carry_out,
        )


async def _run(shell: Shell, place: Path, scope: Scope, *, remove: bool) -> IndexReport:
    from ....service.upkeep.missing_vectors import MissingVectors
    from ....service.upkeep.notes_index import NotesIndex

    async with opened_parts(shell.settings) as parts:
        notes = NotesIndex(parts.backend.manifest, shell.settings, time.time)
        if remove:
            return await notes.remove(place, scope)
        with shell.progress("reading notes") as update:
            report = await notes.run(place, scope, on_progress=update)
        await MissingVectors(parts, parts.embedder).embed_events()
        report.without_vector = min(report.chunks, parts.events.waiting_vectors()[0])
        return report


def _scope_value(shell: Shell, folder: Path | None, group: str | None, user: str | None) -> str:
    """Return the scope of the notes, in the format of the setting `notes_scope`."""
    if group is not None and user is not None:
        raise WrongUse("--group and --user cannot be combined: notes belong to one conversation")
    if group is not None:
        return f"group:{group}"
    if user is not None:
        return f"user:{user}"
    settings = shell.settings.cognitive
    is_configured = folder is None or (
        bool(settings.notes_dir) and _absolute(folder) == settings.notes_dir
    )
    return settings.notes_scope if is_configured else ""


def _folder(shell: Shell, folder: Path | None) -> Path:
    if folder is not None:
        return Path(_absolute(folder))
    if not shell.settings.cognitive.notes_dir:
        raise WrongUse("which folder? Give it, or set cognitive.notes_dir")
    return Path(shell.settings.cognitive.notes_dir)


def _absolute(folder: Path) -> str:
    return str(folder.expanduser().absolute())


def _list(shell: Shell) -> None:
    shell.end_without_data()
    with opened_stores(shell) as parts:
        found = list(parts.backend.manifest.roots())
    shell.rows(
        found,
        lambda one: {"scope": one[0], "folder": one[1], "files": one[2]},
        "scope|files|folder",
        lambda one: (one[0], str(one[2]), one[1]),
        empty="no notes are indexed",
    )


def _print(shell: Shell, report: IndexReport, place: Path, scope: Scope) -> None:
    shell.report({"folder": str(place), "scope": scope.key, **asdict(report)})
