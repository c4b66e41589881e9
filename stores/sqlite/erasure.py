"""Erasure of the data of a person or a group from `index.sqlite`, without remains in the file.

Rows are deleted with `secure_delete`, which overwrites them with zeros. That is not sufficient: FTS5 keeps the words of a
deleted row until their segment is merged, and moved pages leave copies. Therefore `merge_words` merges each keyword index into
one segment (`secure-delete` of FTS5 would have the same effect row by row, but needs SQLite 3.42 and makes the file read-only
for older versions), and `rewrite_file` rewrites the whole file and empties the write-ahead log.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence

from ...schema.entity import Entity
from ...schema.event import Event, EventFilter
from ...schema.profile import ProfileKey
from ..files.naming import PROFILES, is_noted_of
from . import event_keywords
from .database import SqliteDatabase
from .event_rows import AMONG, EVENT_COLUMNS_OF_E, as_json, conditions, row_to_event
from .event_writing import delete_events
from .index_schema import SCOPE_SHIFT
from .tombstones import add_tombstones

log = logging.getLogger(__name__)

_SECONDS_OF_EVER = 2.0**62
_ROWS_AT_ONCE = 1_000
ERASED_AT_ONCE = 500
"""Events deleted in one transaction, for about a tenth of a second."""
_PAGES_AT_ONCE = 200
_MENTIONS = "mentions of "


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
        if where.people:  # found by two indexes, neither of which gives that order: the rows are sorted once
            yield from self._events_at(where)
            return
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

    def _events_at(self, where: EventFilter) -> Iterator[Event]:
        with self._database.reading() as connection:
            condition, parameters = conditions(connection, where)
            rows = sorted(row for (row,) in connection.execute(f"SELECT e.row FROM events e WHERE {condition}", parameters))
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            some = as_json(rows[start : start + _ROWS_AT_ONCE])
            found = self._database.rows(f"SELECT {EVENT_COLUMNS_OF_E} FROM events e WHERE e.row {AMONG} ORDER BY e.row", (some,))
            yield from map(row_to_event, found)

    def erase_events(self, where: EventFilter) -> int:
        """Delete events with words, vectors and the ledger entries of their jobs. Return how many.

        Each job gets a tombstone, so that it is not filed again if it is submitted with a later time.
        """
        erased = 0
        while some := self.erase_some(where):
            erased += some
        return erased

    def last_rows(self, where: EventFilter) -> list[int]:
        """Return the last row of each scope with matching events: what is filed from now on has higher ones."""
        with self._database.reading() as connection:
            condition, parameters = conditions(connection, where)
            found = connection.execute(
                "SELECT scope_number << ? | last_row FROM scopes WHERE scope_number IN"
                f" (SELECT DISTINCT e.row >> ? FROM events e WHERE {condition})",
                (SCOPE_SHIFT, SCOPE_SHIFT, *parameters),
            ).fetchall()
        return [row for (row,) in found]

    def erase_some(
        self,
        where: EventFilter,
        *,
        last_rows: Sequence[int] | None = None,
        before: Callable[[Sequence[str], Sequence[str]], None] | None = None,
    ) -> int:
        """Delete some of the matching events as `erase_events`, in one short transaction. Return how many.

        With `last_rows`, only of these scopes and up to these rows. `before` is called with their texts and the ids of their
        jobs while they can still be read.
        """
        with self._database.writing() as connection:
            condition, parameters = conditions(connection, where)
            if last_rows is not None:
                condition += " AND e.row <= (SELECT value FROM json_each(?) WHERE value >> ? = e.row >> ?)"
                parameters += [as_json(last_rows), SCOPE_SHIFT, SCOPE_SHIFT]
            found = connection.execute(
                f"SELECT e.row, e.job_id, e.text, e.handed_over FROM events e WHERE {condition} LIMIT ?",
                (*parameters, ERASED_AT_ONCE),
            ).fetchall()
            if before is not None and found:
                former = connection.execute(
                    f"SELECT text FROM event_revisions WHERE row {AMONG}", (as_json(row for row, *_ in found),)
                ).fetchall()
                before(
                    [text for _, _, *texts in found for text in texts] + [text for (text,) in former],
                    [job_id for _, job_id, *_ in found],
                )
            jobs = as_json({job_id for _, job_id, *_ in found})
            written = connection.execute(f"SELECT job_id FROM filed_jobs WHERE job_id {AMONG}", (jobs,)).fetchall()
            add_tombstones(connection, "job", [job_id for (job_id,) in written], _SECONDS_OF_EVER)
            for table in ("filed_jobs", "ledger"):
                connection.execute(f"DELETE FROM {table} WHERE job_id {AMONG}", (jobs,))
            delete_events(connection, [row for row, *_ in found])
        return len(found)

    def keep_mentions(self, entity: str, mentions: Sequence[tuple[str, str, str]]) -> None:
        """Note what of others mentions a forgotten entity, as (kind, id, digest of the text). Replaces what was noted before."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM meta WHERE name = ?", (_MENTIONS + entity,))
            if mentions:
                value = json.dumps([list(one) for one in mentions], ensure_ascii=False)
                connection.execute("INSERT INTO meta (name, value) VALUES (?, ?)", (_MENTIONS + entity, value))

    def kept_mentions(self, entity: str) -> set[tuple[str, str, str]]:
        """Return what `keep_mentions` noted."""
        found = self._database.row("SELECT value FROM meta WHERE name = ?", (_MENTIONS + entity,))
        return set() if found is None else {(kind, item, digest) for kind, item, digest in json.loads(found[0])}

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

    def merge_words(self) -> Iterator[None]:
        """Merge each keyword index into one segment, in short transactions; yields between two. Others may write meanwhile."""
        with self._database.writing() as connection:
            connection.execute("INSERT INTO profile_keywords (profile_keywords) VALUES ('optimize')")
        pages = -_PAGES_AT_ONCE  # negative: all segments, not only those of one size, are from now on merged into one
        while True:
            yield
            with self._database.writing() as connection:
                if not event_keywords.merge_words(connection, pages):
                    return
            pages = _PAGES_AT_ONCE

    def check_words(self) -> None:
        """Make a keyword index that holds words of no row (after damage) anew."""
        with self._database.writing() as connection:
            for table in ("event_keywords", "profile_keywords"):
                _check_or_rebuild(connection, table)

    def rewrite_file(self, stop: Callable[[], bool] = bool) -> bool:
        """Rewrite the file without the remains of what was deleted, and empty the log. Return False if `stop` broke it off.

        Takes the time and the free space of a copy of the file; readers are not blocked. `stop` is asked every few
        milliseconds. What a reader prevents from being emptied is overwritten when it ends. Raises StorageError.
        """
        if not self._database.vacuum(stop):
            return False
        if not self._database.truncate_log():
            log.warning("a reader of index.sqlite is active; remains in the write-ahead log are overwritten when it ends")
        return True

    def writers_wait(self) -> bool:
        """Return True if somebody in this process waits to write."""
        return self._database.writers_wait


def _check_or_rebuild(connection: sqlite3.Connection, table: str) -> None:
    """Rebuild an index from its rows if it contains words of missing rows (after damage)."""
    connection.execute("SAVEPOINT words")
    try:
        connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError:
        connection.execute("ROLLBACK TO words")
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")
    connection.execute("RELEASE words")
