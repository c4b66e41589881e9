"""The jobs of a queue as rows: the queries that SQLite and PostgreSQL share.

How jobs are claimed differs per engine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from ....schema.errors import InvalidInput
from ....schema.job import Job, JobKind
from ....schema.protocols import FailedJob, JobState, QueueCounts
from ..engine import Kind, OfDatabase
from .body import Unreadable, job_in

COLUMNS = "body, attempts, not_before, last_error"
_MAX_DONE = 10_000
_AT_ONCE = 500
_BEHIND_ALL = "~"
"""Sorts after every character of a job id."""


class JobTables(OfDatabase[Kind]):
    """The part of a `JobQueue` that reads the table `jobs`, and changes jobs that are not
    claimed.
    """

    def __init__(self, database: Kind) -> None:
        super().__init__(database)
        self._done: dict[str, None] = {}
        """The last completed ids: a job that a bot soon puts again is not queued twice.

        The event store knows all completed ids.
        """

    def remove(self, job_id: str) -> bool:
        """Remove a job that is not claimed. Return False if it is claimed or does not exist."""
        raise NotImplementedError

    def retry(self, job_id: str) -> bool:
        """Return a failed job to the queue with attempts reset.

        Return False if it does not exist.
        """
        raise NotImplementedError

    def claimed_job(self, job_id: str) -> Job:
        """Return a job that was claimed here. Raises InvalidInput."""
        raise NotImplementedError

    def put(self, job: Job) -> str:
        """See `JobQueue.put`."""
        return self.put_all([job])[0]

    def put_all(self, jobs: Sequence[Job]) -> list[str]:
        """See `JobQueue.put_all`."""
        raise NotImplementedError

    def talk_after(self, position: int, limit: int) -> list[tuple[int, Job]]:
        """See `JobQueue.talk_after`."""
        found: list[tuple[int, Job]] = []
        page = (
            f"SELECT position, {COLUMNS} FROM jobs WHERE kind = 'talk' AND state = 'pending' AND position > %s"
            " ORDER BY position LIMIT %s"
        )
        while not found:  # invalid jobs may fill a page
            rows = self._database.rows(page, (position, limit))
            if not rows:
                break
            position = rows[-1][0]
            for place, *values in rows:
                with suppress(Unreadable):
                    found.append((place, job_of(*values)))
        return found

    def talk_of(self, prefix: str) -> list[Job]:
        """See `JobQueue.talk_of`."""
        statement = f"SELECT {COLUMNS} FROM jobs WHERE job_id >= %s AND job_id < %s AND kind = 'talk' ORDER BY position"
        return readable(self._database.rows(statement, (prefix, prefix + _BEHIND_ALL)))

    def withdraw(self, job_ids: Sequence[str]) -> int:
        """See `JobQueue.withdraw`."""
        return sum(self.remove(job_id) for job_id in job_ids)

    def together(self, job_id: str, limit: int) -> list[Job]:
        """See `JobQueue.together`: the jobs that are carried out with a claimed one."""
        others = (
            "SELECT job_id FROM jobs WHERE scope_key = %s AND kind = %s AND attempts = 0 AND state = 'pending'"
            " ORDER BY position LIMIT %s"
        )
        claimed = self.claimed_job(job_id)
        return readable(
            self._database.rows(
                f"SELECT {COLUMNS} FROM jobs WHERE job_id = %s OR job_id IN ({others}) ORDER BY position",
                (job_id, claimed.scope.key, claimed.kind, max(limit - 1, 0)),
            )
        )

    def counts(self, now: float) -> QueueCounts:
        found = self._database.rows(
            "SELECT state, count(*), min(accepted_at) FROM jobs GROUP BY state"
        )
        by_state = {state: (count, oldest) for state, count, oldest in found}
        pending, oldest = by_state.get("pending", (0, now))
        return QueueCounts(
            pending=pending,
            processing=by_state.get("processing", (0, 0))[0],
            failed=by_state.get("failed", (0, 0))[0],
            oldest_pending_seconds=max(0.0, now - oldest),
        )

    def jobs(self, state: JobState, limit: int = 1000) -> list[Job]:
        statement = f"SELECT {COLUMNS} FROM jobs WHERE state = %s ORDER BY position LIMIT %s"
        return readable(self._database.rows(statement, (state, limit)))

    def known_ids(self) -> set[str]:
        return {job_id for (job_id,) in self._database.rows("SELECT job_id FROM jobs")}

    def waiting(self, scope_key: str, limit: int = 20) -> list[Job]:
        statement = (
            f"SELECT {COLUMNS} FROM jobs WHERE scope_key = %s AND state IN ('pending', 'processing')"
            " ORDER BY position DESC LIMIT %s"
        )
        return readable(self._database.rows(statement, (scope_key, limit)))

    def failed(self) -> list[FailedJob]:
        statement = f"SELECT job_id, failed_at, filed, {COLUMNS} FROM jobs WHERE state = 'failed' ORDER BY position"
        return [_failed(*row) for row in self._database.rows(statement)]

    def retry_failed(self, job_id: str | None = None) -> int:
        retried = 0
        for one in self.failed():
            if one.job is not None and job_id in (None, one.job.job_id) and self.retry(one.name):
                retried += 1
                self._done.pop(one.name, None)
        return retried

    def amend(self, change: Callable[[Job], Job | None]) -> int:
        """See `JobQueue.amend`. Invalid jobs are not changed."""
        amended, last = 0, -1
        page = (
            f"SELECT position, job_id, {COLUMNS} FROM jobs WHERE state != 'processing' AND position > %s"
            " ORDER BY position LIMIT %s"
        )
        while found := self._database.rows(page, (last, _AT_ONCE)):
            last = found[-1][0]
            for _, job_id, *values in found:
                try:
                    job = job_of(*values)
                except Unreadable:
                    continue
                changed = change(job)
                if changed is None:
                    amended += self.remove(job_id)
                elif changed != job:
                    amended += self._database.run(
                        "UPDATE jobs SET body = %s, attempts = %s, not_before = %s, last_error = %s"
                        " WHERE job_id = %s AND state != 'processing'",
                        (
                            changed.to_json(),
                            changed.attempts,
                            changed.not_before,
                            changed.last_error,
                            job_id,
                        ),
                    )
        return amended

    def discard_unreadable(self, matches: Callable[[bytes], bool]) -> int:
        found = [one.name for one in self.failed() if one.job is None]
        rows = self._database.rows(
            "SELECT job_id, body, last_error FROM jobs WHERE job_id = ANY(%s)", (found,)
        )
        return sum(
            self.remove(job_id) for job_id, body, error in rows if matches((body + error).encode())
        )

    def cleanup(self, now: float, *, max_age_days: float, max_failed: int) -> int:
        everything = sorted(self.failed(), key=lambda failed: failed.failed_at)
        removed = 0
        for one in everything:
            if one.filed and (
                now - one.failed_at > max_age_days * 86_400
                or removed < len(everything) - max_failed
            ):
                removed += self.remove(one.name)
        return removed

    def compact(self) -> None:
        """Do nothing: the operator of the server is responsible for vacuuming deleted rows."""

    def _note_done(self, job_id: str) -> None:
        self._done[job_id] = None
        if len(self._done) > _MAX_DONE:
            del self._done[next(iter(self._done))]


def is_patient(job: Job) -> bool:
    """Return True if a job enters the queues of its entities only at its `not_before`.

    Until then, later jobs of the same entities do not wait for it. Such jobs are of kind `talk` or
    `profile` and were not attempted yet.
    """
    return job.kind in ("talk", "profile") and not job.attempts and job.not_before > 0


def new_row(job: Job, body: str, accepted_at: float) -> dict[str, Any]:
    """Return the values of a new row by column, in the order in which `put_job` takes them."""
    return {
        "job_id": job.job_id,
        "kind": job.kind,
        "scope_key": job.scope.key,
        "entities": sorted(job.entities),
        "body": body,
        "accepted_at": accepted_at,
        "attempts": job.attempts,
        "not_before": job.not_before,
        "last_error": job.last_error,
    }


def condition_of(
    job_ids: Sequence[str] | None, kind: JobKind | None
) -> tuple[str, tuple[Any, ...]]:
    """Return an SQL condition (" AND …"), true for jobs with one of these ids and this kind, and its
    parameters. None means any."""
    some, given = (" AND kind = %s", (kind,)) if kind else ("", ())
    return (
        (some, given)
        if job_ids is None
        else (f"{some} AND job_id = ANY(%s)", (*given, list(job_ids)))
    )


def job_of(body: str, attempts: int, not_before: float, last_error: str) -> Job:
    """Return the job in a row. Raises Unreadable if it is invalid, or of a newer version."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON: {error!s:.200}") from None
    if not isinstance(document, dict):
        raise Unreadable(f"contains a JSON {type(document).__name__}, expected an object")
    return job_in(
        {**document, "attempts": attempts, "not_before": not_before, "last_error": last_error}
    )


def readable(rows: Sequence[Sequence[Any]]) -> list[Job]:
    """Return the jobs in rows of COLUMNS, without the invalid ones."""
    found = []
    for values in rows:
        with suppress(Unreadable):
            found.append(job_of(*values))
    return found


def not_claimed(job_id: str) -> InvalidInput:
    return InvalidInput(
        f"job_id: {job_id!r} is not claimed here; only jobs returned by claim() can be settled"
    )


def _failed(job_id: str, failed_at: float, filed: bool, *values: Any) -> FailedJob:
    try:
        return FailedJob(job_id, job_of(*values), values[-1], failed_at, bool(filed))
    except Unreadable as error:
        return FailedJob(job_id, None, str(error), failed_at, bool(filed))
