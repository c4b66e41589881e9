"""Brings the derived vector index to the truth, with the embeddings that are stored: nothing is embedded again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from ...schema.errors import StorageError
from ...schema.event import Event
from ...schema.profile import ProfileKey
from ...schema.protocols import EventStore, ProfileIndex, Vector, VectorIndex

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What a repair did: vectors written, ids dropped, and whether the index was emptied and filled anew."""

    written: int = 0
    dropped: int = 0
    rebuilt: bool = False

    @property
    def changed(self) -> bool:
        return bool(self.written or self.dropped or self.rebuilt)


class _IndexUnusable(StorageError):
    """An error of the derived index: a reason to rebuild it, as one of the truth is not."""


@contextmanager
def _index_errors() -> Iterator[None]:
    try:
        yield
    except StorageError as error:
        raise _IndexUnusable(str(error)) from error


def event_metadata(event: Event) -> dict[str, Any]:
    """What the derived index can filter by."""
    return {
        "scope": event.scope.key,
        "user_id": event.user_id,
        "group_id": event.group_id,
        "request_type": event.request_type,
        "kind": event.kind,
        "source": event.source,
        "timestamp": event.timestamp,
        "is_absolute": event.is_absolute,
    }


def profile_metadata(key: ProfileKey) -> dict[str, Any]:
    """What the derived index of profiles can filter by."""
    return {"entity_type": key.entity_type, "entity_id": key.entity_id, "layer": key.layer}


class _Truth(Protocol):
    """What an index is derived from: its notes of what the index lacks, as (id, vector, metadata), and must drop."""

    def unindexed(self, limit: int) -> tuple[list[tuple[str, Vector, Mapping[str, Any]]], list[str]]: ...

    def mark_indexed(self, added: Sequence[str], dropped: Sequence[str]) -> None: ...

    def reindex_all(self) -> None: ...

    def embedded_count(self) -> int: ...


class _Events:
    """Events as the truth of `cognitive_events`."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self.mark_indexed = store.mark_indexed
        self.reindex_all = store.reindex_all
        self.embedded_count = store.embedded_count

    def unindexed(self, limit: int) -> tuple[list[tuple[str, Vector, Mapping[str, Any]]], list[str]]:
        wanted, gone = self._store.unindexed(limit)
        return [(event.event_id, vector, event_metadata(event)) for event, vector in wanted], gone


class _Profiles:
    """Profiles as the truth of `cognitive_profiles`."""

    def __init__(self, store: ProfileIndex) -> None:
        self._store = store
        self.reindex_all = store.reindex_all
        self.embedded_count = store.embedded_count

    def unindexed(self, limit: int) -> tuple[list[tuple[str, Vector, Mapping[str, Any]]], list[str]]:
        wanted, gone = self._store.unindexed(limit)
        return [(key.index_id, vector, profile_metadata(key)) for key, vector in wanted], gone

    def mark_indexed(self, added: Sequence[str], dropped: Sequence[str]) -> None:
        self._store.mark_indexed([*added, *dropped])


def repair_profiles(
    profiles: ProfileIndex, index: VectorIndex, batch: int = 1000, *, stop: Callable[[], bool] = bool
) -> RepairReport:
    """As `repair`, for profiles."""
    return _repair(_Profiles(profiles), index, batch, stop)


def repair(events: EventStore, index: VectorIndex, batch: int = 1000, *, stop: Callable[[], bool] = bool) -> RepairReport:
    """Write to `index` what it lacks, drop from it what is gone, `batch` events at a time.

    The store's notes of unindexed events are worked off first. If the index then holds another number of vectors than
    there are embedded events (it was lost, damaged or written by somebody else) it is emptied and filled anew. An
    index that cannot be read is emptied too. `stop` is asked between batches; where it says True the rest is
    left for the next time. Safe to be interrupted at any moment: what was done is found done. A store that changes
    meanwhile is not mistaken for a difference, as its notes tell.
    """
    return _repair(_Events(events), index, batch, stop)


def _repair(events: _Truth, index: VectorIndex, batch: int, stop: Callable[[], bool]) -> RepairReport:
    try:
        done = _work_off(events, index, batch, stop)
        if stop() or not _differs(events, index):
            return done
        logger.warning("the vector index does not hold the %d vectors it should; it is rebuilt", events.embedded_count())
    except _IndexUnusable as error:
        logger.warning("the vector index cannot be used and is rebuilt: %s", error)
    index.reset()
    events.reindex_all()
    anew = _work_off(events, index, batch, stop)
    return RepairReport(anew.written, anew.dropped, rebuilt=True)


def _work_off(events: _Truth, index: VectorIndex, batch: int, stop: Callable[[], bool]) -> RepairReport:
    written = dropped = 0
    while not stop():
        wanted, gone = events.unindexed(batch)
        if not wanted and not gone:
            break
        with _index_errors():
            index.delete(gone)
            index.upsert([one[0] for one in wanted], [one[1] for one in wanted], [one[2] for one in wanted])
        events.mark_indexed([one[0] for one in wanted], gone)
        written += len(wanted)
        dropped += len(gone)
    return RepairReport(written, dropped)


def _differs(events: _Truth, index: VectorIndex) -> bool:
    """Whether the counts differ although nothing is noted and nobody writes: they are read twice."""
    first = _counts(events, index)
    if first[0] == first[1] or any(events.unindexed(1)):
        return False
    return _counts(events, index) == first


def _counts(events: _Truth, index: VectorIndex) -> tuple[int, int]:
    with _index_errors():
        held = index.count()
    return held, events.embedded_count()
