"""Events with vectors and keywords in `index.sqlite`: the primary data from which other indexes are derived."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from ...schema.errors import InvalidInput
from ...schema.event import Event, EventFilter, EventLink, EventOutline
from ...schema.protocols import Matrix, ScopeNews, Vector
from . import event_keywords
from .database import SqliteDatabase
from .event_links import clear_links, set_links
from .event_rows import (
    AMONG,
    EVENT_COLUMNS,
    EVENT_COLUMNS_OF_E,
    as_json,
    blob_to_vector,
    blobs_to_matrix,
    conditions,
    row_to_event,
    scope_number,
    spoken_in,
    vector_to_blob,
)
from .event_writing import delete_events, insert_events
from .fingerprint import check_dimension, read_fingerprint, set_fingerprint
from .index_outbox import Outbox, fill_outbox
from .index_schema import row_range
from .scope_rows import add_vectors, count_removals, remove_vectors
from .tombstones import add_tombstones, is_buried

_PAGES_A_TIDY = 200
_NO_LIMIT = -1
_SECONDS_OF_EVER = 2.0**62


class SqliteEventStore:
    """The `EventStore` of one `index.sqlite`.

    The database may be shared with `SqliteLedger` and `SqliteProfileIndex`; `close` closes it for all of them.
    """

    def __init__(self, database: SqliteDatabase) -> None:
        self.database = database
        self._outbox = Outbox()
        self._bring_words_up_to_date()

    def file_job(self, job_id: str, events: Sequence[Event], vectors: Sequence[Vector | None]) -> bool:
        """See `EventStore.file_job`.

        Raises FingerprintMismatch if the dimension of a vector differs from the stored ones, and InvalidInput for
        inconsistent arguments; nothing is written then.
        """
        blobs = [None if vector is None else vector_to_blob(vector) for vector in vectors]
        _check_job(job_id, events, blobs)
        with self.database.writing() as connection:
            if _is_filed(connection, job_id) or is_buried(
                connection,
                job_id,
                {entity for event in events for entity in event.entities},
                max((event.timestamp for event in events), default=0.0),
            ):
                return False
            check_dimension(connection, blobs)
            taken = connection.execute(
                f"SELECT event_id FROM events WHERE event_id {AMONG}",
                (as_json(event.event_id for event in events),),
            ).fetchone()
            if taken:
                raise InvalidInput(f"event_id: {taken[0]!r} belongs to another job; ids are made as job_id:n")
            connection.execute("INSERT INTO filed_jobs (job_id) VALUES (?)", (job_id,))
            handed = self._insert(connection, events, blobs)
        self._outbox.hand_out(handed)
        return True

    def file_new(self, events: Sequence[Event], vectors: Sequence[Vector | None]) -> list[str]:
        """See `EventStore.file_new`. For events without a job, whose ids are derived from their content.

        The derived index is updated when the owner is idle. Raises as `file_job`.
        """
        blobs = [None if vector is None else vector_to_blob(vector) for vector in vectors]
        if len(events) != len(blobs):
            raise InvalidInput(f"file_new: {len(events)} events and {len(blobs)} vectors; give one vector or None an event")
        wanted = {event.event_id: (event, blob) for event, blob in zip(events, blobs, strict=True)}
        with self.database.writing() as connection:
            found = connection.execute(f"SELECT event_id FROM events WHERE event_id {AMONG}", (as_json(wanted),))
            for (known,) in found.fetchall():
                del wanted[known]
            new = [
                (event, blob)
                for event, blob in wanted.values()
                if not is_buried(connection, event.job_id, event.entities, event.timestamp)
            ]
            check_dimension(connection, [blob for _, blob in new])
            self._insert(connection, [event for event, _ in new], [blob for _, blob in new])
        return [event.event_id for event, _ in new]

    def is_filed(self, job_id: str) -> bool:
        with self.database.reading() as connection:
            return _is_filed(connection, job_id)

    def get(self, event_ids: Sequence[str]) -> list[Event]:
        found = self.database.rows(f"SELECT {EVENT_COLUMNS} FROM events WHERE event_id {AMONG}", (as_json(event_ids),))
        events = {row[0]: row_to_event(row) for row in found}
        return [events[event_id] for event_id in event_ids if event_id in events]

    def at_rows(self, rows: Sequence[int]) -> list[Event]:
        if not rows:
            return []
        places = ",".join("?" * len(rows))
        found = self.database.rows(f"SELECT {EVENT_COLUMNS} FROM events WHERE row IN ({places})", tuple(rows))
        return [row_to_event(row) for row in found]

    def find(self, where: EventFilter, *, limit: int = 100, newest_first: bool = True) -> list[Event]:
        """Return matching events ordered by time, events of the same time in the order of filing."""
        direction = "DESC" if newest_first else "ASC"
        with self.database.reading() as connection:
            condition, parameters = conditions(connection, where)
            found = connection.execute(
                f"SELECT {EVENT_COLUMNS_OF_E} FROM events e WHERE {condition}"
                f" ORDER BY e.timestamp {direction}, e.row {direction} LIMIT ?",
                (*parameters, max(limit, 0)),
            ).fetchall()
        return [row_to_event(row) for row in found]

    def search_keywords(self, query: str, where: EventFilter, limit: int) -> list[tuple[str, float]]:
        with self.database.reading() as connection:
            return event_keywords.search(connection, query, where, limit)

    def vectors(self, where: EventFilter) -> tuple[list[str], Matrix]:
        with self.database.reading() as connection:
            condition, parameters = conditions(connection, where, column="v.sequence")
            # Whole scopes are read in the order of the vectors; for narrower filters the events are found first.
            join = "JOIN" if where.narrows else "CROSS JOIN"
            found = connection.execute(
                f"SELECT e.event_id, v.vector FROM event_vectors v {join} events e ON e.row = v.row"
                f" WHERE {condition} ORDER BY v.sequence",
                parameters,
            ).fetchall()
        return [row[0] for row in found], blobs_to_matrix([row[1] for row in found])

    def news(self, scope_key: str, after_sequence: int, after_row: int, limit: int = _NO_LIMIT) -> ScopeNews:
        with self.database.reading() as connection:
            rows = _rows_of(connection, scope_key)
            if rows is None:
                return ScopeNews([], [], [], blobs_to_matrix([]), after_sequence)
            outlines = _outline(connection, rows, after_row, limit)
            most = 0 if len(outlines) == limit else limit
            ids, vectors, sequence = _vectors_since(connection, rows, after_sequence, most)
            words = event_keywords.words_of(connection, outlines[0].row, outlines[-1].row) if outlines else []
        return ScopeNews(outlines, words, ids, vectors, sequence)

    def change_number(self, scope_key: str) -> tuple[int, int]:
        row = self.database.row("SELECT additions, removals FROM scopes WHERE scope_key = ?", (scope_key,))
        return (0, 0) if row is None else (row[0], row[1])

    def supersede(self, links: Sequence[EventLink]) -> list[str]:
        if not links:
            return []
        with self.database.writing() as connection:
            return set_links(connection, links)

    def ended_by(self, event_id: str) -> list[Event]:
        found = self.database.rows(
            f"SELECT {EVENT_COLUMNS}, row FROM events WHERE superseded_by = ? AND superseded_by != ''"
            f" UNION SELECT {EVENT_COLUMNS}, row FROM events WHERE corrected_by = ? AND corrected_by != '' ORDER BY row",
            (event_id, event_id),
        )
        return [row_to_event(row) for row in found]

    def uphold(self, event_ids: Sequence[str]) -> int:
        with self.database.writing() as connection:
            return clear_links(connection, event_ids)

    def edit(self, event_id: str, text: str, vector: Vector | None) -> bool:
        """Replace the text and vector of an event (None: to be embedded later). Return False if it does not exist."""
        blob = None if vector is None else vector_to_blob(vector)
        with self.database.writing() as connection:
            found = connection.execute("SELECT row FROM events WHERE event_id = ?", (event_id,)).fetchone()
            if found is None:
                return False
            row = int(found[0])
            check_dimension(connection, [blob])
            connection.execute("UPDATE events SET text = ?, embedded = 0, rewritten_by = 'hand' WHERE row = ?", (text, row))
            event_keywords.remove_words(connection, [row])
            event_keywords.add_words(connection, [(row, text)])
            remove_vectors(connection, [row])
            count_removals(connection, [row])
            if blob is not None:
                add_vectors(connection, [(row, blob)])
            self._outbox.add(connection, [event_id])
        return True

    def delete(self, event_ids: Sequence[str]) -> int:
        if not event_ids:
            return 0
        with self.database.writing() as connection:
            return self._delete(connection, EventFilter(None, event_ids=tuple(event_ids)))

    def forget(
        self,
        where: EventFilter,
        *,
        job_ids: Sequence[str] = (),
        entities: Sequence[str] = (),
        until: float = _SECONDS_OF_EVER,
    ) -> int:
        """Permanently delete the matching events. Return how many.

        Jobs in `job_ids`, and jobs of `entities` (`Job.entities`: `user:42`) at `until` or before (seconds since the epoch), are
        never filed afterwards. Texts are overwritten in the file, in the keyword index and in the write-ahead log. Raises
        InvalidInput for an empty filter; to delete all events, delete the data directory.
        """
        if where == EventFilter(None):
            raise InvalidInput("forget: the filter is empty; give a scope, a user, a time or event ids")
        with self.database.writing() as connection:
            add_tombstones(connection, "job", job_ids, _SECONDS_OF_EVER)
            add_tombstones(connection, "entity", entities, until)
            deleted = self._delete(connection, where)
            event_keywords.scrub_words(connection)
        self.database.truncate_log()
        return deleted

    def is_forgotten(self, job_id: str, entities: Iterable[str] = (), timestamp: float = 0.0) -> bool:
        """Return True if a job, or one of its entities at its time (seconds since the epoch), was forgotten."""
        with self.database.reading() as connection:
            return is_buried(connection, job_id, entities, timestamp)

    def without_vector(self, limit: int) -> list[Event]:
        found = self.database.rows(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE embedded = 0 ORDER BY timestamp, row LIMIT ?", (max(limit, 0),)
        )
        return [row_to_event(row) for row in found]

    def set_vectors(self, event_ids: Sequence[str], vectors: Sequence[Vector]) -> None:
        """Store embeddings of events. Events deleted meanwhile are skipped.

        Raises FingerprintMismatch if a dimension differs from the stored one; nothing is written then.
        """
        if len(event_ids) != len(vectors):
            raise InvalidInput(f"set_vectors: {len(event_ids)} ids and {len(vectors)} vectors; give one vector an id")
        blobs = {event_id: vector_to_blob(vector) for event_id, vector in zip(event_ids, vectors, strict=True)}
        with self.database.writing() as connection:
            check_dimension(connection, list(blobs.values()))
            found = connection.execute(
                f"SELECT row, event_id, embedded FROM events WHERE event_id {AMONG} ORDER BY row",
                (as_json(blobs),),
            ).fetchall()
            replaced = [row for row, _, embedded in found if embedded]
            remove_vectors(connection, replaced)
            count_removals(connection, replaced)
            add_vectors(connection, [(row, blobs[event_id]) for row, event_id, _ in found])
            self._outbox.add(connection, [event_id for _, event_id, _ in found])

    def embedded_count(self) -> int:
        """Return the number of events with a vector, which is the expected size of the derived index."""
        (count,) = self.database.row(
            "SELECT (SELECT ifnull(sum(events), 0) FROM scopes) - (SELECT count(*) FROM events WHERE embedded = 0)"
        )
        return int(count)

    def unindexed(self, limit: int) -> tuple[list[tuple[Event, Vector]], list[str]]:
        found = self.database.rows(
            f"SELECT {EVENT_COLUMNS_OF_E}, v.vector, o.item_id, o.version FROM event_outbox o"
            " LEFT JOIN events e ON e.event_id = o.item_id LEFT JOIN event_vectors v ON v.row = e.row"
            " ORDER BY o.version LIMIT ?",
            (max(limit, 0),),
        )
        self._outbox.hand_out({row[-2]: row[-1] for row in found})
        wanted = [(row_to_event(row), blob_to_vector(row[-3])) for row in found if row[-3] is not None]
        return wanted, [row[-2] for row in found if row[-3] is None]

    def unindexed_vectors(self, limit: int) -> tuple[list[str], list[str], Matrix]:
        with self.database.reading() as connection:
            found = connection.execute(
                "SELECT o.item_id, v.vector FROM event_outbox o LEFT JOIN events e ON e.event_id = o.item_id"
                " LEFT JOIN event_vectors v ON v.row = e.row ORDER BY o.version LIMIT ?",
                (max(limit, 0),),
            ).fetchall()
        embedded = [row for row in found if row[1] is not None]
        return [row[0] for row in found], [row[0] for row in embedded], blobs_to_matrix([row[1] for row in embedded])

    def mark_indexed(self, added: Sequence[str], dropped: Sequence[str]) -> None:
        """Remove events from the outbox, except those changed again after they were handed out."""
        with self.database.writing(durable=False) as connection:
            self._outbox.remove(connection, [*added, *dropped])

    def reindex_all(self) -> None:
        with self.database.writing() as connection:
            connection.execute("DELETE FROM event_outbox")
            fill_outbox(connection, "SELECT e.event_id FROM event_vectors v JOIN events e ON e.row = v.row ORDER BY v.sequence")

    def fingerprint(self) -> tuple[str, int] | None:
        with self.database.reading() as connection:
            return read_fingerprint(connection)

    def set_fingerprint(self, model: str, dimension: int) -> None:
        if self.fingerprint() == (model, dimension):
            return
        with self.database.writing() as connection:
            set_fingerprint(connection, model, dimension)

    def has_spoken(self, scope_key: str, user_id: str) -> bool:
        with self.database.reading() as connection:
            condition, parameters = spoken_in(connection, scope_key, "u.id")
            found = connection.execute(f"SELECT 1 FROM (SELECT ? AS id) u WHERE {condition}", (user_id, *parameters)).fetchone()
        return found is not None

    def tidy(self) -> bool:
        """Merge a part of the keyword index (about ten milliseconds). Return False if nothing is left to do."""
        with self.database.writing(durable=False) as connection:
            return event_keywords.merge_words(connection, _PAGES_A_TIDY)

    def checkpoint(self) -> bool:
        """Move the write-ahead log into the file and empty it. Return False if a reader of another process prevents it."""
        return self.database.truncate_log()

    def count(self, where: EventFilter | None = None) -> int:
        with self.database.reading() as connection:
            if where is None or where == EventFilter(None):
                return int(connection.execute("SELECT ifnull(sum(events), 0) FROM scopes").fetchone()[0])
            condition, parameters = conditions(connection, where)
            return int(connection.execute(f"SELECT count(*) FROM events e WHERE {condition}", parameters).fetchone()[0])

    def scopes(self) -> list[tuple[str, int]]:
        return self.database.rows("SELECT scope_key, events FROM scopes WHERE events > 0 ORDER BY scope_number")

    def close(self) -> None:
        self.database.close()

    def _insert(self, connection: sqlite3.Connection, events: Sequence[Event], blobs: Sequence[bytes | None]) -> dict[str, int]:
        """Insert new events with words and vectors. Return their versions in the outbox."""
        insert_events(connection, events, blobs)
        return self._outbox.add(
            connection, [event.event_id for event, blob in zip(events, blobs, strict=True) if blob is not None]
        )

    def _bring_words_up_to_date(self) -> None:
        form = event_keywords.words_form()
        with self.database.reading() as connection:
            known = connection.execute("SELECT value FROM meta WHERE name = 'words'").fetchone()
        if known == (form,):
            return
        with self.database.writing() as connection:
            event_keywords.rebuild_words(connection)
            connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('words', ?)", (form,))

    def _delete(self, connection: sqlite3.Connection, where: EventFilter) -> int:
        condition, parameters = conditions(connection, where)
        found = connection.execute(f"SELECT e.row, e.event_id FROM events e WHERE {condition}", parameters).fetchall()
        delete_events(connection, [row for row, _ in found])
        self._outbox.add(connection, [event_id for _, event_id in found])
        return len(found)


def _check_job(job_id: str, events: Sequence[Event], blobs: Sequence[bytes | None]) -> None:
    if len(events) != len(blobs):
        raise InvalidInput(f"job {job_id!r}: {len(events)} events and {len(blobs)} vectors; give one vector or None an event")
    if len({event.event_id for event in events}) != len(events):
        raise InvalidInput(f"job {job_id!r}: two events with one event_id; ids are made as job_id:n")
    stranger = next((event for event in events if event.job_id != job_id), None)
    if stranger is not None:
        raise InvalidInput(f"job {job_id!r}: event {stranger.event_id!r} belongs to job {stranger.job_id!r}")


def _is_filed(connection: sqlite3.Connection, job_id: str) -> bool:
    return connection.execute("SELECT 1 FROM filed_jobs WHERE job_id = ?", (job_id,)).fetchone() is not None


def _rows_of(connection: sqlite3.Connection, scope_key: str) -> tuple[int, int] | None:
    """Return the range of row numbers of a scope; None for an unknown scope."""
    number = scope_number(connection, scope_key)
    return None if number is None else row_range(number)


def _vectors_since(
    connection: sqlite3.Connection, rows: tuple[int, int], sequence: int, limit: int
) -> tuple[list[str], Matrix, int]:
    """Return ids and vectors after a sequence number, and the newest number. Later embedding gives a new number."""
    found = connection.execute(
        "SELECT e.event_id, v.vector, v.sequence FROM event_vectors v CROSS JOIN events e ON e.row = v.row"
        " WHERE v.sequence BETWEEN ? AND ? ORDER BY v.sequence LIMIT ?",
        (max(rows[0], sequence + 1), rows[1], limit),
    ).fetchall()
    newest = found[-1][2] if found else sequence
    return [row[0] for row in found], blobs_to_matrix([row[1] for row in found]), newest


_ASKS = """(length(text) <= 160 AND substr(rtrim(text, ' 。.!！~～…"”’)）'), -1) IN ('?', '？', '吗', '呢', '么', '嘛'))"""


def _outline(connection: sqlite3.Connection, rows: tuple[int, int], after_row: int, limit: int) -> list[EventOutline]:
    found = connection.execute(
        "SELECT row, event_id, job_id, kind, user_id, user_name, timestamp, source, is_absolute = 1, occurs_from, occurs_until,"
        f" superseded_by, superseded_at, corrected_by, {_ASKS} FROM events WHERE row BETWEEN ? AND ? ORDER BY row LIMIT ?",
        (max(rows[0], after_row + 1), rows[1], limit),
    ).fetchall()
    return [EventOutline._make(row)._replace(is_absolute=bool(row[8]), asks=bool(row[14])) for row in found]
