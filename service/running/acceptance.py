"""Acceptance of jobs: what bots hand over is put on disk."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import TypeVar

from ...schema.errors import HistorianError, StorageError
from ...schema.job import Job
from ...schema.protocols import JobQueue
from ...schema.settings import Settings
from ...stores.files.end_summaries import EndSummaries
from ...stores.opening import open_queue
from ..data_directory import data_directory
from ..intake import LONG, Unredacted
from ..recall.fallback_levels import PlainMemory, waiting_jobs

log = logging.getLogger(__name__)

Result = TypeVar("Result")

HANDING = 6
"""Number of threads that put jobs on disk."""
MOST_HASTENED = 1_000
"""Maximum number of waiting jobs of a conversation that `hasten` looks at."""


class Acceptance:
    """Puts jobs into the queue, in threads that are used for nothing else. `queue` is None until
    its first use."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        clock: Callable[[], float],
        plain: PlainMemory,
        end_summaries: EndSummaries,
        is_open: Callable[[], bool],
    ) -> None:
        self.queue: JobQueue | None = None
        self._settings = settings
        self._clock = clock
        self._plain = plain
        self._end_summaries = end_summaries
        self._is_open = is_open
        self._lock = threading.Lock()
        self._handing, self._redacting = _threads()

    @property
    def has_local_queue(self) -> bool:
        """True if the data directory has a file of jobs. Fast enough for the event loop."""
        settings = self._settings()
        return not settings.stores.url and (data_directory(settings) / "queue.sqlite").exists()

    async def in_thread(
        self, function: Callable[..., Result], *arguments: object, long: bool = False
    ) -> Result:
        """Return the result of `function`, called in a thread that is used only for hand-overs.

        A recall therefore never waits for hand-overs. `long` work runs in one separate thread, so
        that only other long work waits for it.
        """
        pool = self._redacting if long else self._handing
        return await asyncio.get_running_loop().run_in_executor(pool, partial(function, *arguments))

    async def hand_over(self, read: Callable[[], Unredacted]) -> list[Job]:
        """Put the jobs of a call on disk in one transaction, and return the jobs that were stored.

        `read` reads and validates what the bot handed over. It is called in a thread, which also
        redacts and stores the jobs; texts of more than LONG characters are left to the thread for
        long work. Empty jobs are skipped. While memory is switched off only plain summaries are
        stored, and no job is returned.

        Raises what `read` raises, StorageError, and HistorianError if the service is not open.
        """
        done = await self.in_thread(self._hand_over_unless_long, read)
        if isinstance(done, Unredacted):
            done = await self.in_thread(self._put, done, long=True)
        return done

    def _hand_over_unless_long(self, read: Callable[[], Unredacted]) -> list[Job] | Unredacted:
        given = read()
        if given.characters <= LONG:
            return self._put(given)
        self._check_open()
        return given

    def _put(self, given: Unredacted) -> list[Job]:
        jobs = [job for job in given.redacted_jobs() if not job.is_empty]
        if not jobs:
            return []
        if not self._settings().cognitive.enabled:
            self._end_summaries.add([job for job in jobs if job.kind == "remember"])
            return []
        self._check_open()
        self.opened_queue().put_all(jobs)
        if self._plain.database_away:
            self._plain.add(jobs)
        return jobs

    def _check_open(self) -> None:
        """Raise HistorianError if memory is switched on but not open. While it is being closed, jobs
        are accepted as long as the queue is open."""
        if self._settings().cognitive.enabled and self.queue is None and not self._is_open():
            raise HistorianError(
                "the service is not open; use `async with CognitiveService.open(…)` or call `start()`"
            )

    async def hasten(self, scope_key: str) -> None:
        """Make the waiting jobs of kind `talk` of a conversation due now. Raises StorageError."""
        await self.in_thread(self._hasten, scope_key)

    def _hasten(self, scope_key: str) -> None:
        queue = self.opened_queue()
        waiting = queue.waiting(scope_key, MOST_HASTENED)
        queue.hasten([job.job_id for job in waiting if job.kind == "talk"])

    def opened_queue(self) -> JobQueue:
        """Return the job queue, which is opened at its first use. Blocking; raises StorageError."""
        if (queue := self.queue) is not None:
            return queue
        with self._lock:
            if not self._is_open():
                raise StorageError("memory was closed meanwhile; open the service again")
            if self.queue is None:
                self.queue = open_queue(self._settings(), self._clock)
            return self.queue

    def close_queue(self) -> None:
        """Close the job queue, if it is open. Blocking."""
        with self._lock:
            queue, self.queue = self.queue, None
            if queue is not None:
                queue.close()

    def copy_waiting(self) -> None:
        """Write the texts of waiting jobs into `end_summaries.json`, which is read while memory is
        off.

        Jobs with an expiry date are left out.
        """
        try:
            with closing(open_queue(self._settings(), self._clock)) as queue:
                jobs = list(waiting_jobs(queue))
            self._end_summaries.add(
                [job for job in jobs if job.kind == "remember" and job.expires_at is None]
            )
        except (StorageError, OSError) as error:
            log.warning("jobs wait on disk, but are not in end_summaries.json: %s", error)

    def end_threads(self) -> None:
        """Shut down the thread pools when their work is done, and create new ones for another
        start."""
        ended = self._handing, self._redacting
        self._handing, self._redacting = _threads()
        for one in ended:
            one.shutdown(wait=False)


def _threads() -> tuple[ThreadPoolExecutor, ThreadPoolExecutor]:
    """Return a pool of threads that put jobs on disk, and a pool of one thread for jobs with long
    texts. No thread is started yet."""
    return ThreadPoolExecutor(HANDING, "historian-hand-over"), ThreadPoolExecutor(
        1, "historian-redaction"
    )
