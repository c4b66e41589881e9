"""Export and import of events, with unchanged ids and without vectors. Idempotent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...schema.event import Event, EventFilter, Revision
from ...schema.portions import portions
from ...schema.summary import Restored
from .engine import Transaction
from .events.revisions import EventRevisionTables
from .events.rows import EVENT_COLUMNS, BesideEvents, EventRows
from .tombstones import is_buried

_AT_ONCE = 500


class Carried(NamedTuple):
    """An event that is moved, with its former texts.

    `filed` is True if its job is recorded as filed.
    """

    event: Event
    filed: bool
    revisions: tuple[Revision, ...] = ()


class EventTransferTables(BesideEvents):
    """Export and import of events with unchanged ids and without vectors. Idempotent."""

    def take(self, where: EventFilter) -> Iterator[Carried]:
        """Yield every matching event."""
        for some in portions(_every(self._events, where), _AT_ONCE):
            filed = self.known_jobs(event.job_id for event in some)
            former = EventRevisionTables(self._events).of(event.event_id for event in some)
            for event in some:
                yield Carried(event, event.job_id in filed, tuple(former.get(event.event_id, ())))

    def bring(self, items: Sequence[Carried]) -> list[Restored]:
        """Store the events that are new, including events of forgotten entities. Return a result
        per event.

        They are embedded when a worker is idle.
        """
        results: list[Restored] = []
        for portion in portions(items, _AT_ONCE):
            some = {item.event.event_id: item for item in portion}
            with self._database.writing() as transaction:
                _lock(transaction, [item.event for item in some.values()])
                for event_id, text in transaction.rows(
                    "SELECT event_id, text FROM events WHERE event_id = ANY(%s)", [list(some)]
                ):
                    results.append("same" if some.pop(event_id).event.text == text else "different")
                self._insert(transaction, [item.event for item in some.values()])
                _insert_revisions(
                    transaction, {event_id: item.revisions for event_id, item in some.items()}
                )
                _note_filed(
                    transaction, [item.event.job_id for item in some.values() if item.filed]
                )
            results += ["restored"] * len(some)
        return results

    def known_jobs(self, job_ids: Iterable[str]) -> set[str]:
        """Return the jobs that are recorded as filed."""
        found = self._database.rows(
            "SELECT job_id FROM filed_jobs WHERE job_id = ANY(%s)", [list(job_ids)]
        )
        return {job_id for (job_id,) in found}

    def file_jobs(self, jobs: Mapping[str, Sequence[Event]]) -> int:
        """File the events of several jobs in one transaction, without vectors.

        Return the number of jobs that were new. Jobs of forgotten entities are skipped.
        """
        with self._database.writing() as transaction:
            _lock(transaction, [event for events in jobs.values() for event in events])
            found = transaction.rows(
                "SELECT job_id FROM filed_jobs WHERE job_id = ANY(%s)", [list(jobs)]
            )
            new = {
                job_id: events
                for job_id, events in jobs.items()
                if (job_id,) not in found
                and not any(
                    is_buried(transaction, job_id, event.entities, event.timestamp)
                    for event in events
                )
            }
            self._insert(transaction, [event for events in new.values() for event in events])
            _note_filed(transaction, list(new))
        return len(new)

    def _insert(self, transaction: Transaction, events: Sequence[Event]) -> None:
        """Insert new events, to be embedded when the owner is idle."""
        self._events.insert(transaction, events, [None] * len(events))


def _every(rows: EventRows, where: EventFilter) -> Iterator[Event]:
    """Yield all matching events, by scope and in the order of filing. Reads _AT_ONCE at a time."""
    condition, parameters = rows.conditions(where)
    found = rows.database.rows(f"SELECT e.row FROM events e WHERE {condition}", parameters)
    query = f"SELECT {EVENT_COLUMNS} FROM events WHERE row = ANY(%s) ORDER BY row"
    for some in portions(sorted(row for (row,) in found), _AT_ONCE):
        yield from map(rows.event, rows.database.rows(query, (list(some),)))


def _lock(transaction: Transaction, events: Sequence[Event]) -> None:
    transaction.lock_entities({entity for event in events for entity in event.entities})


def _note_filed(transaction: Transaction, job_ids: Sequence[str]) -> None:
    statement = "INSERT INTO filed_jobs (job_id) VALUES (%s) ON CONFLICT DO NOTHING"
    transaction.run_many(statement, [(job_id,) for job_id in dict.fromkeys(job_ids)])


def _insert_revisions(
    transaction: Transaction, revisions: Mapping[str, Sequence[Revision]]
) -> None:
    transaction.run_many(
        "INSERT INTO event_revisions (row, revision, text, is_absolute, rewritten_by, replaced_at)"
        " SELECT row, %s, %s, %s, %s, %s FROM events WHERE event_id = %s ON CONFLICT DO NOTHING",
        [
            (one.revision, one.text, one.is_absolute, one.rewritten_by, one.replaced_at, event_id)
            for event_id, some in revisions.items()
            for one in some
        ],
    )
