"""What every engine checks before it files, forgets or carries events: arguments, dimensions, and how events are taken along."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from ..schema.errors import FingerprintMismatch, InvalidInput
from ..schema.event import Event, EventFilter, Revision
from ..schema.protocols.events.transfer import Carried

SECONDS_OF_EVER = 2.0**62
"""The time until which a tombstone without an end holds, as seconds since the epoch."""

CARRIED_AT_ONCE = 500


def check_job(job_id: str, events: Sequence[Event], vectors: Sequence[object]) -> None:
    """Raise InvalidInput unless these are different events of one job, with a vector or None for each."""
    if len(events) != len(vectors):
        raise InvalidInput(f"job {job_id!r}: {len(events)} events and {len(vectors)} vectors; give one vector or None an event")
    if len({event.event_id for event in events}) != len(events):
        raise InvalidInput(f"job {job_id!r}: two events with one event_id; ids are made as job_id:n")
    stranger = next((event for event in events if event.job_id != job_id), None)
    if stranger is not None:
        raise InvalidInput(f"job {job_id!r}: event {stranger.event_id!r} belongs to job {stranger.job_id!r}")


def check_to_forget(where: EventFilter) -> None:
    """Raise InvalidInput for a filter that matches everything."""
    if where == EventFilter(None):
        raise InvalidInput("forget: the filter is empty; give a scope, a user, a time or event ids")


def check_vectors(event_ids: Sequence[str], vectors: Sequence[object]) -> None:
    """Raise InvalidInput unless there is one vector an id."""
    if len(event_ids) != len(vectors):
        raise InvalidInput(f"set_vectors: {len(event_ids)} ids and {len(vectors)} vectors; give one vector an id")


def one_dimension(sizes: Collection[int], known: int | None) -> int:
    """Return the dimension of new vectors; `known` is that of the stored ones. Raises FingerprintMismatch if they differ."""
    expected = min(sizes) if known is None else known
    if set(sizes) != {expected}:
        raise FingerprintMismatch(
            f"vectors of {', '.join(map(str, sorted(sizes)))} dimensions given, the stored ones have {expected}; "
            "set models.embedding back, or run `historian reembed`"
        )
    return expected


def carried(
    events: Iterator[Event],
    filed_jobs: Callable[[Iterable[str]], Collection[str]],
    revisions: Callable[[Iterable[str]], Mapping[str, Sequence[Revision]]],
) -> Iterator[Carried]:
    """Yield events as they are exported; the two look-ups take the ids of jobs and of events, CARRIED_AT_ONCE at a time."""
    while some := list(islice(events, CARRIED_AT_ONCE)):
        known = filed_jobs(event.job_id for event in some)
        former = revisions(event.event_id for event in some)
        for event in some:
            yield Carried(event, event.job_id in known, tuple(former.get(event.event_id, ())))
