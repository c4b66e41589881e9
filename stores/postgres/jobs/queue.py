"""The job queue as the tables `jobs` and `job_lines`, for any number of workers on any machine.

A job stands in the line of each of its entities; the head of a line, waiting or running, holds back those behind it. A claim
locks nothing but the row of its job, so that workers pass by one another, and looks at jobs alone that head all their lines:
ten thousand others that wait cost it nothing. Lines change under the locks of their entities, by functions of the schema.

Claims belong to the session of their worker (`session.py`): `take_over` returns those whose session has ended, and only that
session settles them.
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
from ...tables.jobs.tables import COLUMNS, JobTables, is_patient, job_of, not_claimed, readable
from ..database import PostgresDatabase
from .session import WorkerSession, workers_key

logger = logging.getLogger(__name__)

_PUT = "SELECT put_job(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"


class PostgresJobQueue(JobTables[PostgresDatabase], JobQueue):
    """The `JobQueue` of one schema. `clock` returns seconds since the epoch and may jump. Thread-safe.

    `session` is that of the process's other locks, if it has any; `close` ends it, and with it all claims.
    """

    def __init__(self, database: PostgresDatabase, *, clock: Callable[[], float], session: WorkerSession | None = None) -> None:
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
            # Locked in the order in which a claim locks them, or each may wait for the other.
            gone = transaction.run(
                "DELETE FROM jobs WHERE job_id IN (SELECT job_id FROM jobs WHERE patient AND state = 'pending'"
                " AND kind = 'talk' AND job_id = ANY(%s) ORDER BY job_id FOR UPDATE SKIP LOCKED)",
                ids,
            )
        in_line = self._database.rows("SELECT job_id FROM jobs WHERE kind = 'talk' AND job_id = ANY(%s)", ids)
        return gone + sum(self.remove(job_id) for (job_id,) in in_line)

    def talk_of(self, prefix: str) -> list[Job]:
        """See `JobQueue.talk_of`. Collations order ids in their own ways: no range of them."""
        mine = f"SELECT {COLUMNS} FROM jobs WHERE kind = 'talk' AND starts_with(job_id, %s) ORDER BY position"
        return readable(self._database.rows(mine, (prefix,)))

    def is_due(self, now: float) -> bool:
        ready = "state = 'pending' AND heads = lines AND NOT patient AND not_before <= %s"
        due = f"SELECT 1 FROM jobs WHERE {ready} UNION ALL SELECT 1 FROM jobs WHERE patient AND not_before <= %s LIMIT 1"
        return self._database.row(due, (now, now)) is not None

    def put_all(self, jobs: Sequence[Job]) -> list[str]:
        """See `JobQueue.put_all`.

        Raises InvalidInput for a job that is too large, or cannot be encoded.
        """
        rows = [self._row(job) for job in jobs]
        with self._lock:
            new = [row for row in rows if row[0] not in self._done]
            putting = Counter(row[0] for row in new)
            self._putting += putting
        try:
            if len(new) == 1:
                # One statement, and so one round trip; again where a connection had died:
                # a known job is no second one.
                self._database.row(_PUT, new[0])
            elif new:
                # Locks in one order for all, also for who puts the same jobs in another one.
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

    def _row(self, job: Job) -> tuple[Any, ...]:
        return (
            job.job_id,
            job.kind,
            job.scope.key,
            sorted(job.entities),
            encode_new(job),
            self._clock(),
            job.attempts,
            job.not_before,
            job.last_error,
            is_patient(job),
        )

    def claim(self, now: float) -> Job | None:
        self._session.beat(begins=True)
        while True:
            with self._session.statements() as transaction:
                number = self._session.number
                row = transaction.row(f"SELECT job_id, {COLUMNS} FROM claim_job(%s, %s)", (number, now))
                was_idle = self._idle_as == number
                if row is None and not was_idle:
                    transaction.execute("INSERT INTO idle_workers VALUES (%s) ON CONFLICT DO NOTHING", (number,))
                elif row is not None and was_idle:
                    transaction.execute("DELETE FROM idle_workers WHERE worker = %s", (number,))
            self._idle_as = number if row is None else 0
            if row is None:
                if was_idle:
                    return None
                continue  # once more: a job may have come before anybody knew that this worker listens
            job_id, *values = row
            with self._lock:
                known = self._claimed.get(job_id)
                if known is not None and known[0] != number:
                    # Its run goes on here; only the session in which it had been claimed has ended.
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
        some, given = (" AND kind = %s", (kind,)) if kind else ("", ())
        if job_ids is not None:
            some, given = f"{some} AND job_id = ANY(%s)", (*given, list(job_ids))
        with self._database.writing() as transaction:
            # Locked in the order in which a claim locks them, or each may wait for the other.
            transaction.execute(
                "UPDATE jobs SET not_before = 0 WHERE patient AND job_id IN"
                f" (SELECT job_id FROM jobs WHERE patient{some} ORDER BY job_id FOR UPDATE)",
                given,
            )
            transaction.execute("SELECT wake_workers()")

    def check_claim(self, job_id: str) -> None:
        claimed = self._of_claimed(job_id)
        # One whose session has ended keeps its jobs until somebody takes them over.
        while self._database.row("SELECT worker FROM jobs WHERE job_id = %s AND state = 'processing'", (job_id,)) != claimed[:1]:
            claimed = self._again(job_id, claimed)

    def complete(self, job_id: str) -> None:
        self._of_claimed(job_id)
        with self._lock:
            # What is put again just now finds the job still there; what is put from now on, that it is done.
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
        self._settle_claimed(job_id, "failed", more_attempts=1, error=error, until=self._clock(), filed=filed)

    def take_over(self, now: float, *, older_than: float = 0.0) -> int:
        """See `JobQueue.take_over`. A worker is dead when its session has ended, so `older_than` is not needed.

        It is also the sign of life of the event loop of a process that claims jobs (`WorkerSession.beat`).
        """
        self._session.beat()
        # One statement: a hundred workers look at each other every second. Shared, so that two that look at once do not take each
        # other for the worker.
        dead = self._database.rows(
            "SELECT worker FROM (SELECT worker FROM jobs WHERE state = 'processing' UNION SELECT worker FROM idle_workers) known"
            " WHERE pg_try_advisory_xact_lock_shared(%s, worker::integer)",
            (workers_key(self._database),),
        )
        # Not only where somebody is found dead: a worker may lose its session first, and be suspended amid what it writes then.
        if time.monotonic() >= self._next_end:
            self._next_end = time.monotonic() + self._database.silence_seconds / 2
            self._end_suspended()
        return sum(self._take_over_from(worker) for (worker,) in dead)

    def _end_suspended(self) -> None:
        try:
            self._database.end_suspended()
        except DatabaseAway:
            raise
        except StorageError as error:  # a role that may not end its own sessions
            logger.warning("transactions of suspended workers are not ended: %s", error)

    def _take_over_from(self, worker: int) -> int:
        """Return the jobs of a worker whose session has ended to the queue: no other has its number."""
        taken, mine = 0, "FROM jobs WHERE state = 'processing' AND worker = %s"
        while True:
            with self._database.writing() as transaction:
                # One at a time: a later one would take the job from whoever has claimed it since.
                transaction.execute("SELECT pg_advisory_xact_lock(%s, %s::integer)", (workers_key(self._database), worker))
                transaction.execute("DELETE FROM idle_workers WHERE worker = %s", (worker,))
                found = transaction.row(f"SELECT job_id {mine} ORDER BY position LIMIT 1", (worker,))
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
        """End the session: what is claimed goes to other workers."""
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
        """Return the claim that has followed a lost one here meanwhile. Raises ClaimLost if there is none."""
        with self._lock:
            if not self._give_up(job_id, claimed):
                return self._of_claimed(job_id)
        raise ClaimLost(f"job {job_id!r} is another worker's: the session of the database in which it was claimed has ended")

    def _give_up(self, job_id: str, claimed: tuple[int, Job]) -> bool:
        """Forget a claim. Return False, and leave it, if another one of the same job stands in its place."""
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
        with self._session.durable() if more_attempts else self._session.statements() as transaction:
            if self._session.number != number:
                return False
            shown = None if error is None else short_error(error)
            found = transaction.row(
                "SELECT settle_job(%s, %s, %s, %s, %s, %s, %s)", (job_id, number, becomes, more_attempts, shown, until, filed)
            )
            return found == (True,)
