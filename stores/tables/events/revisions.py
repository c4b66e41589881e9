"""Rewriting of stored events: their former texts, and the progress of each run.

A change and the progress of its run are one transaction: after a crash a run continues after the
last event that it has processed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ....schema.event import Event, EventFilter, Revision
from ....schema.protocols import Vector
from ..engine import Transaction
from ..fingerprint import check_dimension
from .rows import EVENT_COLUMNS_OF_E, NAMES, BesideEvents, sizes

_WRITTEN = (
    "text",
    "is_absolute",
    "gate_reasons",
    "rewritten_by",
    "speakers",
    "handed_over",
    "said_by",
    "occurs_from",
)
WRITTEN_ANEW = (*_WRITTEN, "occurs_until", "version", "times", "people")
"""The fields of an event that a run writes."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run, in numbers of events.

    `seen`: processed; `changed`: with a new text; `gained`: became absolute; `lost`: no longer
    absolute.
    """

    last_row: int
    seen: int
    changed: int
    gained: int
    lost: int
    done: bool


class Change(NamedTuple):
    """An event before and after.

    `vector` is the vector of the new text; None if it is embedded later, or the text is the same.
    """

    before: Event
    after: Event
    vector: Vector | None = None


_UPDATE = f"UPDATE events SET {', '.join(f'{name} = %s' for name in WRITTEN_ANEW)} WHERE row = %s"


class EventRevisionTables(BesideEvents):
    """Revisions of events, and the runs that write them."""

    def begin(self, run: str, started: float) -> None:
        """Begin a run (`started` in seconds since the epoch), unless it has begun already."""
        self._database.run(
            "INSERT INTO reprocessing_runs (run, started) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (run, started),
        )

    def progress(self, run: str) -> Progress | None:
        """Return the progress of a run; None if it has not begun."""
        query = "SELECT last_row, seen, changed, gained, lost, done FROM reprocessing_runs WHERE run = %s"
        found = self._database.row(query, (run,))
        if found is None:
            return None
        last_row, seen, changed, gained, lost, done = found
        return Progress(last_row, seen, changed, gained, lost, bool(done))

    def after(self, row: int, where: EventFilter, limit: int) -> list[tuple[int, Event]]:
        """Return at most `limit` matching events after a row, with their rows.

        They are ordered by scope and in the order of filing.
        """
        condition, parameters = self._events.conditions(where)
        found = self._database.rows(
            f"SELECT {EVENT_COLUMNS_OF_E}, e.row FROM events e WHERE {condition} AND e.row > %s ORDER BY e.row LIMIT %s",
            (*parameters, row, limit),
        )
        return [(one[-1], self._events.event(one)) for one in found]

    def advance(
        self,
        run: str,
        *,
        seen: int,
        rows: tuple[int, int],
        changes: Sequence[Change],
        now: str,
        done: bool = False,
    ) -> bool:
        """Write the changes and advance the run from the first of `rows` to the second, in one
        transaction.

        Return False, and write nothing, if the run is not at the first of `rows`. An event that was
        edited or deleted meanwhile is not changed.
        """
        vectors = [
            None if one.vector is None else self._database.stored(one.vector) for one in changes
        ]
        with self._database.writing() as transaction:
            moved = transaction.run(
                "UPDATE reprocessing_runs SET last_row = %s, seen = seen + %s, done = %s"
                " WHERE run = %s AND last_row = %s AND NOT done",
                (rows[1], seen, done, run, rows[0]),
            )
            if not moved:
                return False
            check_dimension(transaction, sizes(one.vector for one in changes))
            self._events.lock_scopes_of(transaction, [one.before.event_id for one in changes])
            counts = [
                self._write(transaction, run, *each, now)
                for each in zip(changes, vectors, strict=True)
            ]
            transaction.run(
                "UPDATE reprocessing_runs SET changed = changed + %s, gained = gained + %s, lost = lost + %s WHERE run = %s",
                (*map(sum, zip(*counts, strict=True)), run) if counts else (0, 0, 0, run),
            )
        return True

    def of(self, event_ids: Iterable[str]) -> Mapping[str, list[Revision]]:
        """Return the former texts of events that have any, oldest first."""
        found = self._database.rows(
            "SELECT e.event_id, r.revision, r.text, r.is_absolute, r.rewritten_by, r.replaced_at FROM events e"
            " CROSS JOIN event_revisions r WHERE r.row = e.row AND e.event_id = ANY(%s) ORDER BY r.row, r.revision",
            (list(event_ids),),
        )
        revisions: dict[str, list[Revision]] = {}
        for event_id, number, text, absolute, writer, at in found:
            revisions.setdefault(event_id, []).append(
                Revision(number, text, bool(absolute), writer, at)
            )
        return revisions

    def examples(self, run: str, limit: int) -> Iterator[tuple[str, str, str]]:
        """Yield at most `limit` changes of a run as (event id, text before, text now)."""
        yield from self._database.rows(
            "SELECT e.event_id, r.text, e.text FROM event_revisions r JOIN events e ON e.row = r.row"
            " WHERE r.run = %s AND r.text != e.text ORDER BY r.row LIMIT %s",
            (run, limit),
        )

    def _write(
        self, transaction: Transaction, run: str, change: Change, vector: object, now: str
    ) -> tuple[int, int, int]:
        """Rewrite one event. Return (changed, gained, lost), each 0 or 1."""
        before, after = change.before, change.after
        found = transaction.row(
            "SELECT row FROM events WHERE event_id = %s AND text = %s AND handed_over = %s AND rewritten_by = %s",
            (before.event_id, before.text, before.handed_over, before.rewritten_by),
        )
        if found is None or before == after:
            return 0, 0, 0
        row = int(found[0])
        values = dict(zip(NAMES, self._events.values(after), strict=True))
        transaction.run(_UPDATE, (*(values[name] for name in WRITTEN_ANEW), row))
        if (before.text, before.is_absolute) != (after.text, after.is_absolute):
            transaction.run(
                "INSERT INTO event_revisions (row, revision, text, is_absolute, rewritten_by, replaced_at, run) SELECT %s,"
                " 1 + (SELECT coalesce(max(revision), 0) FROM event_revisions WHERE row = %s), %s, %s, %s, %s, %s",
                (row, row, before.text, before.is_absolute, before.rewritten_by, now, run),
            )
        if before.text != after.text:
            self._events.replace_text(transaction, row, after, vector)
        self._events.count_removals(transaction, [row])
        return (
            int(before.text != after.text),
            int(after.is_absolute and not before.is_absolute),
            int(before.is_absolute and not after.is_absolute),
        )
