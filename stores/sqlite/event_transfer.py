"""Export and import of events between `index.sqlite` files, with unchanged ids and without vectors. Idempotent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...schema.event import Event, EventFilter
from .database import SqliteDatabase
from .erasure import IndexErasure
from .event_rows import AMONG, as_json
from .event_writing import insert_events
from .tombstones import is_buried

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Carried:
    """An event, and `filed`: True if its job is recorded as filed."""

    event: Event
    filed: bool


@dataclass
class Arrived:
    """The result of an import: events added, known already, and known with another text (which stays)."""

    added: int = 0
    known: int = 0
    different: int = 0


class EventTransfer:
    """Export and import of one database."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self._events = IndexErasure(database).events

    def take(self, where: EventFilter) -> Iterator[Carried]:
        """Yield every matching event."""
        for event in self._events(where):
            yield Carried(event, event.job_id in self.known_jobs([event.job_id]))

    def bring(self, items: Sequence[Carried]) -> Arrived:
        """Store events that are new, also those of forgotten entities. They are embedded when the owner is idle."""
        arrived = Arrived()
        for start in range(0, len(items), _AT_ONCE):
            some = {item.event.event_id: item for item in items[start : start + _AT_ONCE]}
            with self._database.writing() as connection:
                found = connection.execute(
                    f"SELECT event_id, text FROM events WHERE event_id {AMONG}", (as_json(some),)
                ).fetchall()
                for event_id, text in found:
                    item = some.pop(event_id)
                    arrived.known += 1
                    arrived.different += item.event.text != text
                insert_events(connection, [item.event for item in some.values()], [None] * len(some))
                connection.executemany(
                    "INSERT OR IGNORE INTO filed_jobs (job_id) VALUES (?)",
                    [(item.event.job_id,) for item in some.values() if item.filed],
                )
                arrived.added += len(some)
        return arrived

    def known_jobs(self, job_ids: Iterable[str]) -> set[str]:
        """Return the jobs that are recorded as filed."""
        found = self._database.rows(f"SELECT job_id FROM filed_jobs WHERE job_id {AMONG}", (as_json(job_ids),))
        return {job_id for (job_id,) in found}

    def file_jobs(self, jobs: Mapping[str, Sequence[Event]]) -> int:
        """File the events of several jobs in one transaction, without vectors. Return the number of jobs that were new.

        Jobs of forgotten entities are skipped.
        """
        with self._database.writing() as connection:
            found = connection.execute(f"SELECT job_id FROM filed_jobs WHERE job_id {AMONG}", (as_json(jobs),)).fetchall()
            known = {job_id for (job_id,) in found}
            new = {
                job_id: events
                for job_id, events in jobs.items()
                if job_id not in known
                and not any(is_buried(connection, job_id, event.entities, event.timestamp) for event in events)
            }
            every = [event for events in new.values() for event in events]
            insert_events(connection, every, [None] * len(every))
            connection.executemany("INSERT INTO filed_jobs (job_id) VALUES (?)", [(job_id,) for job_id in new])
        return len(new)
