"""`historian index`: Markdown notes as records."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ....schema.errors import InvalidInput
from ..console import fields, table
from ..invocation import Shell, command
from ..language import both, either
from ..opening import opened_stores
from ..owner_commands import send_command
from ..root import app
from ..scopes import GroupOption, UserOption

if TYPE_CHECKING:
    from ....schema.scope import Scope
    from ....service.upkeep.notes_index import IndexReport


@command(
    app,
    "index",
    zh="索引一个目录里的 Markdown 笔记，或上次之后改过的。\n\n"
    "给了 --group 或 --user，笔记就在那个会话里读得到。都不给，点名的目录是共享笔记：哪个会话都看不见，"
    "`historian search --notes` 搜得到。",
)
def index(
    shell: Shell,
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR",
            help=both("笔记的目录（否则用 cognitive.notes_dir）。", "The folder of notes (else cognitive.notes_dir)."),
            show_default=False,
        ),
    ] = None,
    group: GroupOption = None,
    user: UserOption = None,
    remove: Annotated[
        bool,
        typer.Option(
            "--remove",
            help=both("把这个目录的笔记从记忆里拿掉。", "Take the folder's notes out of memory again."),
            show_default=False,
        ),
    ] = False,
    list_folders: Annotated[
        bool, typer.Option("--list", help=both("只说索引了什么。", "Only tell what is indexed."), show_default=False)
    ] = False,
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
    from ....schema.errors import OwnerLockHeld
    from ....schema.scope import notes_scope
    from ....stores.files.owner_lock import OwnerLock

    scope = notes_scope(value)
    if not remove and not place.is_dir():
        raise InvalidInput(
            either(f"{place} 不是目录；请给出放笔记的目录", f"{place} is no folder; name the one that holds the notes")
        )
    lock = OwnerLock(shell.directory)
    try:
        lock.acquire(time.time())
    except OwnerLockHeld:
        payload = {"folder": str(place), "notes_scope": value, "remove": remove}
        send_command(shell, "index", payload, done=either(f"已索引 {place}", f"{place} is indexed"))
        return
    with lock:
        report = asyncio.run(_run(shell, place, scope, remove=remove))
    _print(shell, report, place, scope)


async def _run(shell: Shell, place: Path, scope: Scope, *, remove: bool) -> IndexReport:
    from ....models.embeddings.recorded import vectors_for
    from ....service.components import open_parts, open_queue
    from ....service.upkeep.notes_index import NotesIndex

    settings = shell.settings
    parts = open_parts(settings, queue=open_queue(settings, time.time), clock=time.time)
    try:
        notes = NotesIndex(parts.manifest, settings, lambda texts: vectors_for(texts, parts.embedder, parts.events), time.time)
        if remove:
            return await notes.remove(place, scope)
        progress = Progress(
            TextColumn(either("读取笔记", "reading notes")),
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
        raise InvalidInput(
            either(
                "--group 和 --user 只说一个：笔记只归一个会话",
                "--group and --user: notes belong to one conversation; say one of them",
            )
        )
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
        raise InvalidInput(
            either("哪个目录？请给出，或设置 cognitive.notes_dir", "which folder? Name it, or set cognitive.notes_dir")
        )
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
        columns = either("会话 文件 目录", "scope files folder").split()
        shell.out.print(table(columns, [(key, str(n), root) for key, root, n in found], wide=columns[-1]))
    else:
        shell.say(either("没有索引过笔记", "no notes are indexed"))


def _print(shell: Shell, report: IndexReport, place: Path, scope: Scope) -> None:
    for path, why in report.skipped.items():
        if not shell.json:
            shell.err.print(either(f"跳过 {path}：{why}", f"skipped {path}: {why}"), soft_wrap=True)
    if shell.json:
        shell.emit(folder=str(place), scope=scope.key, **asdict(report))
        return
    waiting = report.without_vector
    shell.out.print(
        fields(
            {
                either("目录", "folder"): place,
                either("会话", "scope"): scope.key,
                either("文件", "files"): either(
                    f"新 {report.new}，改 {report.changed}，改名 {report.renamed}，删 {report.deleted}，"
                    f"未变 {report.unchanged}，跳过 {len(report.skipped)}",
                    f"{report.new} new, {report.changed} changed, {report.renamed} renamed, {report.deleted} gone, "
                    f"{report.unchanged} as before, {len(report.skipped)} skipped",
                ),
                either("记录", "records"): either(
                    f"添加 {report.chunks} 条，删除 {report.removed} 条", f"{report.chunks} added, {report.removed} removed"
                )
                + (either(f"；{waiting} 条等着算向量", f"; {waiting} wait for their vectors") if waiting else ""),
            }
        )
    )
