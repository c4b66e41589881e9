"""Events written anew: their former texts, and how far each run is that does so.

A change and the progress of its run are one transaction: after a crash a run goes on behind the last event that it has seen.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...schema.event import Event, EventFilter, Revision
from ...schema.protocols import Vector
from . import event_keywords
from .database import SqliteDatabase
from .event_rows import AMONG, EVENT_COLUMNS_OF_E, as_json, conditions, event_to_row, row_to_event, vector_to_blob
from .fingerprint import check_dimension
from .index_outbox import Outbox
from .scope_rows import add_vectors, count_removals, remove_vectors

_WRITTEN = ("text", "is_absolute", "gate_reasons", "rewritten_by", "speakers", "handed_over", "said_by", "occurs_from")
_WRITTEN_ANEW = (*_WRITTEN, "occurs_until", "version")
_NAMES = [one.removeprefix("e.") for one in EVENT_COLUMNS_OF_E.split(", ")]
_UPDATE = f"UPDATE events SET {', '.join(f'{name} = ?' for name in _WRITTEN_ANEW)} WHERE row = ?"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: events `seen`, with a text `changed`, that became absolute (`gained`) or are no longer (`lost`)."""

    last_row: int
    seen: int
    changed: int
    gained: int
    lost: int
    done: bool


class Change(NamedTuple):
    """An event before and after; `vector` is that of the new text (None: to be embedded later, or the text is the same)."""

    before: Event
    after: Event
    vector: Vector | None = None


class EventRevisions:
    """Revisions of events and the runs that make them, in one `index.sqlite`."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def begin(self, run: str, started: float) -> None:
        """Begin a run (`started` in seconds since the epoch). One that has begun stays as it is."""
        self._database.run("INSERT OR IGNORE INTO reprocessing_runs (run, started) VALUES (?, ?)", (run, started))

    def progress(self, run: str) -> Progress | None:
        """Return how far a run is; None before it has begun."""
        query = "SELECT last_row, seen, changed, gained, lost, done FROM reprocessing_runs WHERE run = ?"
        found = self._database.row(query, (run,))
        if found is None:
            return None
        last_row, seen, changed, gained, lost, done = found
        return Progress(last_row, seen, changed, gained, lost, bool(done))

    def after(self, row: int, where: EventFilter, limit: int) -> list[tuple[int, Event]]:
        """Return the next matching events behind a row, with their rows, by scope and in the order of filing."""
        with self._database.reading() as connection:
            condition, parameters = conditions(connection, where)
            found = connection.execute(
                f"SELECT {EVENT_COLUMNS_OF_E}, e.row FROM events e WHERE {condition} AND e.row > ? ORDER BY e.row LIMIT ?",
                (*parameters, row, limit),
            ).fetchall()
        return [(one[-1], row_to_event(one)) for one in found]

    def advance(
        self, run: str, *, seen: int, rows: tuple[int, int], changes: Sequence[Change], now: str, done: bool = False
    ) -> bool:
        """Write the changes and note that the run has come from the first of `rows` to the second, in one transaction.

        Returns False, and writes nothing, if the run stands elsewhere. An event that was edited, or is gone, stays so.
        """
        with self._database.writing() as connection:
            moved = connection.execute(
                "UPDATE reprocessing_runs SET last_row = ?, seen = seen + ?, done = ?"
                " WHERE run = ? AND last_row = ? AND done = 0",
                (rows[1], seen, done, run, rows[0]),
            )
            if not moved.rowcount:
                return False
            check_dimension(connection, [None if one.vector is None else vector_to_blob(one.vector) for one in changes])
            counts = [self._write(connection, run, one, now) for one in changes]
            connection.execute(
                "UPDATE reprocessing_runs SET changed = changed + ?, gained = gained + ?, lost = lost + ? WHERE run = ?",
                (*map(sum, zip(*counts, strict=True)), run) if counts else (0, 0, 0, run),
            )
        return True

    def of(self, event_ids: Iterable[str]) -> Mapping[str, list[Revision]]:
        """Return the former texts of events that have any, oldest first."""
        found = self._database.rows(
            "SELECT e.event_id, r.revision, r.text, r.is_absolute, r.rewritten_by, r.replaced_at FROM events e"
            f" CROSS JOIN event_revisions r ON r.row = e.row WHERE e.event_id {AMONG} ORDER BY r.row, r.revision",
            (as_json(event_ids),),
        )
        revisions: dict[str, list[Revision]] = {}
        for event_id, number, text, absolute, writer, at in found:
            revisions.setdefault(event_id, []).append(Revision(number, text, bool(absolute), writer, at))
        return revisions

    def examples(self, run: str, limit: int) -> Iterator[tuple[str, str, str]]:
        """Yield some of what a run changed, as (event id, text before, text now)."""
        yield from self._database.rows(
            "SELECT e.event_id, r.text, e.text FROM event_revisions r JOIN events e ON e.row = r.row"
            " WHERE r.run = ? AND r.text != e.text ORDER BY r.row LIMIT ?",
            (run, limit),
        )

    def _write(self, connection: sqlite3.Connection, run: str, change: Change, now: str) -> tuple[int, int, int]:
        """Write one event anew; returns (changed, gained, lost), each 0 or 1."""
        before, after = change.before, change.after
        found = connection.execute(
            "SELECT row FROM events WHERE event_id = ? AND text = ? AND handed_over = ? AND rewritten_by = ?",
            (before.event_id, before.text, before.handed_over, before.rewritten_by),
        ).fetchone()
        if found is None or before == after:
            return 0, 0, 0
        row = int(found[0])
        values = dict(zip(_NAMES, event_to_row(after), strict=True))
        connection.execute(_UPDATE, (*(values[name] for name in _WRITTEN_ANEW), row))
        if (before.text, before.is_absolute) != (after.text, after.is_absolute):
            connection.execute(
                "INSERT INTO event_revisions (row, revision, text, is_absolute, rewritten_by, replaced_at, run) SELECT ?,"
                " 1 + (SELECT ifnull(max(revision), 0) FROM event_revisions WHERE row = ?), ?, ?, ?, ?, ?",
                (row, row, before.text, before.is_absolute, before.rewritten_by, now, run),
            )
        if before.text != after.text:
            connection.execute("UPDATE events SET embedded = 0 WHERE row = ?", (row,))
            event_keywords.remove_words(connection, [row])
            event_keywords.add_words(connection, [(row, after.text)])
            remove_vectors(connection, [row])
            if change.vector is not None:
                add_vectors(connection, [(row, vector_to_blob(change.vector))])
            Outbox().add(connection, [before.event_id])
        count_removals(connection, [row])
        return (
            int(before.text != after.text),
            int(after.is_absolute and not before.is_absolute),
            int(before.is_absolute and not after.is_absolute),
        )


def insert_revisions(connection: sqlite3.Connection, revisions: Mapping[str, Sequence[Revision]]) -> None:
    """Insert the former texts of events that were just inserted, in a transaction of the caller."""
    connection.executemany(
        "INSERT OR IGNORE INTO event_revisions (row, revision, text, is_absolute, rewritten_by, replaced_at)"
        " SELECT row, ?, ?, ?, ?, ? FROM events WHERE event_id = ?",
        [
            (one.revision, one.text, one.is_absolute, one.rewritten_by, one.replaced_at, event_id)
            for event_id, some in revisions.items()
            for one in some
        ],
    )
