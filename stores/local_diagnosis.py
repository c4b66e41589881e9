"""Checks of the database in a data directory."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ..schema.finding import DiagnosisFinding, finding
from ..schema.protocols import Fingerprint
from .files.owner_lock import owner_of
from .local import INDEX
from .sqlite.events.store import SqliteEventStore
from .sqlite.index_schema import open_index
from .sqlite.open_files import file_identity

RESTORE = "stop the bot, then `historian restore BACKUP`; jobs that come in meanwhile wait on disk"
"""The remedy for a database that is damaged or was moved."""


def check_local(directory: Path) -> DiagnosisFinding:
    """Check that the database is in its place and undamaged.

    Raises StorageError or sqlite3.Error.
    """
    path = directory / INDEX
    owner = owner_of(directory)
    if owner is not None and owner.index and owner.index != file_identity(path):
        detail = "{file} was moved, deleted or replaced while {owner} has it open: jobs are accepted and wait"
        remedy = "stop the bot, then put the file back, or `historian restore BACKUP`"
        return finding("failed", detail, remedy, file=path.name, owner=owner)
    if not path.exists():
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        return finding(
            "ok",
            "SQLite {version} with full text search; no events yet",
            version=sqlite3.sqlite_version,
        )

    with closing(open_index(path)) as database:
        with database.reading() as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)
        return finding(
            "ok",
            "{file} is sound, events: {count}",
            file=path.name,
            count=SqliteEventStore(database).count(),
        )


def local_fingerprint(directory: Path) -> Fingerprint | None:
    """Return model and dimension of the stored vectors; None if there are none.

    Raises StorageError.
    """
    path = directory / INDEX
    if not path.exists():
        return None
    with closing(open_index(path)) as database:
        return SqliteEventStore(database).fingerprint()
