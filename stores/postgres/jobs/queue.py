"""The job queue as the tables `jobs` and `job_lines`, for any number of workers on any machine.

A job waits in one line per entity. The first job of a line, waiting or running, holds back those
behind it. A claim locks only the row of its job, so that workers do not wait for each other. It
reads only jobs that are first in all their lines: ten thousand other waiting jobs do not slow it
down. Lines change under the locks of their entities, by functions of the schema.

A claim belongs to the session of its worker (`session.py`), and only that session settles the job.
`take_over` returns the jobs of ended sessions to the queue.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ....schema.errors import ClaimLost, DatabaseAway, StorageError
from ....schema.job import Job, JobKind
from ....schema.protocols import JobQueue
from ...tables.jobs.body import Unreadable, encode_new, short_error
from ...tables.jobs.tables import (
    COLUMNS,
    JobTables,
    condition_of,
    is_patient,
    job_of,
    new_row,
    not_claimed,
    readable,
)
from ..database import PostgresDatabase
from .session import WorkerSession, workers_key

logger = logging.getLogger(__name__)

_PUT = "SELECT put_job(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"


class PostgresJobQueue(JobTables[PostgresDatabase], JobQueue):
    """The `JobQueue` of one schema. Thread-safe.

    `clock` returns seconds since the epoch and may jump. `session` is the session of the other
    locks of the process, if it has any; `close` ends it, and with it all claims.
    """

    def __init__(
        self,
        database: PostgresDatabase,
        *,
        clock: Callable[[], float],
        session: WorkerSession | None = None,
    ) -> None:
        super().__init__(database)
        self._clock = clock
        self._session = session or WorkerSession(database)
        self._lock = threading.Condition()
        self._putting: Counter[str] = Counter()
        self._claimed: dict[str, tuple[int, Job]] = {}
        self._idle_as = 0
        self._next_end = 0.0

    def settle_filed(self, job_ids: Sequence[str]) -> int:
        """See `JobQueue.settle_filed`."""
        ids = (list(job_ids),)
        with self._database.writing() as transaction:
            # Locked in the same order as by a claim, to avoid a deadlock.
            gone = transaction.run(
                "DELETE FROM jobs WHERE job_id IN (SELECT job_id FROM jobs WHERE patient AND state = 'pending'"
                " AND kind = 'talk' AND job_id = ANY(%s) ORDER BY job_id FOR UPDATE SKIP LOCKED)",
                ids,
            )
        in_line = self._database.rows(
            "SELECT job_id FROM jobs WHERE kind = 'talk' AND job_id = ANY(%s)", ids
        )
        return gone + sum(self.remove(job_id) for (job_id,) in in_line)

    def talk_of(self, prefix: str) -> list[Job]:
        """See `JobQueue.talk_of`.

        Uses no range of ids, because collations order ids differently.
        """
        mine = f"SELECT {COLUMNS} FROM jobs WHERE kind = 'talk' AND starts_with(job_id, %s) ORDER BY position"
        return readable(self._database.rows(mine, (prefix,)))

    def is_due(self, now: float) -> bool:
        ready = "state = 'pending' AND heads = lines AND NOT patient AND not_before <= %s"
        due = f"SELECT 1 FROM jobs WHERE {ready} UNION ALL SELECT 1 FROM jobs WHERE patient AND not_before <= %s LIMIT 1"
        return self._database.row(due, (now, now)) is not None

    def put_all(self, jobs: Sequence[Job]) -> list[str]:
        """See `JobQueue.put_all`.

        Raises InvalidInput for a job that is too large or cannot be encoded.
        """
        rows = [
            (*new_row(job, encode_new(job), self._clock()).values(), is_patient(job))
            for job in jobs
        ]
        with self._lock:
            new = [row for row in rows if row[0] not in self._done]
            putting = Counter(row[0] for row in new)
            self._putting += putting
        try:
            if len(new) == 1:
                # One statement is one round trip. It is repeated if a connection had died: a known
                # id is not stored twice.
                self._database.row(_PUT, new[0])
            elif new:
                # All processes take the locks in one order, even if they put the same jobs in
                # another order.
                lines = {f"put {job.scope.key}" for job in jobs}
                lines.update(name for job in jobs if not is_patient(job) for name in job.entities)
                with self._database.writing() as transaction:
                    transaction.execute("SELECT lock_lines(%s)", (sorted(lines),))
                    transaction.executemany(_PUT, new)
        finally:
            with self._lock:
                self._putting -= putting
                self._lock.notify_all()
        return [job.job_id for job in jobs]

    def claim(self, now: float) -> Job | None:
        self._session.beat(begins=True)
        while True:
            with self._session.statements() as transaction:
                number = self._session.number
                row = transaction.row(
                    f"SELECT job_id, {COLUMNS} FROM claim_job(%s, %s)", (number, now)
                )
                was_idle = self._idle_as == number
                if row is None and not was_idle:
                    transaction.execute(
                        "INSERT INTO idle_workers VALUES (%s) ON CONFLICT DO NOTHING", (number,)
                    )
                elif row is not None and was_idle:
                    transaction.execute("DELETE FROM idle_workers WHERE worker = %s", (number,))
            self._idle_as = number if row is None else 0
            if row is None:
                if was_idle:
                    return None
                continue  # try again: a job may have come before this worker was known as idle
            job_id, *values = row
            with self._lock:
                known = self._claimed.get(job_id)
                if known is not None and known[0] != number:
                    # The job still runs here; only the session that had claimed it has ended.
                    self._claimed[job_id] = (number, known[1])
                    continue
                try:
                    job = job_of(*values)
                except Unreadable as error:
                    self._settle(job_id, number, "failed", error=f"not a job: {error}", until=now)
                    continue
                self._claimed[job_id] = (number, job)
                return job

    def hasten(self, job_ids: Sequence[str] | None = None, *, kind: JobKind | None = None) -> None:
        some, given = condition_of(job_ids, kind)
        with self._database.writing() as transaction:
            # Locked in the same order as by a claim, to avoid a deadlock.
            transaction.execute(
                "UPDATE jobs SET not_before = 0 WHERE patient AND job_id IN"
                f" (SELECT job_id FROM jobs WHERE patient{some} ORDER BY job_id FOR UPDATE)",
                given,
            )
            transaction.execute("SELECT wake_workers()")

    def check_claim(self, job_id: str) -> None:
        claimed = self._of_claimed(job_id)
        # A worker whose session has ended has its jobs until another worker takes them over.
        while (
            self._database.row(
                "SELECT worker FROM jobs WHERE job_id = %s AND state = 'processing'", (job_id,)
            )
            != claimed[:1]
        ):
            claimed = self._again(job_id, claimed)

    def complete(self, job_id: str) -> None:
        self._of_claimed(job_id)
        with self._lock:
            # A running `put` of this job still finds its row; a later one finds it in `_done`.
            self._lock.wait_for(lambda: not self._putting[job_id])
            self._note_done(job_id)
        try:
            self._settle_claimed(job_id, "done")
        except BaseException:
            with self._lock:
                self._done.pop(job_id, None)
            raise

    def postpone(self, job_id: str, *, error: str, not_before: float) -> None:
        self._settle_claimed(job_id, "pending", more_attempts=1, error=error, until=not_before)

    def release(self, job_id: str) -> None:
        self._settle_claimed(job_id, "pending")

    def fail(self, job_id: str, *, error: str, filed: bool) -> None:
        self._settle_claimed(
            job_id, "failed", more_attempts=1, error=error, until=self._clock(), filed=filed
        )

    def take_over(self, now: float, *, older_than: float = 0.0) -> int:
        """See `JobQueue.take_over`.

        A worker is dead if its session has ended; `older_than` is not used.

        The call is also a heartbeat of the event loop of a process that claims jobs
        (`WorkerSession.beat`).
        """
        self._session.beat()
        # One statement, since a hundred workers check each other every second. The lock is shared,
        # so that two that check at once do not mistake each other for the worker.
        dead = self._database.rows(
            "SELECT worker FROM (SELECT worker FROM jobs WHERE state = 'processing' UNION SELECT worker FROM idle_workers) known"
            " WHERE pg_try_advisory_xact_lock_shared(%s, worker::integer)",
            (workers_key(self._database),),
        )
        # Also if no worker is found dead: a worker may lose its session first, and then be
        # suspended during a write.
        if time.monotonic() >= self._next_end:
            self._next_end = time.monotonic() + self._database.silence_seconds / 2
            self._end_suspended()
        return sum(self._take_over_from(worker) for (worker,) in dead)

    def _end_suspended(self) -> None:
        try:
            self._database.end_suspended()
        except DatabaseAway:
            raise
        except StorageError as error:  # the role may not end its own sessions
            logger.warning("transactions of suspended workers could not be ended: %s", error)

    def _take_over_from(self, worker: int) -> int:
        """Return the jobs of a worker whose session has ended to the queue. Return their number.

        No other session has the same number.
        """
        taken, mine = 0, "FROM jobs WHERE state = 'processing' AND worker = %s"
        while True:
            with self._database.writing() as transaction:
                # Only one process at a time: a second one would take the job from the worker that
                # has claimed it since.
                transaction.execute(
                    "SELECT pg_advisory_xact_lock(%s, %s::integer)",
                    (workers_key(self._database), worker),
                )
                transaction.execute("DELETE FROM idle_workers WHERE worker = %s", (worker,))
                found = transaction.row(
                    f"SELECT job_id {mine} ORDER BY position LIMIT 1", (worker,)
                )
                if found is None:
                    return taken
                settle = "SELECT settle_job(%s, %s, 'pending', 0, NULL, NULL, NULL)"
                taken += transaction.row(settle, (found[0], worker)) == (True,)

    def retry(self, job_id: str) -> bool:
        with self._database.writing() as transaction:
            return transaction.row("SELECT retry_job(%s)", (job_id,)) == (True,)

    def remove(self, job_id: str) -> bool:
        with self._database.writing() as transaction:
            return transaction.row("SELECT remove_job(%s)", (job_id,)) == (True,)

    def claimed_job(self, job_id: str) -> Job:
        return self._of_claimed(job_id)[1]

    def close(self) -> None:
        """End the session; its claimed jobs go to other workers."""
        self._session.close()

    def _of_claimed(self, job_id: str) -> tuple[int, Job]:
        with self._lock:
            try:
                return self._claimed[job_id]
            except KeyError:
                raise not_claimed(job_id) from None

    def _settle_claimed(self, job_id: str, becomes: str, **changes: Any) -> None:
        claimed = self._of_claimed(job_id)
        while not self._settle(job_id, claimed[0], becomes, **changes):
            claimed = self._again(job_id, claimed)
        self._give_up(job_id, claimed)

    def _again(self, job_id: str, claimed: tuple[int, Job]) -> tuple[int, Job]:
        """Return the claim of this process that has replaced a lost one.

        Raises ClaimLost if there is none.
        """
        with self._lock:
            if not self._give_up(job_id, claimed):
                return self._of_claimed(job_id)
        raise ClaimLost(
            f"job {job_id!r} now belongs to another worker: the database session that claimed it "
            "has ended"
        )

    def _give_up(self, job_id: str, claimed: tuple[int, Job]) -> bool:
        """Drop a claim.

        Return False, and drop nothing, if another claim of the same job has replaced it.
        """
        with self._lock:
            if self._claimed.get(job_id, claimed) is not claimed:
                return False
            self._claimed.pop(job_id, None)
            return True

    def _settle(
        self,
        job_id: str,
        number: int,
        becomes: str,
        *,
        more_attempts: int = 0,
        error: str | None = None,
        until: float | None = None,
        filed: bool = False,
    ) -> bool:
        with (
            self._session.durable() if more_attempts else self._session.statements() as transaction
        ):
            if self._session.number != number:
                return False
            shown = None if error is None else short_error(error)
            found = transaction.row(
                "SELECT settle_job(%s, %s, %s, %s, %s, %s, %s)",
                (job_id, number, becomes, more_attempts, shown, until, filed),
            )
            return found == (True,)
