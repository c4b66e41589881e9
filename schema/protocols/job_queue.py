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
    """A failed job. `job` is None if the stored data is not a valid job; `filed` is True if its
    events are stored.
    """

    name: str
    job: Job | None
    error: str
    failed_at: float
    filed: bool


class JobQueue(Protocol):
    """A durable queue of accepted jobs, ordered by names that increase even if the clock goes back.

    A claimed job locks its entities (`Job.entities`) until `complete`, `postpone`, `release` or
    `fail`. Jobs that share an entity are claimed in order, one at a time. A job that waits for its
    `not_before` blocks the jobs behind it, except if it is a new job of kind `talk` or `profile`:
    that one takes its place in the order only at its `not_before`.
    """

    def put(self, job: Job) -> str:
        """Store `job` durably and return its id. Idempotent by id. Raises StorageError."""

    def put_all(self, jobs: Sequence[Job]) -> list[str]:
        """Store jobs durably, in order and in one transaction. Return their ids, as `put` does."""

    def talk_after(self, position: int, limit: int) -> list[tuple[int, Job]]:
        """Return the first waiting jobs of kind `talk` after a position, in order, each with its
        position.

        Jobs that wait behind others or for their `not_before` are included. Data that is not a
        valid job is skipped and left to `claim`.
        """

    def settle_filed(self, job_ids: Sequence[str]) -> int:
        """Remove waiting jobs of kind `talk` whose messages are filed, in one transaction. Return
        the number removed.

        Jobs that are claimed meanwhile are left to their worker.
        """

    def talk_of(self, prefix: str) -> list[Job]:
        """Return the jobs of kind `talk` in any state whose ids begin with `prefix`."""

    def withdraw(self, job_ids: Sequence[str]) -> int:
        """Remove jobs that no worker has claimed, so that no byte of them remains on this machine.
        Return the number removed.
        """

    def is_due(self, now: float) -> bool:
        """Return True if a waiting job may be claimed at `now`, as far as the queue can tell
        without claiming one.
        """

    def claim(self, now: float) -> Job | None:
        """Claim and return the oldest job that may run at `now` (seconds since the epoch); None if
        there is none.
        """

    def hasten(self, job_ids: Sequence[str] | None = None, *, kind: JobKind | None = None) -> None:
        """Let jobs of kinds `talk` and `profile` that wait for their `not_before` be claimed now.
        `job_ids` None means all of them.

        Unknown ids are ignored. `kind` restricts this to one of the kinds.
        """

    def together(self, job_id: str, limit: int) -> list[Job]:
        """Return a claimed job and the oldest other waiting jobs of its kind and conversation, at
        most `limit` jobs, in order.
        """

    def check_claim(self, job_id: str) -> None:
        """Raise ClaimLost if another worker has been given the claimed job meanwhile, as far as the
        queue knows.
        """

    def complete(self, job_id: str) -> None:
        """Remove a claimed job that is completely filed."""

    def postpone(self, job_id: str, *, error: str, not_before: float) -> None:
        """Return a claimed job to the queue with one more attempt. It is not claimed again before
        `not_before`.
        """

    def release(self, job_id: str) -> None:
        """Return a claimed job to the queue unchanged (shutdown, or an outage not caused by the job)."""

    def fail(self, job_id: str, *, error: str, filed: bool) -> None:
        """Move a claimed job to the state `failed`, with the error."""

    def take_over(self, now: float, *, older_than: float = 0.0) -> int:
        """Return the claimed jobs of dead workers to the queue, never those of a living worker.
        Return the number returned.

        Call it before the first `claim`, and from time to time. If the queue cannot tell for sure
        whether a worker is dead, only jobs claimed at least `older_than` seconds ago are returned.
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
        """Return one failed job (None: all readable ones) to the queue with its attempts reset.
        Return the number of jobs.
        """

    def amend(self, change: Callable[[Job], Job | None]) -> int:
        """Replace pending and failed jobs by the result of `change` (None: remove the job). Return
        the number changed.
        """

    def discard_unreadable(self, matches: Callable[[bytes], bool]) -> int:
        """Remove failed jobs that are not valid and whose content matches. Return the number
        removed.
        """

    def cleanup(self, now: float, *, max_age_days: float, max_failed: int) -> int:
        """Remove failed jobs that are filed: those older than `max_age_days`, and the oldest ones
        if there are more than `max_failed` failed jobs. Return the number removed.
        """

    def compact(self) -> None:
        """Rewrite the files of the queue on this machine without the remains of removed jobs."""

    def close(self) -> None:
        """Close files and connections. Jobs that a worker of a database has claimed become
        available to other workers.
        """
