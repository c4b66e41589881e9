"""Export and import of events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ...event import Event, EventFilter, Revision


class Carried(NamedTuple):
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


class EventTransfer(Protocol):
    """Export and import of events with unchanged ids and without vectors. Idempotent."""

    def take(self, where: EventFilter) -> Iterator[Carried]:
        """Yield every matching event."""

    def bring(self, items: Sequence[Carried]) -> Arrived:
        """Store events that are new, also those of forgotten entities. They are embedded when a worker is idle."""

    def known_jobs(self, job_ids: Iterable[str]) -> set[str]:
        """Return the jobs that are recorded as filed."""

    def file_jobs(self, jobs: Mapping[str, Sequence[Event]]) -> int:
        """File the events of several jobs in one transaction, without vectors. Return the number of jobs that were new.

        Jobs of forgotten entities are skipped.
        """
