"""Synchronizes the derived vector index with the event store, from its texts and vectors: nothing is embedded again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..schema.errors import StorageError
from ..schema.event import Event
from ..schema.protocols import EventStore, IndexDocument, VectorIndex

logger = logging.getLogger(__name__)


class _IndexUnusable(StorageError):
    """An error of the derived index, which is rebuilt then, as opposed to an error of the event store."""


@contextmanager
def _index_errors() -> Iterator[None]:
    try:
        yield
    except StorageError as error:
        raise _IndexUnusable(str(error)) from error


def repair(events: EventStore, index: VectorIndex, batch: int = 1000, *, stop: Callable[[], bool] = bool) -> None:
    """Write missing vectors to `index` and drop deleted ones, `batch` events at a time.

    The outbox of the store is processed first. If the number of vectors in the index then differs from the number of embedded
    events (it was lost, damaged or written by another program), or the index cannot be read, it is emptied and rebuilt. `stop`
    is called between batches; if it returns True, the rest is left for the next call. Safe to interrupt at any moment: completed
    work is not repeated. Concurrent changes of the store are in the outbox and do not count as a difference.
    """
    try:
        _work_off(events, index, batch, stop)
        if stop() or not _differs(events, index):
            return
        logger.warning("the vector index does not hold the expected %d vectors; it is rebuilt", events.embedded_count())
    except _IndexUnusable as error:
        logger.warning("the vector index cannot be used and is rebuilt: %s", error)
    index.reset()
    events.reindex_all()
    _work_off(events, index, batch, stop)


def _work_off(events: EventStore, index: VectorIndex, batch: int, stop: Callable[[], bool]) -> None:
    while not stop() and (outdated := events.unindexed(batch)).versions:
        texts = {event.event_id: index_document(event) for event in events.get(outdated.ids)}
        # What was deleted since it was listed has a later version by now: the next turn removes it.
        rows = [(one, row) for one, row in zip(outdated.ids, outdated.vectors, strict=True) if one in texts]
        with _index_errors():
            index.delete(list(outdated.versions.keys() - {one for one, _ in rows}))
            index.upsert([one for one, _ in rows], [row for _, row in rows], [texts[one] for one, _ in rows])
        events.mark_indexed(outdated.versions)


def index_document(event: Event) -> IndexDocument:
    """Return the text of an event as the index holds it, with what never changes of it."""
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
    return IndexDocument(event.text, metadata)


def _differs(events: EventStore, index: VectorIndex) -> bool:
    """Return True if the index holds bare ids, or the counts differ twice with an empty outbox.

    A concurrent write explains a difference only once.
    """
    with _index_errors():
        if not index.has_documents():
            return True
    first = _counts(events, index)
    if first[0] == first[1] or events.unindexed(1).versions:
        return False
    return _counts(events, index) == first


def _counts(events: EventStore, index: VectorIndex) -> tuple[int, int]:
    with _index_errors():
        held = index.count()
    return held, events.embedded_count()
