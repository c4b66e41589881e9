"""The queue of jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from ..job import Job

JobState = Literal["pending", "processing", "failed"]


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """Jobs by state, and the age of the oldest pending one in seconds (0.0 when there is none)."""

    pending: int
    processing: int
    failed: int
    oldest_pending_seconds: float


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that was given up. `job` is None where the file was never readable; `filed` tells whether its events are stored."""

    name: str
    job: Job | None
    error: str
    failed_at: float
    filed: bool


class JobQueue(Protocol):
    """Jobs on disk: accepted means durable. Oldest first by a name that is monotonic even when the clock is not.

    A claimed job holds its entities (`Job.entities`) until `complete`, `postpone`, `release` or `fail`; jobs that share
    an entity are handed out in order, one at a time, and one that waits (`not_before`) holds back those behind it.
    """

    def put(self, job: Job) -> str:
        """Store `job` durably and return its id; the same id again changes nothing. Raises StorageError on a full disk."""

    def claim(self, now: float) -> Job | None:
        """Take the oldest job that may run at `now` (seconds since the epoch), or None."""

    def complete(self, job_id: str) -> None:
        """Forget a claimed job: all of it is filed."""

    def postpone(self, job_id: str, *, error: str, not_before: float) -> None:
        """Give a claimed job back with one more attempt counted, not to be claimed before `not_before`."""

    def release(self, job_id: str) -> None:
        """Give a claimed job back as it was (shutdown, or an outage that is not its fault)."""

    def fail(self, job_id: str, *, error: str, filed: bool) -> None:
        """Give a claimed job up; it is kept in `failed` with the error."""

    def recover(self, now: float, *, older_than: float = 0.0) -> int:
        """Give back every job found in `processing` that this queue did not claim; returns how many.

        To be called before the first claim. `older_than`: only what was claimed at least so many seconds ago.
        """

    def counts(self, now: float) -> QueueCounts: ...

    def jobs(self, state: JobState, limit: int = 1000) -> list[Job]:
        """The readable jobs of a state, oldest first."""

    def known_ids(self) -> set[str]:
        """The ids of all jobs in any state."""

    def waiting(self, scope_key: str, limit: int = 20) -> list[Job]:
        """Accepted jobs of one scope that are not filed yet (pending and processing), newest first."""

    def failed(self) -> list[FailedJob]: ...

    def retry_failed(self, job_id: str | None = None) -> int:
        """Bring one failed job back (None: all that are readable), with attempts reset; returns how many."""

    def amend(self, change: Callable[[Job], Job | None]) -> int:
        """Rewrite pending and failed jobs as `change` says (None: remove); returns how many were changed or removed."""

    def discard_unreadable(self, matches: Callable[[bytes], bool]) -> int:
        """Remove files among the failed ones that are no jobs, if their content matches; returns how many."""

    def cleanup(self, now: float, *, max_age_days: float, max_files: int) -> int:
        """Remove old failed jobs, but only those that are filed or were never readable; returns how many."""
