"""The vectors of another embedding model, made beside those in use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ...profile import Profile
from ..vectors import Vector

Fingerprint = tuple[str, int]
"""(model, dimension)."""


class Lacking(NamedTuple):
    """An event that has no vector of the new model yet; `text` is what is embedded (`Event.said`)."""

    row: int
    event_id: str
    text: str


@dataclass(frozen=True, slots=True)
class VectorSets:
    """The models with stored vectors: in use, next (with progress in events), and kept from the last change."""

    used: Fingerprint | None
    next: Fingerprint | None
    next_done: int
    kept: Fingerprint | None
    kept_count: int
    events: int


class ShadowVectors(Protocol):
    """The vectors of another model."""

    def sets(self) -> VectorSets: ...

    def begin(self, model: str, dimension: int) -> None:
        """Prepare for the vectors of a model. Vectors of this model stay; those begun with another model are deleted.

        Raises InvalidInput if vectors of an earlier change are still kept: only one former model can be kept.
        """

    def lacking(self, after_row: int, limit: int) -> list[Lacking]:
        """Return events after `after_row` without a vector of the new model, ordered by row."""

    def store(self, items: Sequence[Lacking], vectors: Sequence[Vector]) -> int:
        """Store a batch durably. Return how many. Events changed or deleted meanwhile are skipped."""

    def profiles_lacking(self, profiles: Sequence[Profile]) -> list[Profile]:
        """Return the profiles that have no vector of the new model for their revision."""

    def store_profiles(self, profiles: Sequence[Profile], vectors: Sequence[Vector]) -> None: ...

    def change_over(self) -> Fingerprint:
        """Let searches use the new vectors and keep the former ones. Return the new fingerprint.

        Events without a vector of the new model are found by keyword until they are embedded. Raises InvalidInput if
        no change was begun.
        """

    def roll_back(self) -> Fingerprint:
        """Let searches use the kept vectors again and keep the current ones. Return the fingerprint.

        Events filed since the change then have no vector. Raises InvalidInput if no vectors are kept.
        """

    def drop_old(self) -> int:
        """Delete the vectors of the former model and those of a change not completed. Return how many vectors."""
