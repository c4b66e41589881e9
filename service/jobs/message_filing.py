"""MessageFiling: files the messages of waiting jobs soon after the jobs are accepted, while the
worker runs other jobs."""

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
"""Maximum number of messages per transaction."""
OWNER_LOOK_SECONDS = 0.5
"""Minimum interval at which a process that is not the owner checks whether it has become the
owner."""


class MessageFiling:
    """Files the messages of waiting jobs of kind `talk` in the order of the queue, one batch per
    transaction.

    Without a model the jobs are then removed from the queue. With a model they wait until their
    conversation is silent, and run through the graph. Only the owner files messages. After a
    restart filing begins at the first waiting job again; messages that are filed already do not
    change.

    A message that cannot be filed is left to the worker, which retries it like any job and finally
    gives it up with the reason.
    """

    def __init__(
        self,
        parts: Parts,
        runs: JobRuns,
        maintenance: Maintenance,
        *,
        is_owner: Callable[[], bool],
    ) -> None:
        self._queue = parts.queue
        self._clock = parts.clock
        self._runs = runs
        self._maintenance = maintenance
        self._is_owner = is_owner
        self._outage = Outage(longest=LONGEST_DISK_PAUSE_SECONDS)
        self._position = -1
        self._wake = asyncio.Event()
        self._ends = False
        self._task: asyncio.Task[None] | None = None

    @property
    def reason(self) -> str:
        """The reason why messages cannot be filed now; "" if there is none."""
        return self._outage.reason

    @property
    def failures(self) -> int:
        """The number of consecutive failures to use the database."""
        return self._outage.failures

    def start(self, poll_seconds: Callable[[], float]) -> None:
        """Start filing in the background, at the first waiting job."""
        self._position, self._ends = -1, False
        self._task = asyncio.create_task(self._run(poll_seconds), name="historian messages")

    def wake(self) -> None:
        """Look into the queue now. Call this in the event loop."""
        self._wake.set()

    async def aclose(self) -> None:
        """Stop after the batch that is being filed."""
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
                pass  # jobs from another process do not wake this task

    async def _work_off(self) -> float:
        """File all waiting messages. Return the seconds to wait if filing fails, else 0."""
        try:
            while not self._ends and await self._batch():
                pass
        except StorageError as error:
            pause = self._outage.begin(self._clock(), str(error))
            log.warning("messages wait, next try in %.0f s: %s", pause, error)
            return pause
        except Exception:
            # The task must survive. Jobs whose messages are not filed here run like any other job.
            log.exception("messages could not be filed")
            return self._outage.begin(self._clock(), "see the log")
        self._outage.end()
        return 0.0

    async def _batch(self) -> bool:
        """File the messages of the next jobs. Return False if no job waits."""
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
            self._maintenance.note_finished_job(job)
        return True

    async def _file(self, jobs: Sequence[Job]) -> set[str]:
        """File messages in one transaction or, if this fails, one by one.

        Return the ids of the jobs whose messages cannot be filed although others can. Raises
        StorageError if the database cannot be used.
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
                    raise  # the first two failed: the database is the cause
                last = error
                failed.add(job.job_id)
            except Exception as error:
                # The run of the job will fail in the same way, and report the cause.
                log.warning(
                    "the message of job %s cannot be filed with others: %s",
                    job.job_id,
                    type(error).__name__,
                )
                failed.add(job.job_id)
        return failed
