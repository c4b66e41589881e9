"""The last plain summaries of every conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ...job import Job

KEEP_PER_SCOPE = 20
KEEP_SCOPES = 1000


class PlainSummaries(Protocol):
    """The texts of the last KEEP_PER_SCOPE jobs of at least the KEEP_SCOPES most recent scopes, for when memory is off.

    An entry is `{"job_id", "timestamp", "user_id", "text"}`.
    """

    def add(self, jobs: Sequence[Job]) -> None:
        """Store the texts of jobs. Idempotent by job id. Raises StorageError."""

    def of(self, scope_key: str, limit: int = KEEP_PER_SCOPE) -> list[tuple[str, str]]:
        """Return (timestamp, text) of the last summaries of a scope, oldest first."""

    def restore(self, entries: Sequence[tuple[str, dict[str, Any]]]) -> int:
        """Store missing entries, given as (scope key, entry). Return how many. Raises StorageError."""

    def entries(self) -> list[tuple[str, dict[str, Any]]]:
        """Return (scope key, entry) of all entries, scope by scope, oldest first."""

    def forget(self, unwanted: Callable[[str, dict[str, Any]], bool]) -> int:
        """Remove the entries for which `unwanted(scope key, entry)` is True. Return how many. Raises StorageError."""
