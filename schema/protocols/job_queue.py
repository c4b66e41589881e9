"""The queue of jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ..job import Job, JobKind

JobState = Literal["pending", "processing", "failed"]


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """Jobs by state, and the age of the oldest pending one in seconds (0.0 if there is none)."""

    pending: int
    processing: int
    failed: int
    oldest_pending_seconds: float


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A failed job. `job` is None if what is stored is no valid job; `filed` is True if its events are stored."""

    name: str
    job: Job | None
    error: str
    failed_at: float
    filed: bool


class JobQueue(Protocol):
    """Accepted jobs are durable. Ordered by names that increase even if the clock goes back.

    A claimed job locks its entities (`Job.entities`) until `complete`, `postpone`, `release` or `fail`. Jobs that share
    an entity are claimed in order, one at a time; a job that waits for `not_before` blocks those behind it, but for a new one of
    kind `talk` or `profile`, which takes its place in line at its `not_before` only.
    """

    def put(self, job: Job) -> str:
        """Store `job` durably and return its id. Idempotent by id. Raises StorageError."""

    def put_all(self, jobs: Sequence[Job]) -> list[str]:
        """Store jobs durably, in order and in one transaction, and return their ids, each as `put` does."""

    def talk_after(self, position: int, limit: int) -> list[tuple[int, Job]]:
        """Return the first jobs of kind `talk` that wait behind a position, in order, with the position of each.

        Those that stand in line behind others, and those that wait for their `not_before`, are among them. What is no valid
        job is left to `claim`.
        """

    def settle_filed(self, job_ids: Sequence[str]) -> int:
        """Remove jobs of kind `talk` that wait and whose messages are filed, in one transaction. Return how many.

        Those that are claimed meanwhile are left to their worker.
        """

    def talk_of(self, prefix: str) -> list[Job]:
        """Return the jobs of kind `talk` in any state whose ids begin with `prefix`."""

    def withdraw(self, job_ids: Sequence[str]) -> int:
        """Remove jobs that nobody has claimed for good: what lies on this machine holds no byte of them. Return how many."""

    def is_due(self, now: float) -> bool:
        """Return True if a job waits that may be claimed at `now`, as far as the queue can tell without a claim."""

    def claim(self, now: float) -> Job | None:
        """Claim and return the oldest job that may run at `now` (seconds since the epoch), or None."""

    def hasten(self, job_ids: Sequence[str] | None = None, *, kind: JobKind | None = None) -> None:
        """Let jobs of kinds `talk` and `profile` that wait for their `not_before` (None: all) be claimed now.

        Unknown ids are passed over; `kind` names one of the kinds.
        """

    def together(self, job_id: str, limit: int) -> list[Job]:
        """Return a claimed job with the oldest others of its kind and conversation that wait, at most `limit`, in order."""

    def check_claim(self, job_id: str) -> None:
        """Raise ClaimLost if a claimed job has been given to another worker meanwhile, as far as the queue knows."""

    def complete(self, job_id: str) -> None:
        """Remove a claimed job that is filed completely."""

    def postpone(self, job_id: str, *, error: str, not_before: float) -> None:
        """Return a claimed job to the queue with one more attempt, not to be claimed before `not_before`."""

    def release(self, job_id: str) -> None:
        """Return a claimed job to the queue unchanged (shutdown, or an outage not caused by the job)."""

    def fail(self, job_id: str, *, error: str, filed: bool) -> None:
        """Move a claimed job to `failed`, with the error."""

    def take_over(self, now: float, *, older_than: float = 0.0) -> int:
        """Return the claimed jobs of workers that are dead to the queue, never those of a living one. Return how many.

        Call it before the first `claim`, and now and then. `older_than`: only jobs claimed at least so many seconds ago, where
        the queue cannot tell for sure that a worker is dead.
        """

    def counts(self, now: float) -> QueueCounts: ...

    def jobs(self, state: JobState, limit: int = 1000) -> list[Job]:
        """Return the readable jobs of a state, oldest first."""

    def known_ids(self) -> set[str]:
        """Return the ids of all jobs in any state."""

    def waiting(self, scope_key: str, limit: int = 20) -> list[Job]:
        """Return the pending and processing jobs of a scope, newest first."""

    def failed(self) -> list[FailedJob]: ...

    def retry_failed(self, job_id: str | None = None) -> int:
        """Return one failed job (None: all readable ones) to the queue with attempts reset. Return how many."""

    def amend(self, change: Callable[[Job], Job | None]) -> int:
        """Replace pending and failed jobs by the result of `change` (None: remove). Return how many changed."""

    def discard_unreadable(self, matches: Callable[[bytes], bool]) -> int:
        """Remove failed jobs that are not valid and whose content matches. Return how many."""

    def cleanup(self, now: float, *, max_age_days: float, max_files: int) -> int:
        """Remove old failed jobs that are filed. Return how many."""

    def compact(self) -> None:
        """Rewrite what lies on this machine without the remains of removed jobs."""

    def close(self) -> None:
        """Close what is open. What is claimed by a worker of a database goes to others."""
