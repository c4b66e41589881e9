"""HistorianWorker: takes jobs from the queue and runs each through its graph exactly once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from ...schema.errors import (
    DatabaseAway,
    HistorianError,
    ModelRefused,
    ModelUnavailable,
    StorageError,
)
from ...schema.job import Job
from ...schema.protocols import Ownership, VectorIndex
from ...schema.settings import Settings
from ...stores.threaded_saver import OpenCheckpoints
from ..components import Parts
from ..entity_data.forgetting import Forgetting
from ..outages.availability import Outage, jitter
from ..telemetry.structured_logs import about_job
from ..upkeep.idle_work import Maintenance
from ..upkeep.notes_index import NotesIndex
from .attempts import Attempts
from .commands import CommandRunner
from .job_runs import JobRuns
from .message_filing import MessageFiling
from .slices import ForgettingSlices
from .statistics import WorkerStatistics
from .step_stream import JobWatch
from .takeover import Takeover
from .waiting import REQUESTS_SECONDS, Waiting

log = logging.getLogger(__name__)

IDLE_SECONDS = 3.0
"""Mean pause of one of several idle workers. New jobs wake the workers; the pause is long so that a
hundred idle workers do not keep a database server busy."""

MOST_TRIES = 3
"""Number of failed attempts to use a model or the disk after which draining is given up."""


class HistorianWorker:
    """Runs jobs, oldest first. Jobs that share a user or a group run in order; other jobs run
    concurrently, at most `concurrency` at a time.

    `index` is the derived vector index, or None. `sleep` waits for some seconds. `watch` is
    notified of every step of every job, and of the begin and end of runs.
    """

    def __init__(
        self,
        parts: Parts,
        index: VectorIndex | None,
        ownership: Ownership,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        watch: JobWatch | None = None,
    ) -> None:
        self._watch = JobWatch() if watch is None else watch  # a stream without readers is falsy
        self._parts = parts
        self._workers = parts.backend.workers
        self._ownership = ownership
        self._takeover = Takeover(parts, ownership)
        self._queue = parts.queue
        self._clock = parts.clock
        notes = NotesIndex(parts.backend.manifest, parts.settings, parts.clock)
        forgetting = Forgetting(parts, index)
        self.maintenance = Maintenance(
            parts,
            index,
            notes,
            index_waits=lambda: forgetting.index_waits,
            leads=lambda: ownership.is_held,
        )
        self._forgetting = ForgettingSlices(
            forgetting,
            is_busy=lambda: bool(self._running),
            wake=self.look_for_requests,
            sleep=sleep,
        )
        self._next_look = 0.0
        self.statistics = WorkerStatistics()
        self._runs = JobRuns(parts, self.statistics, self._watch)
        self._attempts = Attempts(parts, self._runs, self.maintenance, CommandRunner(parts, notes))
        self._messages = MessageFiling(
            parts, self._runs, self.maintenance, is_owner=lambda: ownership.is_held
        )
        self._models, self._disk = self._attempts.models, self._attempts.disk
        self._checkpoints = Outage()
        self._running: set[asyncio.Task[None]] = set()
        self._waiting = Waiting(
            sleep, parts.clock, self._running, self._must_end, self.maintenance.jobs_wait
        )
        self._event_loop: asyncio.AbstractEventLoop | None = None
        self._grace = 0.0

    @property
    def outage(self) -> str:
        """The reason why no jobs are claimed; "" while jobs are claimed."""
        causes = (self._models, self._disk, self._checkpoints, self._messages)
        return next((one.reason for one in causes if one.reason), "")

    def apply(self, settings: Settings) -> None:
        """Use other settings from the next job on."""
        self._runs.apply(settings)

    def wake(self) -> None:
        """Look into the queue now, without waiting for the next poll. Thread-safe."""
        if self._event_loop is not None and self._event_loop.is_running():
            self._event_loop.call_soon_threadsafe(self._wake_all)
        else:
            self._wake_all()

    def _wake_all(self) -> None:
        self._waiting.wake.set()
        self._messages.wake()

    def look_for_requests(self) -> None:
        """Look into the queue and for forget requests now."""
        self._next_look = 0.0
        self._waiting.wake.set()

    async def run(self, *, drain: bool = False) -> bool:
        """Work until `stop` is called; with `drain`, until no job is left.

        Returns False if draining was given up because a model or the disk was unavailable in
        MOST_TRIES attempts. The jobs are then still stored.
        """
        self._event_loop = asyncio.get_running_loop()
        if self._ownership.is_held:
            try:
                await asyncio.to_thread(self._parts.backend.forget_requests.drop_unread)
            except StorageError as error:
                log.warning(
                    "unread reports on forget requests could not be removed; the next start "
                    "removes them: %s",
                    error,
                )
        try:
            while True:
                self._watch.clear()
                # This comes before jobs are resumed and checkpoints are opened: no job or
                # checkpoint may hold data that must be forgotten. Held jobs are released first,
                # because claimed jobs are not searched.
                if await self._takeover.leads():
                    await self._forgetting.run_alone(self._attempts.release_held)
                async with AsyncExitStack() as stack:
                    checkpoints = await self._opened(stack)
                    if checkpoints is not None:
                        if self._ownership.is_held:
                            self._forgetting.begin()
                        self._messages.start(
                            lambda: self._runs.settings.historian.poll_interval_seconds
                        )
                        try:
                            complete = await self._loop(checkpoints, drain=drain)
                        finally:
                            await self._messages.aclose()
                            await self._forgetting.end()
                            await self._let_finish()
                            await self.maintenance.put_down()
                        if complete is not None:
                            return complete
                if checkpoints is None:
                    if (
                        drain
                        and self._checkpoints.failures >= MOST_TRIES
                        and not self._waiting.stopping
                    ):
                        return False
                    await self._waiting.out(self._checkpoints)
                    if self._waiting.stopping:
                        return True
        finally:
            await self._attempts.release_held()

    async def stop(self, timeout_seconds: float = 10.0) -> None:
        """Claim no more jobs. Let running jobs finish within `timeout_seconds`, then cancel them
        and return them to the queue."""
        self._grace = timeout_seconds
        self._waiting.stopping = True
        self._waiting.wake.set()
        await self._let_finish()

    async def _let_finish(self) -> None:
        """Wait for running jobs, at most for the time given to `stop`. Then cancel them, which
        returns them to the queue."""
        running = list(self._running)
        if running:
            await asyncio.wait(running, timeout=self._grace)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _opened(self, stack: AsyncExitStack) -> OpenCheckpoints | None:
        """Open the checkpoints and take over the jobs of dead workers. If this fails, begin a pause
        and return None."""
        self._attempts.must_reopen = False
        try:
            at_work = self._workers.at_work(lambda: self._waiting.stopping)
            await asyncio.to_thread(at_work.__enter__)
            stack.push_async_exit(lambda *error: asyncio.to_thread(at_work.__exit__, *error))
            checkpoints = await stack.enter_async_context(self._parts.backend.open_checkpoints())
            self._runs.open(checkpoints)
            await self._takeover.begin(checkpoints)
        except (StorageError, OSError) as error:
            wait = self._checkpoints.begin(self._clock(), str(error))
            log.warning("jobs wait, next try in %.0f s: %s", wait, error)
            return None
        self._checkpoints.end()
        return checkpoints

    async def _loop(self, checkpoints: OpenCheckpoints, *, drain: bool) -> bool | None:
        """Work as described in `run`. Return None if a forget request must be carried out first, or
        if the checkpoints must be reopened."""
        tries = 0
        while not self._waiting.stopping:
            settings = self._runs.settings.historian
            if self._attempts.must_reopen or await self._is_asked_to_forget():
                return None
            if self._models.active and not await self._models_are_back():
                tries += 1
                if drain and tries >= MOST_TRIES and not self._running:
                    return False
                continue
            tries = 0
            failures = max(self._disk.failures, self._messages.failures)
            if drain and failures >= MOST_TRIES and not self._running:
                return False
            if not await self._waiting.out(self._disk):
                continue
            # After a disk failure one job at a time is enough to try the disk.
            most = 1 if self._disk.active else settings.concurrency
            job = await self._claim() if len(self._running) < most else None
            if job is not None:
                self._start(job, checkpoints)
                continue
            if not self._running:
                if self._disk.remaining(self._clock()):
                    continue
                drained = drain and await self._drained() and not self._forgetting.under_way
                leads = await self._takeover.leads(at_once=drained)
                idle = asyncio.create_task(self.maintenance.idle(leads=leads))
                await self._waiting.attend(idle, self.maintenance.let_go, for_jobs=True)
                await self._takeover.try_to_sweep(checkpoints)
                if drained:
                    return True
            idle_seconds = self._idle_seconds(settings.poll_interval_seconds, drain=drain)
            await self._waiting.pause(idle_seconds)
        return True

    def _idle_seconds(self, poll_seconds: float, *, drain: bool) -> float:
        """Return the seconds until the next look into the queue. Several workers look less often,
        because the queue wakes them."""
        if not self._workers.many or drain or self._running:
            return poll_seconds
        return max(poll_seconds, IDLE_SECONDS * jitter())

    async def _is_asked_to_forget(self) -> bool:
        """Return True if this worker or another one must carry out a slice of forgetting during
        which no job may run."""
        now = asyncio.get_running_loop().time()
        if now < self._next_look:
            return False
        self._next_look = now + REQUESTS_SECONDS
        try:
            await self._takeover.look_for_dead(now)
            if self._workers.many and await asyncio.to_thread(self._workers.must_yield):
                return True
            return await self._takeover.leads() and await self._forgetting.alone_is_due()
        except DatabaseAway as error:
            self._disk.begin(self._clock(), str(error))
            return False

    async def _must_end(self) -> bool:
        """Return True if a wait must end now: the worker is stopped, or a forget request must be
        carried out."""
        if self._waiting.stopping or await self._is_asked_to_forget():
            self._next_look = 0.0
            return True
        return False

    async def _claim(self) -> Job | None:
        """Return the next job, or None. While the disk fails, jobs from the queue come before held
        jobs, so that a held job does not block the others."""
        held = self._attempts.held
        if held and not self._disk.active:
            return held.popleft()
        try:
            job = await asyncio.to_thread(self._queue.claim, self._clock())
        except StorageError as error:
            self._disk.begin(self._clock(), str(error))
            log.warning("the queue cannot be read: %s", error)
            return None
        if job is None and held:
            return held.popleft()
        if job is None and not self._running:
            self._disk.end()  # no job is left that the disk could refuse
        return job

    async def _drained(self) -> bool:
        """Return True if the queue is empty. Otherwise make gathered talk and profile jobs due:
        draining means that no more messages will arrive."""
        try:
            counts = await asyncio.to_thread(self._queue.counts, self._clock())
            if counts.pending + counts.processing == 0:
                return True
            if self._runs.asks_a_model or not self._ownership.is_held:
                await asyncio.to_thread(self._queue.hasten)
            await asyncio.to_thread(self._queue.hasten, kind="profile")
            self._messages.wake()
        except StorageError as error:
            self._disk.begin(self._clock(), str(error))
        return False

    async def _models_are_back(self) -> bool:
        """Sleep until the pause of the models ends, then probe the model. Return False if it is
        still unavailable, or if the sleep was interrupted."""
        if not await self._waiting.out(self._models):
            return False
        try:
            if self._parts.chat is not None:
                probe = asyncio.create_task(self._parts.chat.probe())
                await self._waiting.attend(probe, probe.cancel)
                if probe.cancelled():
                    return False
        except (ModelUnavailable, ModelRefused) as error:
            pause = self._models.begin(
                self._clock(), str(error), retry_after=getattr(error, "retry_after", None)
            )
            log.warning("still unavailable: %s; next try in %.0f s", error, pause)
            return False
        except HistorianError as error:
            log.info("the endpoint is reachable again, but its answer is unusable: %s", error)
        self._attempts.models_answer()
        return True

    def _start(self, job: Job, checkpoints: OpenCheckpoints) -> None:
        name = f"job {job.job_id}"
        # Runs of the same job that have lost their claim.
        former = [task for task in self._running if task.get_name() == name]
        with about_job(job.job_id):  # the task inherits this context
            task = asyncio.create_task(self._attempts.run(job, checkpoints, former), name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
