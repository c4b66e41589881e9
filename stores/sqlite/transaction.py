"""SQLite connections for the statements of `stores/tables/`, and the migration of a file."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...schema.errors import StorageError

BUSY_SECONDS = 10.0
"""How long a writer waits for another process before it raises StorageError."""
_WAL_LIMIT_BYTES = 64 * 1024 * 1024


class SqliteTransaction(sqlite3.Connection):
    """A connection that also accepts statements in the form that `stores/tables/` uses."""

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Any]:
        return self._asked(statement, parameters).fetchall()

    def row(self, statement: str, parameters: Sequence[Any] = ()) -> Any:
        return self._asked(statement, parameters).fetchone()

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> int:
        return self._asked(statement, parameters).rowcount

    def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        self.executemany(_as_sqlite_writes(statement), rows)

    def lock_entities(self, entities: Iterable[str], *, exclusive: bool = False) -> None:
        """Do nothing: there is one writer at a time."""

    def lock_name(self, *parts: str, shared: bool = False) -> None:
        """Do nothing, for the same reason as `lock_entities`."""

    def _asked(self, statement: str, parameters: Sequence[Any]) -> sqlite3.Cursor:
        given = [
            json.dumps(one, ensure_ascii=False) if isinstance(one, list) else one
            for one in parameters
        ]
        return self.execute(_as_sqlite_writes(statement), given)


@lru_cache(512)
def _as_sqlite_writes(statement: str) -> str:
    return statement.replace("= ANY(%s)", "IN (SELECT value FROM json_each(?))").replace("%s", "?")


def connect(path: Path, cache_kib: int) -> SqliteTransaction:
    """Open a connection outside of a transaction, with a page cache of at most `cache_kib` KiB."""
    connection = sqlite3.connect(
        path,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        factory=SqliteTransaction,
    )
    try:
        connection.execute(f"PRAGMA cache_size = {-cache_kib}")
        connection.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def prepare_writer(writer: sqlite3.Connection) -> None:
    """Set the options that are stored in the file or concern the writer only."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            writer.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # SQLite does not wait while another process switches a new file to WAL.
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    writer.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT_BYTES}")
    # Deleted content is overwritten with zeros, so that forgotten text is not in the file.
    writer.execute("PRAGMA secure_delete = ON")


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> None:
    """Apply the scripts that were not yet applied to the file, in one transaction.

    `PRAGMA user_version` counts the applied ones. Raises StorageError if a newer version has
    written the file.
    """
    if _version(connection) == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        if version > len(migrations):
            raise StorageError(
                f"{path}: written by a newer version (format {version}, this one knows {len(migrations)}); "
                "upgrade langgraph-historian, or use another data_dir"
            )
        for script in migrations[version:]:
            for statement in _statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """Split a script into statements.

    `executescript` would commit the transaction in which the migration runs.
    """
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        raise ValueError(f"the migration ends with an incomplete statement: {pending.strip():.60}")
