"""The store of events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from ..event import Event, EventFilter, EventOutline
from .vectors import Matrix, Vector


class ScopeNews(NamedTuple):
    """Events with their words by row (row, number of words, words as indexed), and vectors by event id, as of one moment.

    `sequence` is the number of the newest vector.
    """

    outlines: list[EventOutline]
    words: list[tuple[int, int, str]]
    ids: list[str]
    vectors: Matrix
    sequence: int


class EventStore(Protocol):
    """Events with their vectors and keywords: the truth. One transaction a job."""

    def file_job(self, job_id: str, events: Sequence[Event], vectors: Sequence[Vector | None]) -> bool:
        """Store all events of a job at once. False, and nothing changed, where that job was filed before or is forgotten."""

    def file_new(self, events: Sequence[Event], vectors: Sequence[Vector | None]) -> list[str]:
        """Store, in one transaction, those events whose ids are not there yet (ids made from the content); gives their ids.

        Nothing of people who were forgotten at the events' time or later is stored.
        """

    def is_filed(self, job_id: str) -> bool: ...

    def get(self, event_ids: Sequence[str]) -> list[Event]:
        """The events that exist, in the order asked for."""

    def at_rows(self, rows: Sequence[int]) -> list[Event]:
        """The events that stand at these rows (`EventOutline.row`), in no order: a sixth of the time that `get` takes."""

    def find(self, where: EventFilter, *, limit: int = 100, newest_first: bool = True) -> list[Event]: ...

    def search_keywords(self, query: str, where: EventFilter, limit: int) -> list[tuple[str, float]]:
        """Event ids with their BM25 scores (higher is better), best first. Never raises on what a user typed."""

    def vectors(self, where: EventFilter) -> tuple[list[str], Matrix]:
        """Ids and embeddings of the matching events that are embedded; shape (0, 0) when there are none."""

    def news(self, scope_key: str, after_sequence: int, after_row: int) -> ScopeNews:
        """What a scope's copy in memory lacks, all of one moment: events after a row, vectors after a sequence number.

        An event that is embedded long after it was filed gets a new sequence number then; 0 and 0 give all.
        """

    def change_number(self, scope_key: str) -> tuple[int, int]:
        """(additions, removals) of a scope since its beginning: a moved second number makes caches of it stale."""

    def edit(self, event_id: str, text: str, vector: Vector | None) -> bool: ...

    def delete(self, event_ids: Sequence[str]) -> int: ...

    def without_vector(self, limit: int) -> list[Event]:
        """Events that still want an embedding, oldest first."""

    def set_vectors(self, event_ids: Sequence[str], vectors: Sequence[Vector]) -> None: ...

    def unindexed(self, limit: int) -> tuple[list[tuple[Event, Vector]], list[str]]:
        """What the derived vector index lacks (events with vectors) and what it must drop (event ids)."""

    def unindexed_vectors(self, limit: int) -> tuple[list[str], list[str], Matrix]:
        """(event ids whose entry in the derived index is missing or stale, those of them with a vector, their vectors)."""

    def mark_indexed(self, added: Sequence[str], dropped: Sequence[str]) -> None: ...

    def reindex_all(self) -> None:
        """Say that the derived index holds nothing (it was lost or rebuilt)."""

    def fingerprint(self) -> tuple[str, int] | None:
        """(model, dimension) of the stored vectors; None while there are none."""

    def set_fingerprint(self, model: str, dimension: int) -> None:
        """Remember the model; raises FingerprintMismatch where another one is on record."""

    def count(self, where: EventFilter | None = None) -> int: ...

    def embedded_count(self) -> int:
        """How many events have a vector: what the derived index should hold."""

    def forget(
        self,
        where: EventFilter,
        *,
        job_ids: Sequence[str] = (),
        entities: Sequence[str] = (),
        until: float = ...,
    ) -> int:
        """Delete the matching events for good; returns how many.

        Jobs among `job_ids`, and jobs of `entities` (keys as in `Job.entities`) at `until` or before (seconds since the
        epoch), are not filed any more, however late they come.
        """

    def is_forgotten(self, job_id: str, entities: Iterable[str] = (), timestamp: float = 0.0) -> bool:
        """Whether a job, or one of its entities at its time, was forgotten: then nothing of it may be written."""

    def tidy(self) -> bool:
        """A bit of idle work that makes searches faster; False when nothing is left to do."""

    def checkpoint(self) -> bool:
        """Idle work: bring what was written last into its final place on disk; False where that must wait."""

    def scopes(self) -> list[tuple[str, int]]:
        """Scope keys and how many events each holds."""

    def close(self) -> None: ...
