"""Synchronizes the derived vector index with the texts and vectors of the event store.

Nothing is embedded again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ..schema.errors import StorageError
from ..schema.event import Event, EventFilter
from ..schema.portions import portions
from ..schema.protocols import IndexDocument, Vector, VectorIndex
from ..stores.tables.events.store import EventStore

logger = logging.getLogger(__name__)

MOST_CHARACTERS = 10_000
"""Maximum length of a text in the index. Chroma stores a text of a megabyte in 0.2 s, during which no
other thread runs."""


class _IndexUnusable(StorageError):
    """An error of the derived index, which is then rebuilt.

    Errors of the event store are not converted to it.
    """


@contextmanager
def _index_errors() -> Iterator[None]:
    try:
        yield
    except StorageError as error:
        raise _IndexUnusable(str(error)) from error


def repair(
    events: EventStore, index: VectorIndex, batch: int = 1000, *, stop: Callable[[], bool] = bool
) -> None:
    """Write missing vectors to `index` and drop deleted ones, `batch` events at a time.

    The index stores the number of the last vector that it received per scope: vectors with higher
    numbers are new. If the number of vectors in the index then differs from the number of embedded
    events, the ids of both are compared. An index of another model, or one that cannot be read, is
    emptied and filled again. `stop` is called between batches; if it returns True, the rest is left
    for the next call. An interruption at any moment does no harm.
    """
    try:
        _synchronize(events, index, batch, stop)
    except _IndexUnusable as error:
        logger.warning("the vector index cannot be used and is rebuilt: %s", error)
        index.reset()
        _synchronize(events, index, batch, stop)


def _synchronize(
    events: EventStore, index: VectorIndex, batch: int, stop: Callable[[], bool]
) -> None:
    made_by = events.fingerprint()
    numbers = index.noted_numbers(made_by)
    if numbers is None:
        with _index_errors():
            index.reset()
        numbers = {}
    while not stop() and (new := events.embedded_after(numbers, batch)).numbers:
        _upsert(index, new.events, new.vectors)
        numbers |= new.numbers
        index.note_numbers(made_by, numbers)
    if stop():
        return
    with _index_errors():
        if index.count() == events.embedded_count():
            return
        held, stored = set(index.ids()), set(events.embedded_ids())
        index.delete(list(held - stored))
    for missing in portions(sorted(stored - held), batch):
        if stop():
            return
        ids, matrix = events.vectors(EventFilter(None, event_ids=tuple(missing)))
        vectors = dict(zip(ids, matrix, strict=True))
        found = [event for event in events.get(ids) if event.event_id in vectors]
        _upsert(index, found, [vectors[event.event_id] for event in found])


def _upsert(index: VectorIndex, events: Sequence[Event], vectors: Sequence[Vector]) -> None:
    with _index_errors():
        index.upsert([event.event_id for event in events], vectors, list(map(_document, events)))


def _document(event: Event) -> IndexDocument:
    """Return the text of an event for the index, with the metadata that never changes."""
    metadata: dict[str, str | float | bool] = {
        "scope": event.scope.key,
        "kind": event.kind,
        "day": event.timestamp_local[:10],
        "timestamp": event.timestamp,
        "speaker": event.said_by or event.user_id,
        "name": event.user_name,
        "source": event.source,
        "is_absolute": event.is_absolute,
    }
    return IndexDocument(event.text[:MOST_CHARACTERS], metadata)
