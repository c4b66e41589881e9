"""The checks of the database of a data directory."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from ..schema.errors import StorageError
from ..schema.finding import Finding, finding
from ..schema.protocols.events.shadow_vectors import Fingerprint
from .files.owner_lock import owner_of
from .local import INDEX
from .sqlite.events.store import SqliteEventStore
from .sqlite.index_schema import MIGRATIONS, has_lost_version, missing_columns, open_index
from .sqlite.open_files import LOGS, file_identity

RESTORE = "stop the bot, then `historian restore BACKUP`; jobs that come in meanwhile wait on disk"
"""The remedy for a database that is damaged, or in the wrong place."""
_CLOSING_SECONDS = 0.2


def check_local(directory: Path) -> Finding:
    """Return whether the database is in its place and sound. Raises StorageError, sqlite3.Error."""
    path = directory / INDEX
    owner = owner_of(directory)
    if owner is not None and owner.index and owner.index != file_identity(path):
        detail = "{file} was moved, deleted or replaced while {owner} has it open: jobs are accepted and wait"
        remedy = "stop the bot, then put the file back, or `historian restore BACKUP`"
        return finding("failed", detail, remedy, file=path.name, owner=owner)
    if processes := processes_with_deleted(path):
        detail = "{file} was deleted while process {processes} has it open: what comes in waits on disk and is not filed"
        remedy = "stop that process, then `historian restore BACKUP`; without a backup start it anew, with an empty memory"
        return finding("failed", detail, remedy, file=path.name, processes=", ".join(map(str, processes)))
    for log in (path.with_name(path.name + suffix) for suffix in LOGS):
        if processes := processes_with_deleted(log):
            detail = "{file} was deleted or replaced while process {processes} has it open: that process files nothing more"
            remedy = "restart that process: only that opens a new log"
            return finding("failed", detail, remedy, file=log.name, processes=", ".join(map(str, processes)))
    if not path.exists():
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        return finding("ok", "SQLite {version} with full text search; no events yet", version=sqlite3.sqlite_version)

    def look() -> Finding:
        try:
            database = open_index(path)
        except StorageError:
            if not has_lost_version(path):
                raise
            return finding("failed", "{file} says that it is empty (schema version 0), but it holds tables", file=path.name)
        with closing(database):
            with database.reading() as connection:
                verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                missing = missing_columns(connection)
            if verdict != "ok":
                raise sqlite3.DatabaseError(verdict)
            if missing:
                detail = "{file} lacks what version {version} of its schema has: {missing}"
                return finding("failed", detail, file=path.name, version=len(MIGRATIONS), missing=", ".join(missing))
            return finding("ok", "{file} is sound, events: {count}", file=path.name, count=SqliteEventStore(database).count())

    found = look()
    return replace(found, remedy=RESTORE) if found.state == "failed" else found


def local_fingerprint(directory: Path) -> Fingerprint | None:
    """Return the model of the stored vectors; None if there are none. Raises StorageError."""
    path = directory / INDEX
    if not path.exists():
        return None
    with closing(open_index(path)) as database:
        return SqliteEventStore(database).fingerprint()


def processes_with_deleted(path: Path) -> list[int]:
    """Return the ids of the processes that have a deleted file open that was at `path`, and not the one that is there now.

    Blocks for some milliseconds, for a fifth of a second if there is one: it may be about to close the file.
    """
    found = _with_deleted(path)
    if found:
        time.sleep(_CLOSING_SECONDS)
        found &= _with_deleted(path)
    return sorted(found)


def _with_deleted(path: Path) -> set[int]:
    here = os.path.realpath(path)
    gone = f"{here} (deleted)"  # as the system shows it
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended, or belongs to somebody else
            links = {_leads_to(link) for link in (process / "fd").iterdir()}
            if gone in links and here not in links:
                found.add(int(process.name))
    return found


def _leads_to(link: Path) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115 - thousands of them
    except OSError:
        return ""
