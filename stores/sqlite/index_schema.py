"""The tables of `index.sqlite`, as migrations.

Events of a scope are stored contiguously: a row number is `scope_number << 32 | n`, n counting within the scope, and so is
the sequence number of a vector. Reading a scope reads one range of a table, and a keyword search in a scope reads
one range of the postings of each word in FTS5, which are sorted by row number. (Measured at 100,000 events in 200 scopes,
queries of 15 words: scope as a word of its own and `bm25()` 5.0 ms at the median and 12.7 ms at p99, words glued to
their scope 1.0 and 1.6 ms but twice the index and the wrong statistics, the range 1.1 and 2.7 ms, a table of postings
0.6 and 1.4 ms but three times the cost of a write.) A query for one scope therefore cannot return events of another.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ...text.search_words import FTS5_TOKENIZER
from ..migrations import migrations
from .database import SqliteDatabase

MIGRATIONS = migrations("sqlite/migrations/index", TOKENIZER=FTS5_TOKENIZER)


def open_index(path: Path, *, busy_seconds: float = 10.0) -> SqliteDatabase:
    """Open `index.sqlite` and create it if it does not exist. Raises StorageError if the file is damaged or locked."""
    return SqliteDatabase(path, MIGRATIONS, busy_seconds=busy_seconds)


def has_lost_version(path: Path) -> bool:
    """Return True if a file holds tables of the index, but says by its version that no migration was applied to it."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            return not connection.execute("PRAGMA user_version").fetchone()[0] and "events" in _tables(connection)
    except sqlite3.Error:
        return False


def missing_columns(connection: sqlite3.Connection) -> list[str]:
    """Return the tables, and the columns as `table.column`, that a file of the newest version lacks."""
    found = {table: _columns(connection, table) for table in _tables(connection)}
    missing: list[str] = []
    with closing(sqlite3.connect(":memory:")) as whole:
        for script in MIGRATIONS:
            whole.executescript(script)
        for table in _tables(whole):
            lacking = _columns(whole, table) - found.get(table, set())
            missing += [f"{table}.{column}" for column in sorted(lacking)] if table in found else [table]
    return missing


def _tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [name for (name,) in found]


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')}
