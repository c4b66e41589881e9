"""The derived vector index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..vectors import Vector


class IndexDocument(NamedTuple):
    """A text in the index, with what others may search by: `scope`, `kind`, `day` (`2026-03-02`), and more."""

    text: str
    metadata: dict[str, str | float | bool]


class VectorIndex(Protocol):
    """A derived nearest-neighbour index. It can be rebuilt from the event store at any time."""

    def upsert(self, ids: Sequence[str], vectors: Sequence[Vector], documents: Sequence[IndexDocument] = ()) -> None:
        """Store vectors by id, and their documents if any are given; the last one of duplicate ids is used."""

    def delete(self, ids: Sequence[str]) -> None: ...

    def query(self, vector: Vector, limit: int) -> list[tuple[str, float]]:
        """Return ids with cosine similarities (1.0: same direction), best first."""

    def count(self) -> int: ...

    def has_documents(self) -> bool:
        """Return True if the vectors have documents, or there are none. Former versions stored bare ids."""

    def reset(self) -> None: ...

    def drop(self) -> None:
        """Delete it, with all that it has written."""

    def close(self) -> None: ...
