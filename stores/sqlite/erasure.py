"""Erasure of the data of a person or a group from `index.sqlite`, without remains in the file.

Rows are deleted with `secure_delete`, which overwrites them with zeros. That is not sufficient: FTS5 keeps the words of a
deleted row until their segment is merged, and moved pages leave copies. Therefore `compact` merges each keyword index into
one segment (`secure-delete` of FTS5 would have the same effect row by row, but needs SQLite 3.42 and makes the file read-only
for older versions), rewrites the whole file and empties the write-ahead log.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from ...schema.entity import Entity
from ...schema.event import Event, EventFilter
from ...schema.profile import ProfileKey
from ..files.naming import PROFILES, is_noted_of
from . import event_keywords
from .database import SqliteDatabase
from .event_rows import AMONG, EVENT_COLUMNS_OF_E, as_json, conditions, row_to_event
from .event_writing import delete_events
from .tombstones import add_tombstones

_SECONDS_OF_EVER = 2.0**62
_ROWS_AT_ONCE = 1_000


class IndexErasure:
    """Erasure in the `index.sqlite` of events, profile index, ledger and notes. Every call is idempotent."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def bury(self, entity: str, until: float) -> None:
        """Prevent filing of jobs of `entity` (`user:42`) at `until` or before (seconds since the epoch)."""
        with self._database.writing() as connection:
            add_tombstones(connection, "entity", [entity], until)

    def events(self, where: EventFilter) -> Iterator[Event]:
        """Yield all matching events, by scope and in the order of filing. Reads a thousand at a time."""
        last = -1
        while True:
            with self._database.reading() as connection:
                condition, parameters = conditions(connection, where)
                found = connection.execute(
                    f"SELECT {EVENT_COLUMNS_OF_E}, e.row FROM events e WHERE {condition} AND e.row > ? ORDER BY e.row LIMIT ?",
                    (*parameters, last, _ROWS_AT_ONCE),
                ).fetchall()
            yield from map(row_to_event, found)
            if len(found) < _ROWS_AT_ONCE:
                return
            last = found[-1][-1]

    def erase_events(self, where: EventFilter) -> int:
        """Delete events with words, vectors and the ledger entries of their jobs. Return how many.

        Each job gets a tombstone, so that it is not filed again if it is submitted with a later time.
        """
        erased = 0
        while True:
            with self._database.writing() as connection:
                condition, parameters = conditions(connection, where)
                found = connection.execute(
                    f"SELECT e.row, e.job_id FROM events e WHERE {condition} LIMIT ?", (*parameters, _ROWS_AT_ONCE)
                ).fetchall()
                if not found:
                    return erased
                jobs = as_json({job_id for _, job_id in found})
                written = connection.execute(f"SELECT job_id FROM filed_jobs WHERE job_id {AMONG}", (jobs,)).fetchall()
                add_tombstones(connection, "job", [job_id for (job_id,) in written], _SECONDS_OF_EVER)
                for table in ("filed_jobs", "ledger"):
                    connection.execute(f"DELETE FROM {table} WHERE job_id {AMONG}", (jobs,))
                delete_events(connection, [row for row, _ in found])
                erased += len(found)

    def bury_jobs(self, job_ids: Sequence[str]) -> None:
        """Prevent filing of jobs, and remove their ledger entries."""
        with self._database.writing() as connection:
            add_tombstones(connection, "job", job_ids, _SECONDS_OF_EVER)
            connection.execute(f"DELETE FROM ledger WHERE job_id {AMONG}", (as_json(job_ids),))

    def erase_profiles(self, entity: Entity) -> int:
        """Remove all layers of the profile of an entity from the index, with their vectors. Return how many.

        Of a group, the layers of user profiles that belong to it are removed as well.
        """
        with self._database.writing() as connection:
            gone = []
            for table in ("profiles", "other_profile_vectors"):
                found = connection.execute(f"SELECT DISTINCT item_id FROM {table}").fetchall()
                gone.append(
                    [(name,) for (name,) in found if PROFILES.is_of(PROFILES.place(ProfileKey.of_index_id(name)), entity)]
                )
            connection.executemany(
                "INSERT INTO profile_keywords (profile_keywords, rowid, words)"
                " SELECT 'delete', row, words FROM profiles WHERE item_id = ?",
                gone[0],
            )
            for table, names in zip(("profiles", "other_profile_vectors"), gone, strict=True):
                connection.executemany(f"DELETE FROM {table} WHERE item_id = ?", names)
        return len(gone[0])

    def erase_ledger(self, entity: Entity) -> None:
        """Remove the ledger entries of profiles and articles that are erased with an entity."""
        with self._database.writing() as connection:
            found = connection.execute("SELECT DISTINCT entity_key FROM ledger").fetchall()
            connection.executemany(
                "DELETE FROM ledger WHERE entity_key = ?", [one for one in found if is_noted_of(one[0], entity)]
            )

    def erase_notes(self, scope_key: str) -> int:
        """Remove the manifest entries of the note files of a scope. Return how many. Their events are erased separately."""
        with self._database.writing() as connection:
            connection.execute(
                "DELETE FROM note_chunks WHERE file_number IN (SELECT file_number FROM note_files WHERE scope_key = ?)",
                (scope_key,),
            )
            return connection.execute("DELETE FROM note_files WHERE scope_key = ?", (scope_key,)).rowcount

    def compact(self) -> bool:
        """Merge the keyword indexes, rewrite the file, empty the log. Return False if a reader prevents emptying the log.

        Takes the time and the free space of a copy of the file; readers are not blocked. Raises StorageError.
        """
        with self._database.writing() as connection:
            event_keywords.scrub_words(connection)
            connection.execute("INSERT INTO profile_keywords (profile_keywords) VALUES ('optimize')")
            for table in ("event_keywords", "profile_keywords"):
                _check_or_rebuild(connection, table)
        return self._database.vacuum()


def _check_or_rebuild(connection: sqlite3.Connection, table: str) -> None:
    """Rebuild an index from its rows if it contains words of missing rows (after damage)."""
    connection.execute("SAVEPOINT words")
    try:
        connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError:
        connection.execute("ROLLBACK TO words")
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")
    connection.execute("RELEASE words")
