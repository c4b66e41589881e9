"""MessageFiling: files the messages of waiting jobs right behind their acceptance, beside the runs of the worker."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from ...schema.errors import StorageError
from ...schema.job import Job
from ..components import Parts
from ..outages.availability import LONGEST_DISK_PAUSE_SECONDS, Outage
from ..upkeep.idle_work import Maintenance
from .job_runs import JobRuns

log = logging.getLogger(__name__)

BATCH = 200
"""Messages of one transaction."""
OWNER_LOOK_SECONDS = 0.5
"""How often a process that is not the owner looks whether it is one by now."""


class MessageFiling:
    """Takes all waiting jobs of kind `talk` behind a cursor, and files their messages, a batch a transaction.

    Without a model the jobs leave the queue then; with one they wait for the silence of their conversation, and run through the
    graph. Only the owner files: one process, in order. A restart begins at the first job that waits, which changes nothing of
    what is filed.

    A message that cannot be filed is left to the worker, which tries it as often as any job, and gives it up with its reason.
    """

    def __init__(
        self,
        parts: Parts,
        runs: JobRuns,
        maintenance: Maintenance,
        *,
        is_owner: Callable[[], bool],
        random: Callable[[], float],
    ) -> None:
        self._queue = parts.queue
        self._clock = parts.clock
        self._runs = runs
        self._maintenance = maintenance
        self._is_owner = is_owner
        self._outage = Outage(random, longest=LONGEST_DISK_PAUSE_SECONDS)
        self._position = -1
        self._wake = asyncio.Event()
        self._ends = False
        self._task: asyncio.Task[None] | None = None

    @property
    def reason(self) -> str:
        """The reason why messages wait; empty while they do not."""
        return self._outage.reason

    @property
    def failures(self) -> int:
        """How often in a row the database could not be used."""
        return self._outage.failures

    def start(self, poll_seconds: Callable[[], float]) -> None:
        """Begin with the first job that waits."""
        self._position, self._ends = -1, False
        self._task = asyncio.create_task(self._run(poll_seconds), name="historian messages")

    def wake(self) -> None:
        """Look into the queue now. Called from the event loop."""
        self._wake.set()

    async def aclose(self) -> None:
        """End with the batch that is being filed."""
        self._ends = True
        self._wake.set()
        task, self._task = self._task, None
        if task is not None:
            await task

    async def _run(self, poll_seconds: Callable[[], float]) -> None:
        while not self._ends:
            self._wake.clear()
            pause = poll_seconds()
            if not self._is_owner():
                self._position, pause = -1, max(pause, OWNER_LOOK_SECONDS)
            elif (wait := self._outage.remaining(self._clock())) > 0:
                pause = wait
            else:
                pause = await self._work_off() or pause
            try:
                async with asyncio.timeout(pause):
                    await self._wake.wait()
            except TimeoutError:
                pass  # what another process has put into the queue wakes nobody here

    async def _work_off(self) -> float:
        """File all that waits. Return how long to wait if the database cannot be used, else 0."""
        try:
            while not self._ends and await self._batch():
                pass
        except StorageError as error:
            pause = self._outage.begin(self._clock(), str(error))
            log.warning("messages wait, next try in %.0f s: %s", pause, error)
            return pause
        except Exception:
            # The task must survive: jobs that are left over are run like any other.
            log.exception("messages could not be filed")
            return self._outage.begin(self._clock(), "see the log")
        self._outage.end()
        return 0.0

    async def _batch(self) -> bool:
        """File the messages of the next jobs. Return False if none waits."""
        found = await asyncio.to_thread(self._queue.talk_after, self._position, BATCH)
        if not found:
            return False
        jobs = [job for _, job in found]
        failed = await self._file(jobs)
        filed = [job for job in jobs if job.job_id not in failed]
        if failed:
            await asyncio.to_thread(self._queue.hasten, list(failed))
        if not self._runs.asks_a_model:
            await asyncio.to_thread(self._queue.settle_filed, [job.job_id for job in filed])
            self._runs.statistics.outcomes["filed"] += len(filed)
        self._position = found[-1][0]
        for job in filed:
            self._maintenance.job_done(job)
        return True

    async def _file(self, jobs: Sequence[Job]) -> set[str]:
        """File messages, all at once, or else one by one. Return the ids of those that cannot be filed, others can.

        Raises StorageError if none can.
        """
        messages = self._runs.messages
        try:
            await asyncio.to_thread(messages.file, jobs)
            return set()
        except Exception as error:
            if len(jobs) == 1 and isinstance(error, StorageError):
                raise
        failed: set[str] = set()
        last: StorageError | None = None
        for job in jobs:
            try:
                await asyncio.to_thread(messages.file, [job])
            except StorageError as error:
                if last is not None and len(failed) == jobs.index(job):
                    raise  # neither the first nor the second: the database is the reason
                last = error
                failed.add(job.job_id)
            except Exception as error:
                # Its run fails in the same way, and tells why.
                log.warning("the message of job %s cannot be filed with others: %s", job.job_id, type(error).__name__)
                failed.add(job.job_id)
        return failed
