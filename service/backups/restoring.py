"""Put a backup into the place of what a data directory holds.

Nobody works on the directory meanwhile (the owner lock). `restoring.json` stands in it from the first change to the last: until
it is gone, nothing is opened, and the same command finishes what was interrupted. Every step may be repeated.

Two things of the present outlive it: the jobs that wait or were given up (none that was accepted is dropped), and who was
forgotten, which the restored files do not know: the tombstones are read first and carried out at the end.
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
"""What of the present is removed if the backup does not have it."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The result. `forgotten` are the entities forgotten after the backup, which are to be forgotten again; None if the former
    database could not tell."""

    backup: Backup
    jobs_kept: int
    jobs_added: int
    forgotten: tuple[Entity, ...] | None


def read_backup(source: Path) -> Backup:
    """Return what a backup holds, checked. Raises InvalidInput if it is none, damaged, or of a newer version.

    It may come from anywhere: all that is in it are ordinary files.
    """
    data = read_ordinary(source / MANIFEST)
    if data is None:
        raise InvalidInput(f"{source} is no backup of `historian backup`: it has no {MANIFEST}")
    try:
        manifest = json.loads(data)
        if manifest["format"] != FORMAT or not isinstance(manifest["version"], int):
            raise ValueError("it is something else")
        backup = _BACKUP.validate_python(manifest)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{source / MANIFEST} does not describe a backup: {error}") from None
    if manifest["version"] > VERSION:
        raise InvalidInput(f"{source} has version {manifest['version']}, at most {VERSION} is known; upgrade langgraph-historian")
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
        raise InvalidInput(f"{path}: {error}; take another backup") from None
    if verdict != "ok" or not 0 < version <= newest:
        problem = verdict if verdict != "ok" else f"its schema has version {version}, known are 1 to {newest}"
        raise InvalidInput(f"{path}: {problem}; take another backup")


def _read_only(path: Path) -> str:
    return f"{path.resolve().as_uri()}?mode=ro&immutable=1"


def restore(directory: Path, source: Path, *, now: float, on_step: Callable[[str], None] = lambda step: None) -> Restored:
    """Put the backup in `source` into the place of what `directory` holds. Blocking.

    `now` is in seconds since the epoch; `on_step` is called after each step. What was filed after the backup is gone then. Raises
    InvalidInput, OwnerLockHeld if a process works on the directory, and StorageError; call it again then.
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
    """Note that a restoration has begun, and the tombstones of the present; None if they cannot be read."""
    noted = bytes_of(directory / RESTORING)
    if noted is not None:  # interrupted: the database may be the restored one already
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
        log.warning("%s cannot tell who was forgotten: %s", index, error)
        return None


def _merge_jobs(directory: Path, source: Path, now: float) -> tuple[int, int]:
    """Add the jobs of the backup that are not in the queue. Return how many were there, and how many are added.

    The documents beside them become those of the backup; what a former version had as files is taken over later.
    """
    try:
        opened = open_local_queue(directory, lambda: now)
    except StorageError as error:
        if not isinstance(error.__cause__, sqlite3.Error) or not is_damage(error.__cause__):
            raise
        with explaining("rename", directory / QUEUE):
            log.error("the jobs that waited are in a damaged file, which is kept as %s", set_aside(directory / QUEUE))
        opened = open_local_queue(directory, lambda: now)
    with closing(opened) as queue:
        queue.take_over(now)
        there = len(queue.known_ids())
        added = queue.merge_rows(former_rows(source / FORMER).values())  # of a backup by a former version
        name = _read_only(source / QUEUE) if (source / QUEUE).exists() else ":memory:"
        requests = ForgetRequestTable(queue.database)
        with closing(sqlite3.connect(name, uri=True, factory=SqliteTransaction)) as backup:
            with queue.database().writing() as transaction:
                copy_documents(backup, transaction)
            if backup.row("SELECT 1 FROM sqlite_master WHERE name = 'forget_requests'"):
                for request in requests_in(backup):
                    # A request of the present knows more than the one of the backup.
                    if not requests.stage_of(request.entity):
                        requests.ask(request)
            if name != ":memory:":
                backup.row_factory = sqlite3.Row
                added += queue.merge_rows(map(_waiting_again, backup.execute("SELECT * FROM jobs ORDER BY position")))
    return there, added


def _waiting_again(row: sqlite3.Row) -> dict[str, Any]:
    """Return the row of a job in a backup, in no line: whoever worked on it then does so no more."""
    fields = {**row, "behind": -1, "state": "failed" if row["state"] == "failed" else "pending"}
    del fields["position"]
    return fields


def _put_files(directory: Path, source: Path) -> None:
    wanted = {name for name in others(source) if Path(name).parts[0] not in (MANIFEST, FORMER)}
    for name in files_below(directory):
        if Path(name).parts[0] in REPLACED and name not in wanted and not name.endswith(".lock"):
            remove_durably(directory / name)
    for name in sorted(wanted):
        # A request of the present knows more than the one of the backup.
        if Path(name).parts[0] != FORGETTING or not (directory / name).exists():
            copied(source / name, directory / name)


def _put_database(directory: Path, source: Path, name: str) -> None:
    """Put a database in place by one renaming. The log of the former one must not get into it."""
    temporary = directory / f"{TEMPORARY_PREFIX}{name}"
    remove_durably(temporary)
    if not copied(source / name, temporary):
        raise StorageError(f"{source / name} does not exist any more; run this again with a whole backup")
    for suffix in ("-wal", "-shm"):
        remove_durably(directory / f"{name}{suffix}")
    temporary.replace(directory / name)
    sync_folder(directory)


def _bury(directory: Path, tombstones: list[Tombstone], now: float) -> tuple[Entity, ...]:
    """Add tombstones to the restored database, and ask to forget the entities that it does not know as forgotten."""
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
