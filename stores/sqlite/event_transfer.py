"""Export and import of events between `index.sqlite` files, with unchanged ids and without vectors. Idempotent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from ...schema.event import Event, EventFilter, Revision
from .database import SqliteDatabase
from .erasure import IndexErasure
from .event_revisions import EventRevisions, insert_revisions
from .event_rows import AMONG, as_json
from .event_writing import insert_events
from .tombstones import is_buried

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Carried:
    """An event, `filed` (True if its job is recorded as filed), and the former texts of the event."""

    event: Event
    filed: bool
    revisions: tuple[Revision, ...] = ()


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
        self._revisions = EventRevisions(database)

    def take(self, where: EventFilter) -> Iterator[Carried]:
        """Yield every matching event."""
        events = self._events(where)
        while some := list(islice(events, _AT_ONCE)):
            known = self.known_jobs(event.job_id for event in some)
            former = self._revisions.of(event.event_id for event in some)
            for event in some:
                yield Carried(event, event.job_id in known, tuple(former.get(event.event_id, ())))

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
                insert_revisions(connection, {event_id: item.revisions for event_id, item in some.items()})
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
