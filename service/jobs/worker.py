"""HistorianWorker: takes jobs from the queue and runs each through its graph, once, whatever happens."""

from __future__ import annotations

import asyncio
import errno
import logging
import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ...schema.errors import HistorianError, ModelRefused, ModelUnavailable, StorageError
from ...schema.job import Job
from ...schema.protocols import ChatModel, JobQueue, Ledger, VectorIndex
from ...schema.reflection_states import ReflectionContext
from ...schema.settings import Settings
from ...schema.states import HistorianContext, HistorianUpdate
from ...stores.sqlite.database import explained
from ..availability import LONGEST_DISK_PAUSE_SECONDS, Outage
from ..telemetry.structured_logs import about_job
from ..upkeep.idle_work import Maintenance
from .checkpoints import open_checkpoints, sweep_orphans
from .job_runs import JobRuns
from .statistics import WorkerStatistics

log = logging.getLogger(__name__)

DONE = "job"
"""Ledger key under which finished jobs are noted, so that a request that comes again is known without a model call."""

RETRY_SECONDS = 5.0
"""First wait of a job that failed for its own reasons; doubled each time."""

REQUESTS_SECONDS = 0.5
"""How often the worker looks whether somebody is to be forgotten."""

OUTAGE_LOOK_SECONDS = 5.0
"""How often it does so while a model is away."""

FORGET_AGAIN_SECONDS = 60.0
"""When forgetting is tried again that failed because of the disk."""

POISON_FAILURES = 3
"""How often one job may fail as "unavailable", with other calls succeeding in between, before it is its own fault."""

JOBS_WAIT_SECONDS = 10.0
"""How long a job that arrives waits for a model that idle work has asked; then the idle work lets go of it."""

DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE})
"""What the operating system says where the disk, or this process's part of the machine, is no use for now."""


class Commands(Protocol):
    """Carries out jobs of kinds that no graph runs."""

    async def __call__(self, job: Job) -> None: ...


class Forgetting(Protocol):
    """Forgets people and groups, which nothing may work beside. Blocking."""

    def waiting(self) -> bool: ...

    def carry_out(self) -> object: ...


class HistorianWorker:
    """Runs jobs oldest first, those that share a user or a group in order, others side by side up to `concurrency`.

    `clock` gives seconds since the epoch, `sleep` waits, `random` gives numbers in [0, 1) for the jitter. `on_step` is
    told (job, node, update) after every step of every job.
    """

    def __init__(
        self,
        *,
        queue: JobQueue,
        context: HistorianContext,
        reflection: ReflectionContext,
        ledger: Ledger,
        checkpoints: Path,
        maintenance: Maintenance,
        commands: Commands,
        forgetting: Forgetting,
        random: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        on_step: Callable[[Job, str, HistorianUpdate], None] | None = None,
    ) -> None:
        self._queue = queue
        self._context = context
        self._ledger = ledger
        self._checkpoints = checkpoints
        self._maintenance = maintenance
        self._commands = commands
        self._forgetting = forgetting
        self._next_look = 0.0
        self._sleep = sleep
        self._outage = Outage(random)
        self._disk_outage = Outage(random, longest=LONGEST_DISK_PAUSE_SECONDS)
        self._checkpoints_outage = Outage(random)
        self._must_reopen = False
        self._running: dict[str, asyncio.Task[None]] = {}
        self._unavailable: dict[str, int] = {}
        self._progress = 0
        self._failed_at_progress: dict[str, int] = {}
        self._held: deque[Job] = deque()
        """Jobs that the disk refused: they stay claimed, which asks nothing of the disk, until they are tried again."""
        self._written = 0
        self._disk_failures: dict[str, tuple[int, int]] = {}
        self._wake = asyncio.Event()
        self._stopping = False
        self._grace = 0.0
        self.statistics = WorkerStatistics()
        self._runs = JobRuns(context, reflection, queue, self.statistics, on_step)

    @property
    def outage(self) -> str:
        """Why claiming pauses; empty while it does not."""
        return self._outage.reason or self._disk_outage.reason or self._checkpoints_outage.reason

    @property
    def event_index(self) -> VectorIndex | None:
        """The derived index that this worker, as the owner, keeps."""
        return self._context.event_index

    def apply(self, settings: Settings) -> None:
        """Work with other settings from the next job on."""
        self._context = replace(self._context, settings=settings)
        self._runs.apply(settings)

    def wake(self) -> None:
        """Look into the queue now, without waiting for the next poll."""
        self._wake.set()

    def look_for_requests(self) -> None:
        """As `wake`, also for who is to be forgotten."""
        self._next_look = 0.0
        self._wake.set()

    async def run(self, *, drain: bool = False) -> bool:
        """Work until `stop` is called; with `drain`, until no job is left.

        Returns False where draining was given up because a model or the disk stayed away over three tries: the jobs
        are still on disk.
        """
        try:
            return await self._run(drain=drain)
        finally:
            await self._release_held()

    async def _run(self, *, drain: bool) -> bool:
        given_up = 0
        while True:
            # Before anything is resumed, and with checkpoints closed: nothing may hold what is to be forgotten.
            await self._forget_who_is_asked_for()
            complete = None
            async with AsyncExitStack() as stack:
                saver = await self._opened(stack)
                if saver is not None:
                    given_up = 0
                    try:
                        complete = await self._loop(saver, drain=drain)
                    finally:
                        await self._put_down()
            if saver is None:
                given_up += 1
                if drain and given_up >= 3 and not self._stopping:
                    return False
                await self._wait_for_checkpoints()
                if self._stopping:
                    return True
            if complete is not None:
                return complete

    async def stop(self, timeout_seconds: float = 10.0) -> None:
        """Claim nothing more, let running jobs finish within the bound, give the rest back as they are."""
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

    async def _opened(self, stack: AsyncExitStack) -> AsyncSqliteSaver | None:
        """The checkpoints, opened, and what the last worker left taken back; None, and a pause begun, where the disk refuses."""
        self._must_reopen = False
        try:
            saver = await stack.enter_async_context(open_checkpoints(self._checkpoints))
            self._runs.open(saver)
            await self._recover(saver)
        except (StorageError, sqlite3.Error, OSError) as error:
            wait = self._checkpoints_outage.begin(self._context.clock(), str(error))
            log.warning("jobs wait, next try in %.0f s: %s", wait, error)
            return None
        self._checkpoints_outage.end()
        return saver

    async def _wait_for_checkpoints(self) -> None:
        """Wait out the pause, but no longer than until somebody is to be forgotten."""
        while not self._stopping and (wait := self._checkpoints_outage.remaining(self._context.clock())) > 0:
            await self._pause(min(wait, OUTAGE_LOOK_SECONDS), wakeable=False)
            if await self._is_asked_to_forget():
                return

    async def _recover(self, saver: AsyncSqliteSaver) -> None:
        recovered = await asyncio.to_thread(self._queue.recover, self._context.clock())
        if recovered:
            log.info("%d jobs were under way when the last worker ended; they are resumed", recovered)
        await asyncio.to_thread(self._runs.sweep)
        living = await asyncio.to_thread(self._queue.known_ids)
        swept = await sweep_orphans(saver, living)
        if swept:
            log.info("checkpoints of %d finished jobs were left over and are removed", swept)

    async def _loop(self, saver: AsyncSqliteSaver, *, drain: bool) -> bool | None:
        """As `run`; None where somebody is to be forgotten first, also while a model is away."""
        given_up = 0
        while not self._stopping:
            settings = self._context.settings
            if self._must_reopen or await self._is_asked_to_forget():
                return None
            if self._outage.active and not await self._over():
                given_up += 1
                if drain and given_up >= 3 and not self._running:
                    return False
                continue
            given_up = 0
            if self._disk_outage.active and drain and self._disk_outage.failures >= 3 and not self._running:
                return False
            if not await self._waited_out(self._disk_outage):
                continue
            job = None
            # While the disk is doubtful, one job is enough to try it with.
            if len(self._running) < (1 if self._disk_outage.active else settings.historian.concurrency):
                job = await self._claim()
            if job is not None:
                self._start(job, saver)
            elif self._running:
                await self._pause(settings.historian.poll_interval_seconds)
            elif self._disk_outage.remaining(self._context.clock()):
                continue
            elif drain and await self._drained():
                await self._idle()
                return True
            else:
                await self._idle()
                await self._pause(settings.historian.poll_interval_seconds)
        return True

    async def _forget_who_is_asked_for(self) -> None:
        try:
            if await asyncio.to_thread(self._forgetting.waiting):
                await self._release_held()  # what is claimed is not looked through
                await asyncio.to_thread(self._forgetting.carry_out)
        except StorageError as error:
            # Jobs go on: the tombstone is there, and nothing new is filed of who is to be forgotten.
            log.error("somebody could not be forgotten yet, tried again in %.0f s: %s", FORGET_AGAIN_SECONDS, error)
            self._next_look = asyncio.get_running_loop().time() + FORGET_AGAIN_SECONDS

    async def _is_asked_to_forget(self) -> bool:
        now = asyncio.get_running_loop().time()
        if now < self._next_look:
            return False
        self._next_look = now + REQUESTS_SECONDS
        return await asyncio.to_thread(self._forgetting.waiting)

    async def _claim(self) -> Job | None:
        """The next job. While the disk is doubtful, one that it has not refused yet goes first: no job alone holds up others."""
        if self._held and not self._disk_outage.active:
            return self._held.popleft()
        try:
            job = await asyncio.to_thread(self._queue.claim, self._context.clock())
        except StorageError as error:
            self._disk_outage.begin(self._context.clock(), str(error))
            log.warning("the queue cannot be read: %s", error)
            return None
        if job is None and self._held:
            return self._held.popleft()
        if job is None and not self._running:
            self._disk_outage.end()  # nothing is left that it could refuse
        return job

    async def _drained(self) -> bool:
        try:
            counts = await asyncio.to_thread(self._queue.counts, self._context.clock())
        except StorageError as error:
            self._disk_outage.begin(self._context.clock(), str(error))
            return False
        return counts.pending + counts.processing == 0

    async def _idle(self) -> None:
        """A round of maintenance, which lets go of a model that does not answer where something else is to be done."""
        await self._attend(asyncio.create_task(self._maintenance.idle()), self._maintenance.let_go, for_jobs=True)

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
                    elif for_jobs and await self._maintenance.jobs_wait():
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
        while (wait := outage.remaining(self._context.clock())) > 0:
            await self._pause(min(wait, OUTAGE_LOOK_SECONDS), wakeable=False)
            if self._stopping or await self._is_asked_to_forget():
                self._next_look = 0.0
                return False
        return True

    async def _over(self) -> bool:
        """Whether the models' outage has ended; waits out the pause first."""
        if not await self._waited_out(self._outage):
            return False
        try:
            if self._context.chat is not None:
                probe = asyncio.create_task(_probed(self._context.chat))
                await self._attend(probe, probe.cancel)
                if probe.cancelled():
                    return False
        except (ModelUnavailable, ModelRefused) as error:
            pause = self._outage.begin(self._context.clock(), str(error), retry_after=getattr(error, "retry_after", None))
            log.warning("still unavailable: %s; next try in %.0f s", error, pause)
            return False
        except HistorianError as error:
            log.info("the endpoint answers again, if strangely: %s", error)
        self._progress += 1
        self._outage.end()
        return True

    async def _pause(self, seconds: float, *, wakeable: bool = True) -> None:
        """Wait, but no longer than until a job ends, a job arrives (`wakeable`) or the worker is stopped."""
        waiting: set[asyncio.Task[Any]] = {asyncio.ensure_future(self._sleep(seconds)), asyncio.create_task(self._wake.wait())}
        try:
            while True:
                done, _ = await asyncio.wait({*waiting, *self._running.values()}, return_when=asyncio.FIRST_COMPLETED)
                woken = self._wake.is_set()
                self._wake.clear()
                if wakeable or self._stopping or not woken or len(done) > 1:
                    return
                waiting = {task for task in waiting if not task.done()} | {asyncio.create_task(self._wake.wait())}
        finally:
            for task in waiting:
                task.cancel()

    def _start(self, job: Job, saver: AsyncSqliteSaver) -> None:
        with about_job(job.job_id):  # the task takes the context along
            task = asyncio.create_task(self._process(job, saver), name=f"job {job.job_id}")
        self._running[job.job_id] = task
        task.add_done_callback(lambda _: self._running.pop(job.job_id, None))

    async def _put_down(self) -> None:
        """Before the stores close: running jobs go back to the queue, unwritten notes are written."""
        await self._let_finish()
        await self._maintenance.flush()

    async def _release_held(self) -> None:
        held, self._held = self._held, deque()
        for job in held:
            await self._release(job)

    async def _release(self, job: Job) -> None:
        """Give a job back as it was; where the disk refuses that too, it is held and tried again."""
        try:
            await asyncio.to_thread(self._queue.release, job.job_id)
        except StorageError as error:
            self._hold(job, error)

    def _hold(self, job: Job, error: StorageError) -> None:
        pause = self._disk_outage.begin(self._context.clock(), str(error))
        self.statistics.outages += 1
        log.warning("job %s waits for the disk: %s; next try in %.0f s", job.job_id, error, pause)
        self._held.append(job)

    async def _process(self, job: Job, saver: AsyncSqliteSaver) -> None:
        completed = False
        try:
            if await asyncio.to_thread(self._ledger.has, DONE, job.job_id):
                outcome = "duplicate"
            elif job.kind not in ("remember", "states"):
                await self._commands(job)
                outcome = "command"
            elif await self._is_forgotten(job):
                outcome = "forgotten"
            elif job.kind == "states":
                outcome = await self._runs.reflect(job)
            else:
                outcome = await self._runs.remember(job)
            await asyncio.to_thread(self._ledger.add, DONE, job.job_id)
            await asyncio.to_thread(self._queue.complete, job.job_id)
            completed = True
            if outcome != "forgotten":
                self._maintenance.job_done(job)
            await self._drop_checkpoint(job, saver)
        except asyncio.CancelledError:
            if not completed:
                await self._release(job)
            raise
        except Exception as error:
            await self._not_done(job, error)
        else:
            self._progress += 1
            self._unavailable.pop(job.job_id, None)
            self._failed_at_progress.pop(job.job_id, None)
            self._disk_failures.pop(job.job_id, None)
            if outcome in ("filed", "reflected"):
                # It has written to every store, so the disk is well.
                self._written += 1
                self._disk_outage.end()
            self.statistics.outcomes[outcome] += 1

    async def _is_forgotten(self, job: Job) -> bool:
        """Asked before any model is: what was forgotten is shown to none."""
        return await asyncio.to_thread(self._context.events.is_forgotten, job.job_id, job.entities, job.moment.timestamp())

    async def _drop_checkpoint(self, job: Job, saver: AsyncSqliteSaver) -> None:
        try:
            await saver.adelete_thread(job.job_id)
        except sqlite3.Error as error:
            log.warning("the checkpoint of job %s stays until the next start sweeps it: %s", job.job_id, error)

    async def _not_done(self, job: Job, error: Exception) -> None:
        """Sort out whose fault it was: everybody's (pause) or the job's own (count)."""
        if isinstance(error, sqlite3.Error):
            # All stores but the checkpoints say StorageError. They are opened anew, which tells a broken file from a full disk.
            error, self._must_reopen = explained(error, self._checkpoints), True
        elif isinstance(error, OSError) and error.errno in DISK_ERRORS:
            error = StorageError(f"{error}; free some space on the disk, or mend it")
        away = isinstance(error, ModelUnavailable) or (isinstance(error, ModelRefused) and not error.about_content)
        try:
            if isinstance(error, StorageError) and not self._is_refused_alone(job):
                self._hold(job, error)
            elif away and not self._is_poison(job, error):
                pause = self._outage.begin(self._context.clock(), str(error), retry_after=getattr(error, "retry_after", None))
                self.statistics.outages += 1
                log.warning("job %s waits: %s; next try in %.0f s", job.job_id, error, pause)
                await self._release(job)
            else:
                await self._own_fault(job, error)
        except StorageError as second:
            self._hold(job, second)

    def _is_refused_alone(self, job: Job) -> bool:
        """Whether the disk keeps refusing this job while others get through. Only a job that was filed tells that it is well."""
        failures, written = self._disk_failures.get(job.job_id, (0, -1))
        if written == self._written:
            return False
        self._disk_failures[job.job_id] = failures + 1, self._written
        return failures >= POISON_FAILURES

    def _is_poison(self, job: Job, error: Exception) -> bool:
        """Whether this job alone keeps failing while everything else gets through. Being told to slow down is no fault."""
        if isinstance(error, ModelUnavailable) and error.status == 429:
            return False
        if self._progress > self._failed_at_progress.get(job.job_id, -1):
            self._unavailable[job.job_id] = self._unavailable.get(job.job_id, 0) + 1
        self._failed_at_progress[job.job_id] = self._progress
        return self._unavailable[job.job_id] > POISON_FAILURES

    async def _own_fault(self, job: Job, error: Exception) -> None:
        attempts = job.attempts + 1
        message = f"{type(error).__name__}: {error}"
        if attempts <= self._context.settings.cognitive.queue.job_max_retries:
            not_before = self._context.clock() + RETRY_SECONDS * 2.0 ** (attempts - 1)
            log.warning("job %s failed (attempt %d) and is tried again: %s", job.job_id, attempts, message, exc_info=error)
            await asyncio.to_thread(self._queue.postpone, job.job_id, error=message, not_before=not_before)
            self.statistics.outcomes["retried"] += 1
            return
        filed = await self._runs.file_by_rules(job)
        log.error("job %s is given up after %d attempts (events filed: %s): %s", job.job_id, attempts, filed, message)
        await asyncio.to_thread(self._queue.fail, job.job_id, error=message, filed=filed)
        self.statistics.outcomes["failed"] += 1


async def _probed(chat: ChatModel) -> None:
    await chat.probe()
