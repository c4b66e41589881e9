"""`historian index`: Markdown notes as records."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ...schema.errors import InvalidInput
from .console import fields, table
from .invocation import Shell, command
from .opening import opened_stores
from .orders import give_order
from .root import app
from .scopes import GroupOption, UserOption

if TYPE_CHECKING:
    from ...schema.scope import Scope
    from ...service.notes_index import IndexReport


@command(app, "index")
def index(
    shell: Shell,
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="The folder of notes (else cognitive.notes_dir).", show_default=False),
    ] = None,
    group: GroupOption = None,
    user: UserOption = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take the folder's notes out of memory again.", show_default=False)
    ] = False,
    list_folders: Annotated[bool, typer.Option("--list", help="Only tell what is indexed.", show_default=False)] = False,
) -> None:
    """Index a folder of Markdown notes, or what changed in it since the last time.

    With --group or --user the notes are read in that conversation. Without, a folder that is named is shared: no
    conversation sees it, `historian search --notes` does.
    """
    if list_folders:
        _list(shell)
        return
    value = _scope_value(shell, folder, group, user)
    place = _folder(shell, folder)
    from ...schema.errors import OwnerLockHeld
    from ...schema.scope import notes_scope
    from ...stores.owner_lock import OwnerLock

    scope = notes_scope(value)
    if not remove and not place.is_dir():
        raise InvalidInput(f"{place} is no folder; name the one that holds the notes")
    lock = OwnerLock(shell.directory)
    try:
        lock.acquire(time.time())
    except OwnerLockHeld:
        payload = {"folder": str(place), "notes_scope": value, "remove": remove}
        give_order(shell, "index", payload, done=f"{place} is indexed")
        return
    with lock:
        report = asyncio.run(_run(shell, place, scope, remove=remove))
    _print(shell, report, place, scope)


async def _run(shell: Shell, place: Path, scope: Scope, *, remove: bool) -> IndexReport:
    from ...nodes.embed import vectors_for
    from ...service.notes_index import NotesIndex
    from ...service.parts import open_parts, open_queue

    settings = shell.settings
    parts = open_parts(settings, queue=open_queue(settings, time.time), clock=time.time)
    try:
        context = parts.context(None)
        notes = NotesIndex(parts.manifest, settings, lambda texts: vectors_for(texts, context), time.time)
        if remove:
            return await notes.remove(place, scope)
        progress = Progress(
            TextColumn("reading notes"),
            BarColumn(),
            MofNCompleteColumn(),
            console=shell.err,
            transient=True,
            disable=shell.json or not shell.err.is_terminal,
        )
        with progress:
            task = progress.add_task("", total=None)
            return await notes.run(
                place, scope, on_progress=lambda done, total: progress.update(task, completed=done, total=total)
            )
    finally:
        await parts.aclose()


def _scope_value(shell: Shell, folder: Path | None, group: str | None, user: str | None) -> str:
    """The scope as the setting `notes_scope` names it."""
    if group is not None and user is not None:
        raise InvalidInput("--group and --user: notes belong to one conversation; say one of them")
    if group is not None:
        return f"group:{group}"
    if user is not None:
        return f"user:{user}"
    settings = shell.settings.cognitive
    is_configured = folder is None or (bool(settings.notes_dir) and _absolute(folder) == settings.notes_dir)
    return settings.notes_scope if is_configured else ""


def _folder(shell: Shell, folder: Path | None) -> Path:
    if folder is not None:
        return Path(_absolute(folder))
    if not shell.settings.cognitive.notes_dir:
        raise InvalidInput("which folder? Name it, or set cognitive.notes_dir")
    return Path(shell.settings.cognitive.notes_dir)


def _absolute(folder: Path) -> str:
    return str(folder.expanduser().absolute())


def _list(shell: Shell) -> None:
    if not shell.needs_data():
        return
    with opened_stores(shell) as parts:
        found = parts.manifest.roots()
    if shell.json:
        for scope_key, root, files in found:
            shell.emit(scope=scope_key, folder=root, files=files)
    elif found:
        shell.out.print(table(("scope", "files", "folder"), [(key, str(n), root) for key, root, n in found], wide="folder"))
    else:
        shell.say("no notes are indexed")


def _print(shell: Shell, report: IndexReport, place: Path, scope: Scope) -> None:
    for path, why in report.skipped.items():
        if not shell.json:
            shell.err.print(f"skipped {path}: {why}", soft_wrap=True)
    if shell.json:
        shell.emit(folder=str(place), scope=scope.key, **asdict(report))
        return
    shell.out.print(
        fields(
            {
                "folder": place,
                "scope": scope.key,
                "files": f"{report.new} new, {report.changed} changed, {report.renamed} renamed, {report.deleted} gone, "
                f"{report.unchanged} as before, {len(report.skipped)} skipped",
                "records": f"{report.chunks} added, {report.removed} removed"
                + (f"; {report.without_vector} wait for their vectors" if report.without_vector else ""),
            }
        )
    )
