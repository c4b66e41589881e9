"""The records of corrections, which nothing but `undo` reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ..correction import CorrectionRecord
from ..entity import Entity


class Corrections(Protocol):
    """What corrections took out, kept apart until it cannot be undone any more. Blocking; raises StorageError."""

    def put(self, record: CorrectionRecord) -> None:
        """Keep a record; one of the same id is replaced. Durable when it returns."""

    def get(self, correction_id: str) -> CorrectionRecord | None: ...

    def latest(self, scope_key: str | None, now: float, limit: int) -> list[CorrectionRecord]:
        """Return the records of a conversation (None: of all) that have not expired at `now`, newest first."""

    def all(self) -> Iterator[CorrectionRecord]:
        """Yield every record, also those that have expired."""

    def expired(self, now: float) -> list[str]:
        """Return the ids of the records that have expired at `now` (seconds since the epoch)."""

    def remove(self, correction_ids: list[str]) -> int:
        """Remove records with their bytes. Return how many."""

    def erase(self, entity: Entity) -> int:
        """Remove the records that concern a person or a group, with their bytes. Return how many."""
