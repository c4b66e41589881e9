"""The job queue of a data directory: the tables `jobs` and `job_lines` of `queue.sqlite`.

The file also holds documents. Any process may put, read and count jobs; only the process that holds
the owner lock claims them. A job waits in one line per entity. The first job of a line, waiting or
running, holds back those behind it. `put` writes one row; a new job joins its lines at the next
claim.

Each call is one transaction, so that after a process is killed every accepted job exists exactly
once. `take_over` returns the jobs that it had claimed to the queue. A job that was put, amended or
retried is on the disk when the call returns. The changes that a worker makes to its jobs do not
wait for the disk: a power failure may undo them, and then a completed job is in the queue again.

The queue does not know jobs that were done before this process started: the worker checks the
ledger before it runs a job.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...schema.job import Job, JobKind
from ...schema.protocols import JobQueue
from ..migrations import migrations
from ..tables.engine import Transaction
from ..tables.jobs.body import Unreadable, encode_new, short_error
from ..tables.jobs.tables import (
    COLUMNS,
    JobTables,
    condition_of,
    is_patient,
    job_of,
    new_row,
    not_claimed,
)
from .database import SqliteDatabase
from .job_lines import delete_job, enter_lines, leave_lines

logger = logging.getLogger(__name__)

QUEUE = "queue.sqlite"
MIGRATIONS = migrations("sqlite/migrations/queue")
_BATCH = 256
"""Maximum number of new jobs that join their lines in one transaction."""
_IS_NEW = "FROM jobs INDEXED BY jobs_new WHERE state = 'pending' AND behind = -1 AND due <= %s"
_IS_READY = (
    "FROM jobs INDEXED BY jobs_ready WHERE state = 'pending' AND behind = 0 AND not_before <= %s"
)
_TO_DO = f"SELECT 1 {_IS_NEW} UNION ALL SELECT 1 {_IS_READY} LIMIT 1"
_NEW = f"SELECT position, entities {_IS_NEW} ORDER BY due, position LIMIT %s"
_READY = f"SELECT position, job_id, {COLUMNS} {_IS_READY} ORDER BY position LIMIT 1"


class SqliteJobQueue(JobTables[SqliteDatabase], JobQueue):
    """A `JobQueue` in one file. Thread-safe; raises StorageError.

    `clock` returns seconds since the epoch and may jump.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float]) -> None:
        self._opening = threading.Lock()
        self._is_other = self._ended = False
        super().__init__(open_queue_file(path))
        self._clock = clock
        self._lock = threading.Lock()
        self._claimed: dict[str, Job] = {}

    @property
    def _database(self) -> SqliteDatabase:
        """The open file.

        It is opened again if it was deleted or replaced, so that jobs are accepted.
        """
        if self._is_lost:
            with self._opening:
                if self._is_lost:
                    logger.error(
                        "%s was deleted or replaced while it was open; opening it again",
                        self._opened.name,
                    )
                    self._opened.close()
                    self._database = open_queue_file(self._opened.path)
                    self._is_other = True
        return self._opened

    @_database.setter
    def _database(self, database: SqliteDatabase) -> None:
        self._opened = database

    def database(self) -> SqliteDatabase:
        """Return the open file, for other data in it.

        Call this for each use, because the file may be opened again.
        """
        return self._database

    @property
    def _is_lost(self) -> bool:
        return not self._ended and (
            self._opened.closed or self._opened.place in ("gone", "replaced")
        )

    def put_all(self, jobs: Sequence[Job]) -> list[str]:
        """See `JobQueue.put_all`.

        Raises InvalidInput for a job that is too large or cannot be encoded.
        """
        rows = [row_of(job, encode_new(job), self._clock()) for job in jobs]
        with self._database.writing() as transaction:
            self._add(transaction, rows)
        return [job.job_id for job in jobs]

    def settle_filed(self, job_ids: Sequence[str]) -> int:
        """See `JobQueue.settle_filed`."""
        mine = "state = 'pending' AND kind = 'talk' AND job_id = ANY(%s)"
        with self._database.writing(durable=False) as transaction:
            in_line = transaction.rows(
                f"SELECT job_id FROM jobs WHERE behind >= 0 AND {mine}", (list(job_ids),)
            )
            left = sum(delete_job(transaction, job_id, "pending") for (job_id,) in in_line)
            return left + transaction.run(f"DELETE FROM jobs WHERE {mine}", (list(job_ids),))

    def withdraw(self, job_ids: Sequence[str]) -> int:
        """See `JobQueue.withdraw`.

        Deleted rows are overwritten in the file, and the log is emptied.
        """
        with self._database.writing() as transaction:
            gone = sum(delete_job(transaction, job_id, "pending", "failed") for job_id in job_ids)
        self._empty_log()
        return gone

    def is_due(self, now: float) -> bool:
        return self._database.row(_TO_DO, (now, now)) is not None

    def merge_rows(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Add the rows whose ids are not in the queue, and return their number.

        All jobs are sorted in the order in which they were accepted, unless a job is running.
        """
        with self._database.writing() as transaction:
            (last,) = transaction.row("SELECT coalesce(max(position), 0) FROM jobs")
            added = self._add(transaction, rows)
            if (
                not added
                or transaction.row("SELECT 1 FROM jobs WHERE state = 'processing'") is not None
            ):
                return added
            latest, keys = {True: 0.0, False: 0.0}, list[tuple[float, int]]()
            for position, accepted_at in transaction.rows(
                "SELECT position, accepted_at FROM jobs ORDER BY position"
            ):
                # Ignores a clock that was set back.
                latest[position > last] = max(latest[position > last], accepted_at)
                keys.append((latest[position > last], position))
            new = [(-number, position) for number, (_, position) in enumerate(sorted(keys), 1)]
            transaction.run_many("UPDATE jobs SET position = %s WHERE position = %s", new)
            transaction.run("UPDATE jobs SET position = -position, behind = -1")
            transaction.run("DELETE FROM job_lines")
        return added

    def _add(self, transaction: Transaction, rows: Iterable[Mapping[str, Any]]) -> int:
        added = 0
        for row in rows:
            if row["job_id"] in self._done:
                continue
            values = ", ".join(["%s"] * len(row))
            statement = (
                f"INSERT INTO jobs ({', '.join(row)}) VALUES ({values}) ON CONFLICT DO NOTHING"
            )
            if transaction.run(statement, tuple(row.values())):
                added += 1
            else:
                # Write the row again: the process that put it may have been killed before the
                # flush.
                transaction.run(
                    "UPDATE jobs SET position = position WHERE job_id = %s", (row["job_id"],)
                )
        return added

    def claim(self, now: float) -> Job | None:
        """See `JobQueue.claim`. A row that is no valid job is marked as failed."""
        database = self._database
        # After a reopening: jobs that the new file marks as running have no worker.
        if self._is_other:
            self._is_other = False
            self.take_over(now)
        while database.row(_TO_DO, (now, now)) is not None:
            with database.writing(durable=False) as transaction:
                for position, entities in transaction.rows(_NEW, (now, _BATCH)):
                    enter_lines(transaction, position, json.loads(entities))
                found = transaction.row(_READY, (now,))
                if found is None:
                    continue
                position, job_id, *values = found
                # The job was put again by a process that did not know that it was done.
                if job_id in self._done:
                    delete_job(transaction, job_id, "pending")
                    continue
                claim = "UPDATE jobs SET state = 'processing', claimed_at = %s WHERE position = %s"
                transaction.run(claim, (now, position))
            try:
                job = job_of(*values)
            except Unreadable as error:
                logger.warning("%s failed: %s", job_id, error)
                self._settle(
                    job_id,
                    state="failed",
                    last_error=short_error(str(error)),
                    failed_at=now,
                    filed=0,
                )
                continue
            with self._lock:
                self._claimed[job_id] = job
            return job
        return None

    def hasten(self, job_ids: Sequence[str] | None = None, *, kind: JobKind | None = None) -> None:
        some, given = condition_of(job_ids, kind)
        waits = f"WHERE state = 'pending' AND behind = -1 AND due > 0{some}"
        self._database.run(f"UPDATE jobs SET due = 0, not_before = 0 {waits}", given)

    def check_claim(self, job_id: str) -> None:
        """Do nothing: the owner's claims are valid while it lives; no other process takes them."""

    def claimed_job(self, job_id: str) -> Job:
        with self._lock:
            if job_id not in self._claimed:
                raise not_claimed(job_id)
            return self._claimed[job_id]

    def complete(self, job_id: str) -> None:
        self.claimed_job(job_id)
        try:
            with self._database.writing(durable=False) as transaction:
                delete_job(transaction, job_id, "processing")
                # Inside the transaction, so that nobody can put the job again meanwhile.
                self._note_done(job_id)
        except BaseException:
            self._done.pop(job_id, None)
            raise
        self._give_up(job_id)

    def postpone(self, job_id: str, *, error: str, not_before: float) -> None:
        attempts = self.claimed_job(job_id).attempts + 1
        self._settle(
            job_id,
            state="pending",
            attempts=attempts,
            last_error=short_error(error),
            not_before=not_before,
        )

    def release(self, job_id: str) -> None:
        self.claimed_job(job_id)
        self._settle(job_id, state="pending")

    def fail(self, job_id: str, *, error: str, filed: bool) -> None:
        attempts, shown = self.claimed_job(job_id).attempts + 1, short_error(error)
        self._settle(
            job_id,
            state="failed",
            attempts=attempts,
            last_error=shown,
            failed_at=self._clock(),
            filed=int(filed),
        )

    def take_over(self, now: float, *, older_than: float = 0.0) -> int:
        with self._lock:
            mine = list(self._claimed)
        old = "SELECT job_id FROM jobs WHERE state = 'processing' AND abs(%s - coalesce(claimed_at, 0)) >= %s ORDER BY position"
        found = [job_id for (job_id,) in self._database.rows(old, (now, older_than))]
        return sum(self._settle(job_id, state="pending") for job_id in found if job_id not in mine)

    def retry(self, job_id: str) -> bool:
        fresh = "state = 'pending', attempts = 0, not_before = 0, last_error = '', failed_at = NULL, filed = NULL, due = 0"
        failed = f"UPDATE jobs SET {fresh} WHERE job_id = %s AND state = 'failed'"
        return self._database.run(failed, (job_id,)) > 0

    def remove(self, job_id: str) -> bool:
        with self._database.writing() as transaction:
            return delete_job(transaction, job_id, "pending", "failed")

    @property
    def holds_some(self) -> bool:
        """True if a pending job is in this queue."""
        return self._database.row("SELECT 1 FROM jobs WHERE state = 'pending' LIMIT 1") is not None

    def compact(self) -> None:
        self._database.vacuum()
        self._empty_log()

    def _empty_log(self) -> None:
        if not self._database.truncate_log():
            logger.warning(
                "a reader of %s is active; deleted data in its log is overwritten when it ends",
                self._database.name,
            )

    def close(self) -> None:
        self._ended = True
        self._opened.close()

    def _settle(self, job_id: str, **becomes: Any) -> bool:
        """Take a claimed job out of its lines and change its row.

        A job that becomes pending joins its lines again at the next claim. Return False if the row
        no longer exists.
        """
        with self._database.writing(durable=False) as transaction:
            found = transaction.row(
                "SELECT position, entities FROM jobs WHERE job_id = %s AND state = 'processing'",
                (job_id,),
            )
            if found is not None:
                leave_lines(transaction, found[0], json.loads(found[1]))
                columns = {**becomes, "behind": -1, "due": 0}
                changes = ", ".join(f"{name} = %s" for name in columns)
                transaction.run(
                    f"UPDATE jobs SET {changes} WHERE position = %s", (*columns.values(), found[0])
                )
        self._give_up(job_id)
        return found is not None

    def _give_up(self, job_id: str) -> None:
        with self._lock:
            self._claimed.pop(job_id, None)


def open_queue_file(path: Path) -> SqliteDatabase:
    """Open `queue.sqlite` and create it if it does not exist.

    Raises StorageError if the file is damaged or locked.
    """
    return SqliteDatabase(path, MIGRATIONS)


def row_of(job: Job, body: str, accepted_at: float) -> dict[str, Any]:
    """Return the row of a new job, by column."""
    due = job.not_before if is_patient(job) else 0.0
    return {**new_row(job, body, accepted_at), "due": due}
