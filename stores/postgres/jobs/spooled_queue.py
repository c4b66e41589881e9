"""The job queue of a process: in PostgreSQL, or in the data directory during an outage."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....schema.errors import DatabaseAway, OwnerLockHeld
from ....schema.job import Job
from ....schema.protocols import JobQueue, JobState, QueueCounts
from ...files.markdown_memory import MarkdownMemory
from ...files.owner_lock import OwnerLock
from ...sqlite.former_queue import open_local_queue

log = logging.getLogger(__name__)

PATIENCE_SECONDS = 1.0
"""How long `put` waits for the server. After that the jobs wait here, and are handed over later."""
_AT_ONCE = 500
_THREADS = 8


class SpooledQueue:
    """The `JobQueue` of PostgreSQL; `put` uses the data directory while the server is unavailable.

    `connect` opens the queue of the server, and raises StorageError. While jobs wait here, later
    jobs wait behind them, so that their order is preserved. With `keeps=False` `put` raises
    DatabaseAway instead.
    """

    def __init__(
        self,
        directory: Path,
        clock: Callable[[], float],
        connect: Callable[[], JobQueue],
        *,
        keeps: bool,
    ) -> None:
        self.remote: JobQueue | None = None
        """The queue of the server; None before the first connection."""
        self._connect = connect
        self._connecting = threading.Lock()
        self._directory = directory
        self.clock = clock
        self._keeps = keeps
        self._spool = open_local_queue(directory, clock)
        self._away = False
        self._threads = ThreadPoolExecutor(_THREADS, "historian-hand-over")
        self._handing_over = threading.Lock()

    @property
    def is_away(self) -> bool:
        """Return True while jobs are stored here, after the server did not answer a call."""
        return self._away

    def note_away(self) -> None:
        """Use only the local queue from now on, because the server did not answer.

        `hand_over` detects that the server answers again.
        """
        self._away = True

    def put(self, job: Job) -> str:
        """See `JobQueue.put`."""
        return self.put_all([job])[0]

    def put_all(self, jobs: Sequence[Job]) -> list[str]:
        """See `JobQueue.put_all`. Waits for the server once, at most PATIENCE_SECONDS.

        Jobs that the server has stored nevertheless are not stored twice there.
        """
        if not self._keeps:
            return self._server.put_all(jobs)
        if not self._away and not self._spooled():
            try:
                return self._threads.submit(lambda: self._server.put_all(jobs)).result(
                    PATIENCE_SECONDS
                )
            except (DatabaseAway, TimeoutError) as error:
                # The server may have stored the jobs nevertheless: the same id twice is one job.
                log.warning(
                    "jobs are kept in %s and handed over later: %s",
                    self._directory,
                    str(error) or "no answer in time",
                )
                self._away = True
        return self._spool.put_all(jobs)

    def hand_over(self) -> int:
        """Move the jobs that wait here to the queue of the server. Return their number.

        Raises DatabaseAway if the server is unavailable.
        """
        if not (self._away or self._spooled()) or not self._handing_over.acquire(blocking=False):
            return 0
        try:
            return self._handed_over()
        finally:
            self._handing_over.release()

    def _handed_over(self) -> int:
        server = self._server
        try:
            lock = OwnerLock(self._directory).acquire(self.clock())
        except OwnerLockHeld:  # another process of this machine hands over
            return 0
        count = 0
        with lock:
            server.counts(self.clock())  # raises DatabaseAway if it cannot be reached yet
            was_away, self._away = self._away, False
            self._spool.take_over(self.clock())
            while jobs := self._spool.jobs("pending", _AT_ONCE):
                for job in jobs:
                    server.put(job)
                for job in jobs:
                    self._spool.remove(job.job_id)
                # These texts are in the database now, where they can be forgotten. Remove them from
                # `MEMORY.md`.
                told = {(job.scope.key, job.timestamp) for job in jobs}
                memory = MarkdownMemory(self._directory / "MEMORY.md")
                memory.forget(lambda key, one, told=told: (key, one["timestamp"]) in told)  # type: ignore[misc]
                count += len(jobs)
        if was_away or count:
            log.warning("the database can be reached again; %d jobs were handed over", count)
        return count

    def counts(self, now: float) -> QueueCounts:
        """Return the counts of both queues; only of the local one during an outage."""
        here = self._spool.counts(now)
        if self._away:
            return here
        there = self._server.counts(now)
        oldest = max(here.oldest_pending_seconds, there.oldest_pending_seconds)
        return replace(there, pending=here.pending + there.pending, oldest_pending_seconds=oldest)

    def jobs(self, state: JobState, limit: int = 1000) -> list[Job]:
        there = self._server.jobs(state, limit) if not self._away else []
        return [*there, *self._spool.jobs(state, limit)][:limit]

    def known_ids(self) -> set[str]:
        return self._server.known_ids() | self._spool.known_ids()

    def waiting(self, scope_key: str, limit: int = 20) -> list[Job]:
        here = self._spool.waiting(scope_key, limit)
        if self._away:
            return here
        return [*here, *self._server.waiting(scope_key, limit)][:limit]

    def talk_of(self, prefix: str) -> list[Job]:
        return [*self._server.talk_of(prefix), *self._spool.talk_of(prefix)]

    def withdraw(self, job_ids: Sequence[str]) -> int:
        return self._server.withdraw(job_ids) + self._spool.withdraw(job_ids)

    def amend(self, change: Callable[[Job], Job | None]) -> int:
        return self._server.amend(change) + self._spool.amend(change)

    def compact(self) -> None:
        self._spool.compact()

    def close(self) -> None:
        """Close both queues."""
        self._threads.shutdown(wait=False)
        self._spool.close()
        if self.remote is not None:
            self.remote.close()

    def __getattr__(self, name: str) -> Any:
        """Return the other methods of a `JobQueue` from the queue of the server."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._server, name)

    @property
    def _server(self) -> JobQueue:
        with self._connecting:
            if self.remote is None:
                self.remote = self._connect()
            return self.remote

    def _spooled(self) -> bool:
        return self._spool.holds_some
