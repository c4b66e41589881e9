"""The derived vector index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from .models import Vector


class IndexDocument(NamedTuple):
    """A text in the index, with metadata for searches by other programs: `scope`, `kind`, `day`
    (`2026-03-02`), and more.
    """

    text: str
    metadata: dict[str, str | float | bool]


class VectorIndex(Protocol):
    """A derived nearest-neighbour index. It can be rebuilt from the event store at any time."""

    def upsert(
        self, ids: Sequence[str], vectors: Sequence[Vector], documents: Sequence[IndexDocument] = ()
    ) -> None:
        """Store vectors by id, with their documents if any are given. Of duplicate ids the last one
        is used.
        """

    def delete(self, ids: Sequence[str]) -> None: ...

    def ids(self) -> list[str]: ...

    def count(self) -> int: ...

    def noted_numbers(self, made_by: tuple[str, int] | None) -> dict[int, int] | None:
        """Return, by scope number, the number of the last vector that the index was given.

        Return None if no numbers were noted since the last `reset`, or if they are from another
        model than `made_by`.
        """

    def note_numbers(self, made_by: tuple[str, int] | None, numbers: Mapping[int, int]) -> None: ...

    def reset(self) -> None:
        """Empty the index and drop the noted numbers."""

    def drop(self) -> None:
        """Delete the index with everything that it has written."""

    def close(self) -> None: ...
