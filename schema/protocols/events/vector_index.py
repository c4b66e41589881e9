"""The derived vector index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..vectors import Vector


class VectorIndex(Protocol):
    """A derived nearest-neighbour index. It can be rebuilt from the event store at any time."""

    def upsert(self, ids: Sequence[str], vectors: Sequence[Vector]) -> None: ...

    def delete(self, ids: Sequence[str]) -> None: ...

    def query(self, vector: Vector, limit: int) -> list[tuple[str, float]]:
        """Return ids with cosine similarities (1.0: same direction), best first."""

    def count(self) -> int: ...

    def reset(self) -> None: ...

    def drop(self) -> None:
        """Delete it, with all that it has written."""

    def close(self) -> None: ...
