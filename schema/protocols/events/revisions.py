"""Events written anew: their former texts, and how far each run is that does so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ...event import Event, EventFilter, Revision
from ..vectors import Vector

_WRITTEN = ("text", "is_absolute", "gate_reasons", "rewritten_by", "speakers", "handed_over", "said_by", "occurs_from")
WRITTEN_ANEW = (*_WRITTEN, "occurs_until", "version", "people")
"""The fields of an event that a run writes."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: events `seen`, with a text `changed`, that became absolute (`gained`) or are no longer (`lost`)."""

    last_row: int
    seen: int
    changed: int
    gained: int
    lost: int
    done: bool


class Change(NamedTuple):
    """An event before and after; `vector` is that of the new text (None: to be embedded later, or the text is the same)."""

    before: Event
    after: Event
    vector: Vector | None = None


class EventRevisions(Protocol):
    """Revisions of events and the runs that make them."""

    def begin(self, run: str, started: float) -> None:
        """Begin a run (`started` in seconds since the epoch). One that has begun stays as it is."""

    def progress(self, run: str) -> Progress | None:
        """Return how far a run is; None before it has begun."""

    def after(self, row: int, where: EventFilter, limit: int) -> list[tuple[int, Event]]:
        """Return the next matching events behind a row, with their rows, by scope and in the order of filing."""

    def advance(
        self, run: str, *, seen: int, rows: tuple[int, int], changes: Sequence[Change], now: str, done: bool = False
    ) -> bool:
        """Write the changes and note that the run has come from the first of `rows` to the second, in one transaction.

        Returns False, and writes nothing, if the run stands elsewhere. An event that was edited, or is gone, stays so.
        """

    def of(self, event_ids: Iterable[str]) -> Mapping[str, list[Revision]]:
        """Return the former texts of events that have any, oldest first."""

    def examples(self, run: str, limit: int) -> Iterator[tuple[str, str, str]]:
        """Yield some of what a run changed, as (event id, text before, text now)."""
