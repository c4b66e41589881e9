"""HistorianWorker: takes jobs from the queue and runs each through its graph exactly once."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from ...schema.errors import HistorianError, ModelRefused, ModelUnavailable, StorageError
from ...schema.job import Job
from ...schema.protocols import ChatModel, VectorIndex
from ...schema.settings import Settings
from ..availability import Outage
from ..components import Parts
from ..entity_data.forgetting import Forgetting
from ..telemetry.structured_logs import about_job
from ..upkeep.idle_work import Maintenance
from .attempts import Attempts
from .checkpoints import ThreadedSaver, open_checkpoints, sweep_orphans
from .job_runs import JobRuns, OnStep
from .slices import ForgettingSlices
from .statistics import WorkerStatistics

log = logging.getLogger(__name__)

REQUESTS_SECONDS = 0.5
"""Interval at which the worker looks for requests to forget somebody."""

OUTAGE_LOOK_SECONDS = 5.0
"""The same interval while a model is unavailable."""

MOST_TRIES = 3
"""Tries of a model or disk that stays unavailable before draining is given up."""

JOBS_WAIT_SECONDS = 10.0
"""How long a new job waits for idle work's call of a model before that call is abandoned."""


class HistorianWorker:
    """Runs jobs oldest first, those that share a user or a group in order, others side by side up to `concurrency`.

    `commands` carries out jobs of kinds that no graph runs. `sleep` waits, `random` gives numbers in [0, 1) for the jitter.
    `on_step` is told (job, node, update) after every step of every job of kind `remember`.
    """

    def __init__(
        self,
        parts: Parts,
        *,
        maintenance: Maintenance,
        commands: Callable[[Job], Awaitable[None]],
        forgetting: Forgetting,
        random: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        on_step: OnStep | None = None,
    ) -> None:
        self._parts = parts
        self._queue = parts.queue
        self._clock = parts.clock
        self.maintenance = maintenance
        self._forgetting = ForgettingSlices(
            forgetting, is_busy=lambda: bool(self._running), wake=self.look_for_requests, sleep=sleep
        )
        self._next_look = 0.0
        self._sleep = sleep
        self.statistics = WorkerStatistics()
        self._runs = JobRuns(parts, self.statistics, on_step)
        self._attempts = Attempts(parts, self._runs, maintenance, commands, random)
        self._models, self._disk, self._checkpoints = self._attempts.models, self._attempts.disk, Outage(random)
        self._running: dict[str, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._event_loop: asyncio.AbstractEventLoop | None = None
        self._stopping = False
        self._grace = 0.0

    @property
    def outage(self) -> str:
        """The reason why no jobs are claimed; empty while they are."""
        return self._models.reason or self._disk.reason or self._checkpoints.reason

    @property
    def event_index(self) -> VectorIndex:
        """The derived index that this worker, as the owner, keeps."""
        return self.maintenance.event_index

    def apply(self, settings: Settings) -> None:
        """Work with other settings from the next job on."""
        self._runs.apply(settings)

    def wake(self) -> None:
        """Look into the queue now, without waiting for the next poll. Thread-safe."""
        if self._event_loop is not None and self._event_loop.is_running():
            self._event_loop.call_soon_threadsafe(self._wake.set)
        else:
            self._wake.set()

    def look_for_requests(self) -> None:
        """Look into the queue and for requests to forget somebody, now."""
        self._next_look = 0.0
        self._wake.set()

    async def run(self, *, drain: bool = False) -> bool:
        """Work until `stop` is called; with `drain`, until no job is left.

        Returns False where draining was given up because a model or the disk stayed away over three tries: the jobs
        are still on disk.
        """
        self._event_loop = asyncio.get_running_loop()
        try:
            while True:
                # Before any job is resumed, with checkpoints closed: nothing may hold data that is to be forgotten.
                await self._forgetting.run_alone(self._attempts.release_held)  # what is claimed is not looked through
                async with AsyncExitStack() as stack:
                    saver = await self._opened(stack)
                    if saver is not None:
                        self._forgetting.begin()
                        try:
                            complete = await self._loop(saver, drain=drain)
                        finally:
                            await self._forgetting.end()
                            await self._let_finish()
                            await self.maintenance.put_down()
                        if complete is not None:
                            return complete
                if saver is None:
                    if drain and self._checkpoints.failures >= MOST_TRIES and not self._stopping:
                        return False
                    await self._waited_out(self._checkpoints)
                    if self._stopping:
                        return True
        finally:
            await self._attempts.release_held()

    async def stop(self, timeout_seconds: float = 10.0) -> None:
        """Claim no more jobs, let running ones finish within the bound, and give the rest back to the queue."""
        self._grace = timeout_seconds
        self._stopping = True
        self._wake.set()
        await self._let_finish()

    async def _let_finish(self) -> None:
        """Wait for running jobs within the bound that `stop` gave, then cancel them: they go back to the queue."""
        running = list(self._running.values())
        if running:
            await asyncio.wait(running, timeout=self._grace)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _opened(self, stack: AsyncExitStack) -> ThreadedSaver | None:
        """Open the checkpoints and recover the last worker's jobs. Return None, and begin a pause, if the disk fails."""
        self._attempts.must_reopen = False
        try:
            saver = await stack.enter_async_context(open_checkpoints(self._parts.directory / "checkpoints.sqlite"))
            self._runs.open(saver)
            await self._recover(saver)
        except (StorageError, sqlite3.Error, OSError) as error:
            wait = self._checkpoints.begin(self._clock(), str(error))
            log.warning("jobs wait, next try in %.0f s: %s", wait, error)
            return None
        self._checkpoints.end()
        return saver

    async def _recover(self, saver: ThreadedSaver) -> None:
        recovered = await asyncio.to_thread(self._queue.recover, self._clock())
        if recovered:
            log.info("%d jobs were under way when the last worker ended; they are resumed", recovered)
        await asyncio.to_thread(self._runs.sweep)
        living = await asyncio.to_thread(self._queue.known_ids)
        swept = await sweep_orphans(saver, living)
        if swept:
            log.info("checkpoints of %d finished jobs were left over and are removed", swept)

    async def _loop(self, saver: ThreadedSaver, *, drain: bool) -> bool | None:
        """Work like `run`; return None if somebody is to be forgotten first or the checkpoints must be reopened."""
        tries = 0
        while not self._stopping:
            settings = self._runs.settings.historian
            if self._attempts.must_reopen or await self._is_asked_to_forget():
                return None
            if self._models.active and not await self._models_are_back():
                tries += 1
                if drain and tries >= MOST_TRIES and not self._running:
                    return False
                continue
            tries = 0
            if drain and self._disk.failures >= MOST_TRIES and not self._running:
                return False
            if not await self._waited_out(self._disk):
                continue
            # While the disk is doubtful, one job is enough to try it with.
            job = await self._claim() if len(self._running) < (1 if self._disk.active else settings.concurrency) else None
            if job is not None:
                self._start(job, saver)
                continue
            if not self._running:
                if self._disk.remaining(self._clock()):
                    continue
                drained = drain and not self._forgetting.under_way and await self._drained()
                if drain and not drained:
                    await asyncio.to_thread(self._queue.hasten)  # nobody adds to the talk that waits for more
                await self._attend(asyncio.create_task(self.maintenance.idle()), self.maintenance.let_go, for_jobs=True)
                if drained:
                    return True
            await self._pause(settings.poll_interval_seconds)
        return True

    async def _is_asked_to_forget(self) -> bool:
        """Return True if something is to be forgotten with no job beside."""
        now = asyncio.get_running_loop().time()
        if now < self._next_look:
            return False
        self._next_look = now + REQUESTS_SECONDS
        return await self._forgetting.alone_is_due()

    async def _claim(self) -> Job | None:
        """Return the next job. While the disk is failing, jobs that it has not refused yet go first: none blocks the others."""
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
            self._disk.end()  # nothing is left that it could refuse
        return job

    async def _drained(self) -> bool:
        try:
            counts = await asyncio.to_thread(self._queue.counts, self._clock())
        except StorageError as error:
            self._disk.begin(self._clock(), str(error))
            return False
        return counts.pending + counts.processing == 0

    async def _attend(self, work: asyncio.Task[None], let_go: Callable[[], object], *, for_jobs: bool = False) -> None:
        """Wait for `work`; raises what it raises, but for its own cancellation.

        `let_go` is called, and the end of `work` waited for all the same, where the worker is stopped, somebody is to be
        forgotten, or (`for_jobs`) a job has waited for a while: nothing may write beside whatever comes next.
        """
        woken, jobs_wait_since = False, None
        now = asyncio.get_running_loop().time
        try:
            while not work.done():
                wake = asyncio.create_task(self._wake.wait())
                await asyncio.wait({work, wake}, timeout=REQUESTS_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                wake.cancel()
                woken = woken or self._wake.is_set()
                self._wake.clear()
                try:
                    if self._stopping or await self._is_asked_to_forget():
                        self._next_look = 0.0
                        let_go()
                    elif for_jobs and await self.maintenance.jobs_wait():
                        jobs_wait_since = jobs_wait_since or now()
                        if now() - jobs_wait_since >= JOBS_WAIT_SECONDS:
                            let_go()
                except StorageError:
                    let_go()  # the loop asks again, and says what is wrong
        finally:
            if woken:
                self._wake.set()  # for whoever looks into the queue next
            if not work.done():
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)
        if not work.cancelled():
            work.result()

    async def _waited_out(self, outage: Outage) -> bool:
        """Wait out the pause; False where it was broken off to stop, or to forget somebody."""
        while (wait := outage.remaining(self._clock())) > 0:
            await self._pause(min(wait, OUTAGE_LOOK_SECONDS), wakeable=False)
            if self._stopping or await self._is_asked_to_forget():
                self._next_look = 0.0
                return False
        return True

    async def _models_are_back(self) -> bool:
        """Wait out the models' outage, then probe; False where it goes on, or the wait was broken off."""
        if not await self._waited_out(self._models):
            return False
        try:
            if self._parts.chat is not None:
                probe = asyncio.create_task(_probed(self._parts.chat))
                await self._attend(probe, probe.cancel)
                if probe.cancelled():
                    return False
        except (ModelUnavailable, ModelRefused) as error:
            pause = self._models.begin(self._clock(), str(error), retry_after=getattr(error, "retry_after", None))
            log.warning("still unavailable: %s; next try in %.0f s", error, pause)
            return False
        except HistorianError as error:
            log.info("the endpoint is reachable again, but its answer is unusable: %s", error)
        self._attempts.models_answer()
        return True

    async def _pause(self, seconds: float, *, wakeable: bool = True) -> None:
        """Wait, but no longer than until a job ends, a job arrives (`wakeable`) or the worker is stopped."""
        over: asyncio.Future[Any] = asyncio.ensure_future(self._sleep(seconds))
        try:
            while True:
                wake = asyncio.create_task(self._wake.wait())
                done, _ = await asyncio.wait({over, wake, *self._running.values()}, return_when=asyncio.FIRST_COMPLETED)
                wake.cancel()
                self._wake.clear()
                if wakeable or self._stopping or done != {wake}:
                    return
        finally:
            over.cancel()

    def _start(self, job: Job, saver: ThreadedSaver) -> None:
        with about_job(job.job_id):  # the task takes the context along
            task = asyncio.create_task(self._attempts.run(job, saver), name=f"job {job.job_id}")
        self._running[job.job_id] = task
        task.add_done_callback(lambda _: self._running.pop(job.job_id, None))


async def _probed(chat: ChatModel) -> None:
    await chat.probe()
