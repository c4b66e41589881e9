"""Restoring a backup, which replaces the content of a data directory.

No process may work on the directory meanwhile (owner lock). The file `restoring.json` exists from
the first change to the last. While it exists, no store can be opened, and the same command finishes
an interrupted restoration. Every step may be repeated.

Two kinds of current data are kept: waiting and failed jobs (no accepted job is dropped), and the
tombstones. The restored files may hold data of entities that were forgotten after the backup: the
current tombstones are read first, and these entities are forgotten again at the end.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from ...schema.entity import Entity
from ...schema.errors import InvalidInput, StorageError
from ...schema.forgetting import ForgetRequest
from ...stores.chroma.index import remove_chroma
from ...stores.files.durable import (
    TEMPORARY_PREFIX,
    bytes_of,
    explaining,
    names_in,
    remove_durably,
    sync_folder,
    write_atomically,
)
from ...stores.files.ordinary import check_ordinary, read_ordinary
from ...stores.files.owner_lock import OwnerLock
from ...stores.sqlite.documents import copy_documents
from ...stores.sqlite.errors import is_damage, set_aside
from ...stores.sqlite.former_queue import FORMER, former_rows, open_local_queue
from ...stores.sqlite.index_schema import MIGRATIONS, open_index
from ...stores.sqlite.queue import MIGRATIONS as QUEUE_MIGRATIONS
from ...stores.sqlite.queue import QUEUE
from ...stores.sqlite.transaction import SqliteTransaction
from ...stores.tables.forget_requests import ForgetRequestTable, requests_in
from ...stores.tables.tombstones import TombstoneKind, add_tombstones, all_tombstones
from ..data_directory import RESTORING
from .making import FORMAT, INDEX, ITEMS, MANIFEST, VERSION, Backup, copied, files_below, others

log = logging.getLogger(__name__)

_BACKUP = TypeAdapter(Backup)
Tombstone = tuple[TombstoneKind, str, float]

FORGETTING = "forgetting"
REPLACED = ("profiles", "chapters", "summaries", "MEMORY.md", "end_summaries.json")
"""Files and folders of the data directory that are removed if the backup does not have them."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of a restoration. `forgotten` are the entities that were forgotten after the
    backup and must be forgotten again; None if the former database could not be read."""

    backup: Backup
    jobs_kept: int
    jobs_added: int
    forgotten: tuple[Entity, ...] | None


def read_backup(source: Path) -> Backup:
    """Check a backup and return its manifest.

    Raises InvalidInput if `source` is no backup, damaged, or of a newer version. A backup may come
    from an unknown source: a link or a device in it is an error too.
    """
    data = read_ordinary(source / MANIFEST)
    if data is None:
        raise InvalidInput(f"{source} was not made by `historian backup`: it has no {MANIFEST}")
    try:
        manifest = json.loads(data)
        if manifest["format"] != FORMAT or not isinstance(manifest["version"], int):
            raise ValueError("it has another format")
        backup = _BACKUP.validate_python(manifest)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{source / MANIFEST} does not describe a backup: {error}") from None
    if manifest["version"] > VERSION:
        raise InvalidInput(
            f"{source} has version {manifest['version']}, but this program knows only versions up "
            f"to {VERSION}; upgrade langgraph-historian"
        )
    check_ordinary(source)
    _check_database(source / INDEX, len(MIGRATIONS))
    if (source / QUEUE).exists():
        _check_database(source / QUEUE, len(QUEUE_MIGRATIONS))
    return backup


def _check_database(path: Path, newest: int) -> None:
    try:
        with closing(sqlite3.connect(_read_only(path), uri=True)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error as error:
        raise InvalidInput(f"{path}: {error}; use another backup") from None
    if verdict != "ok" or not 0 < version <= newest:
        problem = (
            verdict
            if verdict != "ok"
            else f"its schema has version {version}, this program knows versions 1 to {newest}"
        )
        raise InvalidInput(f"{path}: {problem}; use another backup")


def _read_only(path: Path) -> str:
    return f"{path.resolve().as_uri()}?mode=ro&immutable=1"


def restore(
    directory: Path, source: Path, *, now: float, on_step: Callable[[str], None] = lambda step: None
) -> Restored:
    """Replace the content of `directory` by the backup in `source`. Blocking.

    `now` is in seconds since the epoch; `on_step` is called after each step. Events that were filed
    after the backup are lost. Raises InvalidInput, OwnerLockHeld if a process works on the
    directory, and StorageError. After an error call this function again.
    """
    source = source.expanduser().resolve()
    backup = read_backup(source)
    with OwnerLock(directory).acquire(now):
        tombstones = _begin(directory, source)
        on_step("begun")
        kept, added = _merge_jobs(directory, source, now)
        on_step("jobs merged")
        _put_files(directory, source)
        on_step("files put")
        for name in names_in(directory):
            if name.startswith("checkpoints.sqlite"):
                remove_durably(directory / name)
        remove_chroma(directory / "chromadb")
        on_step("derived removed")
        if (source / ITEMS).exists():
            _put_database(directory, source, ITEMS)
        _put_database(directory, source, INDEX)
        on_step("index put")
        forgotten = _bury(directory, tombstones or [], now)
        on_step("buried")
        remove_durably(directory / RESTORING)
    return Restored(backup, kept, added, None if tombstones is None else forgotten)


def _begin(directory: Path, source: Path) -> list[Tombstone] | None:
    """Write `restoring.json`, with the current tombstones, and return these. Return None if they
    cannot be read."""
    noted = bytes_of(directory / RESTORING)
    if noted is not None:  # interrupted before: the database may be the restored one
        found = json.loads(noted)["tombstones"]
        tombstones = None if found is None else [tuple(one) for one in found]
    else:
        tombstones = _tombstones(directory / INDEX)
    note = {"source": str(source), "tombstones": tombstones}
    write_atomically(directory / RESTORING, json.dumps(note, ensure_ascii=False).encode())
    return tombstones


def _tombstones(index: Path) -> list[Tombstone] | None:
    if not index.exists():
        return None
    try:
        with closing(sqlite3.connect(index, factory=SqliteTransaction)) as connection:
            return all_tombstones(connection)
    except sqlite3.Error as error:
        log.warning("%s cannot be read to learn who was forgotten: %s", index, error)
        return None


def _merge_jobs(directory: Path, source: Path, now: float) -> tuple[int, int]:
    """Add the jobs of the backup that are not in the queue. Return the numbers of jobs that were in
    the queue before, and of those added.

    The documents in the same database are replaced by the documents of the backup. Documents that a
    former version stored as files are imported later.
    """
    try:
        opened = open_local_queue(directory, lambda: now)
    except StorageError as error:
        if not isinstance(error.__cause__, sqlite3.Error) or not is_damage(error.__cause__):
            raise
        with explaining("rename", directory / QUEUE):
            log.error(
                "the jobs that waited are in a damaged file, which is kept as %s",
                set_aside(directory / QUEUE),
            )
        opened = open_local_queue(directory, lambda: now)
    with closing(opened) as queue:
        queue.take_over(now)
        there = len(queue.known_ids())
        added = queue.merge_rows(former_rows(source / FORMER).values())  # from former versions
        name = _read_only(source / QUEUE) if (source / QUEUE).exists() else ":memory:"
        requests = ForgetRequestTable(queue.database)
        with closing(sqlite3.connect(name, uri=True, factory=SqliteTransaction)) as backup:
            with queue.database().writing() as transaction:
                copy_documents(backup, transaction)
            if backup.row("SELECT 1 FROM sqlite_master WHERE name = 'forget_requests'"):
                for request in requests_in(backup):
                    # A current request holds more texts than the request in the backup.
                    if not requests.stage_of(request.entity):
                        requests.ask(request)
            if name != ":memory:":
                backup.row_factory = sqlite3.Row
                added += queue.merge_rows(
                    map(_waiting_again, backup.execute("SELECT * FROM jobs ORDER BY position"))
                )
    return there, added


def _waiting_again(row: sqlite3.Row) -> dict[str, Any]:
    """Return the row of a job in a backup as a new row of the queue, in no line.

    A job that was claimed at the time of the backup waits again.
    """
    fields = {**row, "behind": -1, "state": "failed" if row["state"] == "failed" else "pending"}
    del fields["position"]
    return fields


def _put_files(directory: Path, source: Path) -> None:
    wanted = {name for name in others(source) if Path(name).parts[0] not in (MANIFEST, FORMER)}
    for name in files_below(directory):
        if Path(name).parts[0] in REPLACED and name not in wanted and not name.endswith(".lock"):
            remove_durably(directory / name)
    for name in sorted(wanted):
        # A current request holds more texts than the request in the backup.
        if Path(name).parts[0] != FORGETTING or not (directory / name).exists():
            copied(source / name, directory / name)


def _put_database(directory: Path, source: Path, name: str) -> None:
    """Put a database in place by renaming it. The write-ahead log of the former database is removed
    first, so that it is not applied to the restored one."""
    temporary = directory / f"{TEMPORARY_PREFIX}{name}"
    remove_durably(temporary)
    if not copied(source / name, temporary):
        raise StorageError(
            f"{source / name} does not exist any more; run this again with a complete backup"
        )
    for suffix in ("-wal", "-shm"):
        remove_durably(directory / f"{name}{suffix}")
    temporary.replace(directory / name)
    sync_folder(directory)


def _bury(directory: Path, tombstones: list[Tombstone], now: float) -> tuple[Entity, ...]:
    """Add tombstones to the restored database. Add a forget request for each entity whose tombstone
    was missing or older there."""
    path = directory / INDEX
    with closing(open_index(path)) as database:
        with database.reading() as connection:
            known = {(kind, value): until for kind, value, until in all_tombstones(connection)}
        new = [one for one in tombstones if known.get((one[0], one[1]), float("-inf")) < one[2]]
        with database.writing() as connection:
            for kind, value, until in new:
                add_tombstones(connection, kind, [value], until)
    forgotten = [(_entity(value), until) for kind, value, until in new if kind == "entity"]
    with closing(open_local_queue(directory, lambda: now)) as queue:
        for entity, until in forgotten:
            ForgetRequestTable(queue.database).ask(ForgetRequest(entity, until))
    return tuple(entity for entity, _ in forgotten)


def _entity(key: str) -> Entity:
    kind, _, entity_id = key.partition(":")
    return Entity("user" if kind == "user" else "group", entity_id)
