"""What forgetting a person or a group takes out of `index.sqlite`, and how the file is left without a trace of it.

Rows are deleted with `secure_delete` on, which writes zeros over them. That is not all: FTS5 keeps the words of a deleted
row until their segment is merged, and pages that moved leave copies behind. So `compact` merges the keyword indexes
into one segment each (`secure-delete` of FTS5 would do as much, row by row, but wants SQLite 3.42 and lets no older one
write the file any more), writes the whole file anew and empties the write-ahead log.
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
    """Over the `index.sqlite` that events, profiles' index, ledger and notes share. Every call may be repeated."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def bury(self, entity: str, until: float) -> None:
        """Let nothing of `entity` (`user:42`) that happened at `until` or before (seconds since the epoch) be filed any more."""
        with self._database.writing() as connection:
            add_tombstones(connection, "entity", [entity], until)

    def events(self, where: EventFilter) -> Iterator[Event]:
        """All matching events in the order of filing within their scopes, read a thousand at a time."""
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
        """Delete events with words, vectors and what the ledgers note of their jobs; returns how many.

        The jobs get tombstones of their own: one that is handed over again, under a later time, is no new one.
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
        """Let jobs never be filed (again), and drop what the ledgers note of them."""
        with self._database.writing() as connection:
            add_tombstones(connection, "job", job_ids, _SECONDS_OF_EVER)
            connection.execute(f"DELETE FROM ledger WHERE job_id {AMONG}", (as_json(job_ids),))

    def erase_profiles(self, entity: Entity) -> int:
        """Take all layers of an entity's profile out of search, with their vectors; returns how many.

        With a group goes what users are known by in it.
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
        """Drop what the ledger notes of the profiles and articles that are erased with an entity."""
        with self._database.writing() as connection:
            found = connection.execute("SELECT DISTINCT entity_key FROM ledger").fetchall()
            connection.executemany(
                "DELETE FROM ledger WHERE entity_key = ?", [one for one in found if is_noted_of(one[0], entity)]
            )

    def erase_notes(self, scope_key: str) -> int:
        """Drop what is known of the note files of a scope; returns how many. Their events are erased as events."""
        with self._database.writing() as connection:
            connection.execute(
                "DELETE FROM note_chunks WHERE file_number IN (SELECT file_number FROM note_files WHERE scope_key = ?)",
                (scope_key,),
            )
            return connection.execute("DELETE FROM note_files WHERE scope_key = ?", (scope_key,)).rowcount

    def compact(self) -> bool:
        """Merge the keyword indexes, write the file anew, empty the log. False where a reader was in the way for too long.

        Takes as long as copying the file does and as much free space; readers go on meanwhile. Raises StorageError.
        """
        with self._database.writing() as connection:
            event_keywords.scrub_words(connection)
            connection.execute("INSERT INTO profile_keywords (profile_keywords) VALUES ('optimize')")
            for table in ("event_keywords", "profile_keywords"):
                _check_or_rebuild(connection, table)
        return self._database.vacuum()


def _check_or_rebuild(connection: sqlite3.Connection, table: str) -> None:
    """An index that holds words of rows that are not there (after damage) is made anew from the rows."""
    connection.execute("SAVEPOINT words")
    try:
        connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError:
        connection.execute("ROLLBACK TO words")
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")
    connection.execute("RELEASE words")
