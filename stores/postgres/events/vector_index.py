"""The search over the vectors of all scopes, where they are stored: nothing is derived, nothing needs to be kept up to date."""

from __future__ import annotations

from collections.abc import Sequence

from ....schema.event import EventFilter
from ....schema.protocols import Vector
from .store import PostgresEventStore


class PostgresVectorIndex:
    """The `VectorIndex` of one schema. What would write to an index does nothing."""

    def __init__(self, events: PostgresEventStore) -> None:
        self._events = events

    def upsert(self, ids: Sequence[str], vectors: Sequence[Vector]) -> None: ...

    def delete(self, ids: Sequence[str]) -> None: ...

    def query(self, vector: Vector, limit: int) -> list[tuple[str, float]]:
        return self._events.nearest(vector, EventFilter(None), limit)

    def count(self) -> int:
        return self._events.embedded_count()

    def reset(self) -> None: ...

    def drop(self) -> None: ...

    def close(self) -> None: ...
