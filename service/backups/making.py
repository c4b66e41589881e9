"""Making a backup of a data directory. The owner may work on the directory meanwhile.

    index.sqlite     a snapshot of the database (SQLite's backup API), checked; also items.sqlite,
                     if it exists
    queue.sqlite     every job that was accepted before the backup began, unless its events are in
                     the database; the documents, and the forget requests
    profiles/ chapters/ MEMORY.md end_summaries.json …     copies of the files, each complete
    backup.json      {"format", "version", "made_at", "historian", "events", "jobs", "files",
                     "bytes"}, written last

The order of copying makes the backup consistent. Jobs are copied before the database: a job moves
from the queue into the database, so each job is in at least one of the two copies. Documents and
files are copied after the database: they hold every change that the database records as done, and
they name the jobs that changed them.

The backup holds no data that can be rebuilt (Chroma's index; checkpoints, at the cost of model
calls) and no data of running processes (locks). The folder gets its final name when it is complete.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ...schema.errors import HistorianError, InvalidInput, StorageError
from ...stores.files.durable import (
    TEMPORARY_PREFIX,
    explaining,
    make_folder,
    sync_folder,
    write_atomically,
)
from ...stores.files.ordinary import DATABASES, read_ordinary
from ...stores.sqlite.documents import copy_documents
from ...stores.sqlite.errors import explained
from ...stores.sqlite.former_queue import open_local_queue
from ...stores.sqlite.queue import QUEUE
from ..data_directory import RESTORING, check_restored
from ..timezones import iso_of

FORMAT, VERSION = "historian backup", 2
MANIFEST, INDEX, ITEMS = "backup.json", "index.sqlite", "items.sqlite"

_NOT_COPIED = (*DATABASES, "chromadb", "owner.", RESTORING)
"""Prefixes of the top-level names that are copied in another way, or not at all."""


@dataclass(frozen=True, slots=True)
class Backup:
    """The content of a backup. `made_at` is ISO 8601 in UTC. `files` counts the copied files
    without the databases of events and jobs."""

    made_at: str
    historian: str
    events: int
    jobs: int
    files: int
    bytes: int


def back_up(directory: Path, target: Path, *, version: str, now: float) -> Backup:
    """Write a backup of `directory` into the new or empty folder `target`. Blocking; any process
    may call it.

    `version` is the version of this program, `now` the time in seconds since the epoch. Raises
    InvalidInput if the target is not empty or lies in the data directory, HistorianError if there
    is nothing to back up, and StorageError. After an error `target` is unchanged.
    """
    directory, target = directory.resolve(), target.expanduser().resolve()
    if target == directory or directory in target.parents:
        raise InvalidInput(f"{target} is inside the data directory; give a folder outside it")
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise InvalidInput(f"{target} exists and is not empty; give a new folder for each backup")
    check_restored(directory)
    if not (directory / INDEX).exists():
        raise HistorianError(f"{directory} has no {INDEX}: there is nothing to back up")
    make_folder(target.parent)
    unfinished = target.with_name(f"{TEMPORARY_PREFIX}{target.name}")
    try:
        with explaining("write the backup", target):
            shutil.rmtree(unfinished, ignore_errors=True)  # left by a killed process
            unfinished.mkdir(mode=0o700)
            # Creates the queue's database, with the jobs that a former version stored as files.
            open_local_queue(directory, lambda: now).close()
            jobs = _copy_database(directory / QUEUE, unfinished / QUEUE, "jobs")
            events = _copy_database(directory / INDEX, unfinished / INDEX, "events")
            _copy_documents(directory / QUEUE, unfinished / QUEUE)
            files = sum(copied(directory / name, unfinished / name) for name in others(directory))
            if (directory / ITEMS).exists():
                _copy_database(directory / ITEMS, unfinished / ITEMS, "items")
                files += 1
            size = sum(path.stat().st_size for path in unfinished.rglob("*") if path.is_file())
            made_at = iso_of(now)
            backup = Backup(made_at, version, events, jobs, files, size)
            write_atomically(
                unfinished / MANIFEST,
                json.dumps({"format": FORMAT, "version": VERSION, **asdict(backup)}).encode(),
            )
            for folder, _, _ in os.walk(unfinished):
                sync_folder(Path(folder))
            unfinished.replace(target)
            sync_folder(target.parent)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return backup


def copied(source: Path, target: Path) -> bool:
    """Copy a regular file, flushed to disk, with access for this user only. Return False if there
    is no regular file `source`."""
    with explaining("read", source), suppress(FileNotFoundError):
        if stat.S_ISREG(source.lstat().st_mode) and (data := read_ordinary(source)) is not None:
            write_atomically(target, data)
            return True
    return False


def files_below(folder: Path) -> Iterator[str]:
    """Yield the paths of the files below `folder`, relative to it. Hidden files are left out; links
    to folders are not followed."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != ".")
        inside = Path(parent).relative_to(folder)
        yield from (str(inside / name) for name in sorted(names) if name[0] != ".")


def others(directory: Path) -> Iterator[str]:
    """Yield the files of a data directory or a backup that are copied as files, without databases
    and locks."""
    return (
        name
        for name in files_below(directory)
        if not name.startswith(_NOT_COPIED) and not name.endswith(".lock")
    )


def _copy_database(source: Path, target: Path, table: str) -> int:
    """Copy a snapshot of a database. Check the copy, and return the number of rows of `table` in
    it.

    Raises StorageError if the database is damaged.
    """
    try:
        write_atomically(target, b"")
        with closing(sqlite3.connect(source)) as original, closing(sqlite3.connect(target)) as copy:
            original.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, complete
            verdict = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
            if verdict != "ok":
                raise StorageError(
                    f"{source} is damaged ({verdict}); the backup would be damaged too. Run "
                    "`historian doctor`"
                )
            return int(copy.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    except sqlite3.Error as error:
        raise explained(error, source) from error


def _copy_documents(source: Path, target: Path) -> None:
    """Replace the documents in the copy of a queue by the current ones, and add new forget
    requests."""
    try:
        with (
            closing(sqlite3.connect(source)) as original,
            closing(sqlite3.connect(target)) as copy,
            copy,
        ):
            original.execute("BEGIN")
            copy_documents(original, copy)
            # Forget requests that were made after the jobs were copied begin at the first stage:
            # the copied database may still hold data that is deleted by now.
            anew = "json_set(body, '$.stage', 'waiting', '$.last_rows', json('[]'))"
            requests = original.execute(f"SELECT entity, {anew} FROM forget_requests")
            copy.executemany(
                "INSERT OR IGNORE INTO forget_requests (entity, body) VALUES (?, ?)", requests
            )
    except sqlite3.Error as error:
        raise explained(error, source) from error
