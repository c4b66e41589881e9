"""HistorianWorker: takes jobs from the queue and runs each through its graph exactly once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

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

log = logging.getLogger(__name__)

REQUESTS_SECONDS = 0.5
"""Interval at which the worker looks for forget requests."""

TAKE_OVER_SECONDS = 1.0
"""Interval at which one of several workers looks for jobs of dead workers."""

IDLE_SECONDS = 3.0
"""Mean pause of one of several idle workers. New jobs wake the workers; the pause is long so that a
hundred idle workers do not keep a database server busy."""

SWEEP_SECONDS = 600.0
"""Interval at which one of several workers removes checkpoints of finished jobs that dead workers
left."""

OWNER_SECONDS = 5.0
"""Interval at which one of several workers tries to become the owner, which does the idle work."""

OUTAGE_LOOK_SECONDS = 5.0
"""Maximum interval at which the worker looks for forget requests during an outage."""

MOST_TRIES = 3
"""Number of failed attempts to use a model or the disk after which draining is given up."""

JOBS_WAIT_SECONDS = 10.0
"""Seconds that a new job waits for a model call of the idle work before this call is abandoned."""


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
        self._next_claim = self._next_take_over = self._next_sweep = 0.0
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
        self._sleep = sleep
        self.statistics = WorkerStatistics()
        self._runs = JobRuns(parts, self.statistics, self._watch)
        self._attempts = Attempts(parts, self._runs, self.maintenance, CommandRunner(parts, notes))
        self._messages = MessageFiling(
            parts, self._runs, self.maintenance, is_owner=lambda: ownership.is_held
        )
        self._models, self._disk, self._checkpoints = (
            self._attempts.models,
            self._attempts.disk,
            Outage(),
        )
        self._running: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._event_loop: asyncio.AbstractEventLoop | None = None
        self._stopping = False
        self._grace = 0.0

    @property
    def outage(self) -> str:
        """The reason why no jobs are claimed; "" while jobs are claimed."""
        return (
            self._models.reason
            or self._disk.reason
            or self._checkpoints.reason
            or self._messages.reason
        )

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
        self._wake.set()
        self._messages.wake()

    def look_for_requests(self) -> None:
        """Look into the queue and for forget requests now."""
        self._next_look = 0.0
        self._wake.set()

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
                    "reports of forgetting that nobody read are left until the next start: %s",
                    error,
                )
        try:
            while True:
                self._watch.clear()
                # This comes before jobs are resumed and checkpoints are opened: no job or
                # checkpoint may hold data that must be forgotten. Held jobs are released first,
                # because claimed jobs are not searched.
                if await self._leads():
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
                    if drain and self._checkpoints.failures >= MOST_TRIES and not self._stopping:
                        return False
                    await self._waited_out(self._checkpoints)
                    if self._stopping:
                        return True
        finally:
            await self._attempts.release_held()

    async def stop(self, timeout_seconds: float = 10.0) -> None:
        """Claim no more jobs. Let running jobs finish within `timeout_seconds`, then cancel them
        and return them to the queue."""
        self._grace = timeout_seconds
        self._stopping = True
        self._wake.set()
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

    async def _leads(self, *, at_once: bool = False) -> bool:
        """Return True if this worker is the owner. If it is not, first try to become the owner, at
        most every OWNER_SECONDS unless `at_once` is true."""
        if self._ownership.is_held:
            return True
        now = asyncio.get_running_loop().time()
        if now < self._next_claim and not at_once:
            return False
        self._next_claim = now + OWNER_SECONDS
        try:
            await asyncio.to_thread(self._ownership.acquire, self._clock(), worker=True)
        except StorageError as error:
            log.debug("another worker does the idle work: %s", error)
        return self._ownership.is_held

    async def _opened(self, stack: AsyncExitStack) -> OpenCheckpoints | None:
        """Open the checkpoints and take over the jobs of dead workers. If this fails, begin a pause
        and return None."""
        self._attempts.must_reopen = False
        try:
            at_work = self._workers.at_work(lambda: self._stopping)
            await asyncio.to_thread(at_work.__enter__)
            stack.push_async_exit(lambda *error: asyncio.to_thread(at_work.__exit__, *error))
            checkpoints = await stack.enter_async_context(self._parts.backend.open_checkpoints())
            self._runs.open(checkpoints)
            await self._take_over(checkpoints)
        except (StorageError, OSError) as error:
            wait = self._checkpoints.begin(self._clock(), str(error))
            log.warning("jobs wait, next try in %.0f s: %s", wait, error)
            return None
        self._checkpoints.end()
        return checkpoints

    async def _take_over(self, checkpoints: OpenCheckpoints) -> None:
        await self._resume()
        await asyncio.to_thread(self._parts.backend.sweep)
        if self._ownership.is_held:
            await self._sweep(checkpoints)

    async def _resume(self) -> None:
        if taken_over := await asyncio.to_thread(self._queue.take_over, self._clock()):
            log.info("%d jobs were under way when their worker ended; they are resumed", taken_over)

    async def _sweep(self, checkpoints: OpenCheckpoints) -> None:
        """Remove checkpoints of finished jobs that killed workers left.

        Only the owner does this; if there are several workers, at most every SWEEP_SECONDS.
        """
        now = asyncio.get_running_loop().time()
        if not self._ownership.is_held or (self._workers.many and now < self._next_sweep):
            return
        self._next_sweep = now + SWEEP_SECONDS
        if swept := await checkpoints.sweep(self._queue.known_ids):
            log.info("checkpoints of %d finished jobs were left over and are removed", swept)

    async def _loop(self, checkpoints: OpenCheckpoints, *, drain: bool) -> bool | None:
        """Work as described in `run`. Return None if a forget request must be carried out first, or
        if the checkpoints must be reopened."""
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
            if (
                drain
                and max(self._disk.failures, self._messages.failures) >= MOST_TRIES
                and not self._running
            ):
                return False
            if not await self._waited_out(self._disk):
                continue
            # After a disk failure one job at a time is enough to try the disk.
            job = (
                await self._claim()
                if len(self._running) < (1 if self._disk.active else settings.concurrency)
                else None
            )
            if job is not None:
                self._start(job, checkpoints)
                continue
            if not self._running:
                if self._disk.remaining(self._clock()):
                    continue
                drained = drain and await self._drained() and not self._forgetting.under_way
                idle = asyncio.create_task(
                    self.maintenance.idle(leads=await self._leads(at_once=drained))
                )
                await self._attend(idle, self.maintenance.let_go, for_jobs=True)
                if self._workers.many:
                    await self._try_to_sweep(checkpoints)
                if drained:
                    return True
            await self._pause(self._idle_seconds(settings.poll_interval_seconds, drain=drain))
        return True

    def _idle_seconds(self, poll_seconds: float, *, drain: bool) -> float:
        """Return the seconds until the next look into the queue.

        If there are several workers, the queue wakes them, so that they look less often.
        """
        if not self._workers.many or drain or self._running:
            return poll_seconds
        return max(poll_seconds, IDLE_SECONDS * jitter())

    async def _try_to_sweep(self, checkpoints: OpenCheckpoints) -> None:
        try:
            await self._sweep(checkpoints)
        except StorageError as error:
            log.warning("checkpoints of finished jobs stay for now: %s", error)

    async def _look_for_dead(self, now: float) -> None:
        """If there are several workers, take over the jobs of dead workers. The call is also this
        worker's sign of life."""
        if self._workers.many and now >= self._next_take_over:
            self._next_take_over = now + TAKE_OVER_SECONDS
            await self._resume()

    async def _is_asked_to_forget(self) -> bool:
        """Return True if this worker or another one must carry out a slice of forgetting during
        which no job may run."""
        now = asyncio.get_running_loop().time()
        if now < self._next_look:
            return False
        self._next_look = now + REQUESTS_SECONDS
        try:
            await self._look_for_dead(now)
            if self._workers.many and await asyncio.to_thread(self._workers.must_yield):
                return True
            return await self._leads() and await self._forgetting.alone_is_due()
        except DatabaseAway as error:
            self._disk.begin(self._clock(), str(error))
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

    async def _attend(
        self, work: asyncio.Task[None], let_go: Callable[[], object], *, for_jobs: bool = False
    ) -> None:
        """Wait for `work`. Raises the errors of `work`, except its cancellation.

        `let_go` is called if the worker is stopped, if a forget request must be carried out, or
        (with `for_jobs`) if a job has waited for JOBS_WAIT_SECONDS. The method waits for the end of
        `work` in these cases too: `work` must not write while the next step runs.
        """
        woken, jobs_wait_since = False, None
        now = asyncio.get_running_loop().time
        try:
            while not work.done():
                wake = asyncio.create_task(self._wake.wait())
                await asyncio.wait(
                    {work, wake}, timeout=REQUESTS_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                wake.cancel()
                woken = woken or self._wake.is_set()
                self._wake.clear()
                if work.done():
                    break
                try:
                    if self._stopping or await self._is_asked_to_forget():
                        self._next_look = 0.0
                        let_go()
                    elif for_jobs and await self.maintenance.jobs_wait():
                        jobs_wait_since = jobs_wait_since or now()
                        if now() - jobs_wait_since >= JOBS_WAIT_SECONDS:
                            let_go()
                except StorageError:
                    let_go()  # the main loop checks again and reports the error
        finally:
            if woken:
                self._wake.set()  # for the next look into the queue
            if not work.done():
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)
        if not work.cancelled():
            work.result()

    async def _waited_out(self, outage: Outage) -> bool:
        """Sleep until the outage pause ends. Return False if interrupted by shutdown or a forget
        request."""
        while (wait := outage.remaining(self._clock())) > 0:
            await self._pause(min(wait, OUTAGE_LOOK_SECONDS), wakeable=False)
            if self._stopping or await self._is_asked_to_forget():
                self._next_look = 0.0
                return False
        return True

    async def _models_are_back(self) -> bool:
        """Sleep until the pause of the models ends, then probe the model. Return False if it is
        still unavailable, or if the sleep was interrupted."""
        if not await self._waited_out(self._models):
            return False
        try:
            if self._parts.chat is not None:
                probe = asyncio.create_task(self._parts.chat.probe())
                await self._attend(probe, probe.cancel)
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

    async def _pause(self, seconds: float, *, wakeable: bool = True) -> None:
        """Sleep for `seconds`. Return earlier if a job ends, if the worker is stopped, or, with
        `wakeable`, if a job arrives."""
        over: asyncio.Future[Any] = asyncio.ensure_future(self._sleep(seconds))
        try:
            while True:
                wake = asyncio.create_task(self._wake.wait())
                done, _ = await asyncio.wait(
                    {over, wake, *self._running}, return_when=asyncio.FIRST_COMPLETED
                )
                wake.cancel()
                self._wake.clear()
                if wakeable or self._stopping or done != {wake}:
                    return
        finally:
            over.cancel()

    def _start(self, job: Job, checkpoints: OpenCheckpoints) -> None:
        name = f"job {job.job_id}"
        # Runs of the same job that have lost their claim.
        former = [task for task in self._running if task.get_name() == name]
        with about_job(job.job_id):  # the task inherits this context
            task = asyncio.create_task(self._attempts.run(job, checkpoints, former), name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
