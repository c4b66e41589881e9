"""Start and end of a service, and its behaviour while the database cannot be used."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, closing, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ...schema.entity import Entity
from ...schema.errors import HistorianError, StorageError
from ...schema.forgetting import ForgetReport
from ...schema.job import Job
from ...schema.protocols import JobQueue
from ...schema.settings import Settings
from ...stores.opening import open_queue, plain_summaries
from ...text.redaction import Level
from ..data_directory import data_directory
from ..intake import LONG, redacted
from ..jobs.step_stream import StepStream
from ..languages import Languages
from ..observation.hooks import Hooks
from ..recall.arguments import ReadingState
from ..recall.fallback_levels import LOCAL_SECONDS, PlainMemory, waiting_jobs
from .config_watch import ConfigWatch

if TYPE_CHECKING:
    from ...models.given import GivenModels
    from ..jobs.worker import HistorianWorker
    from ..observation.queue import Observation
    from .opening import OpenMemory

log = logging.getLogger(__name__)

Result = TypeVar("Result")

REOPEN_SECONDS, LONGEST_REOPEN_SECONDS = 5.0, 60.0
"""The first and the longest pause, in seconds, between two attempts to open the stores."""
LOOK_SECONDS, CLOSE_SECONDS = 1.0, 5.0
"""Interval in seconds at which a missing database file is looked for, and the seconds that running
jobs may take after another file has replaced the database."""
SETTLED_POLL_SECONDS, MERGES_SECONDS = 0.02, 0.5
"""Intervals in seconds at which `settled` checks whether the queue is empty, and whether only
merges of profiles wait."""
MOST_HASTENED = 1_000
"""Maximum number of waiting jobs of a conversation that `hasten` looks at."""
HANDING = 6
"""Number of threads that put jobs on disk."""


_NOTHING_READ: dict[ReadingState, str] = {
    "off": "memory is switched off (cognitive.enabled = false): turns leave plain summaries alone, and recall gives nothing "
    "else; to switch it on set cognitive.enabled to true and restart",
    "closed": "memory is not open: recall gives nothing, and nothing is observed; open it first, with "
    "`async with CognitiveService.open(…) as memory:` or `await memory.start()`",
}


def _threads() -> tuple[ThreadPoolExecutor, ThreadPoolExecutor]:
    """Return a pool of threads that put jobs on disk, and a pool of one thread for jobs with long
    texts. No thread is started yet."""
    return ThreadPoolExecutor(HANDING, "historian-hand-over"), ThreadPoolExecutor(
        1, "historian-redaction"
    )


_LOOP_ENDED = (
    "the event loop in which memory was opened has ended, and the historian with it: nothing would be filed. Call "
    "`await memory.start()` in this one, or use `async with memory:`; what was accepted before waits on disk"
)


class Lifecycle:
    """Opens one memory, retries while its stores cannot be opened, and closes it.

    `opened` is None while the service is closed or switched off, or while its database cannot be
    read. `settings` are the settings in force; their hot keys follow the configuration file.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        work: bool,
        clock: Callable[[], float],
        config: Path | None,
        models: GivenModels | None = None,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.started = False
        self.unobserved = 0
        self._told: set[ReadingState] = set()
        self.queue: JobQueue | None = None
        self._queue_lock = threading.Lock()
        self.opened: OpenMemory | None = None
        self.hooks = Hooks()
        self.languages = Languages(lambda: self.settings.cognitive.language)
        self.steps = StepStream(clock)
        self.end_summaries = plain_summaries(settings)
        self.plain = PlainMemory(data_directory(settings), self.end_summaries)
        self._work = work
        self._models = models
        self._watch = ConfigWatch(config, settings, self._apply) if config is not None else None
        self._home: asyncio.AbstractEventLoop | None = None
        self._handing, self._redacting = _threads()
        self._reopening: asyncio.Task[None] | None = None
        self._trouble: asyncio.Task[None] | None = None

    @property
    def worker(self) -> HistorianWorker | None:
        """The worker of this process; None if there is none."""
        return None if self.opened is None else self.opened.background.worker

    @property
    def has_outlived_loop(self) -> bool:
        """True if the event loop in which the memory was opened has ended without `aclose`. `start`
        then opens the memory in the running loop."""
        return self.started and self._home is not None and self._home.is_closed()

    def reading_state(self) -> ReadingState:
        """Return the state of the service. See `Reading.reading_state`."""
        if self.opened is not None and not self.plain.database_away:
            return "open" if self.opened.parts.finds_by_meaning else "keywords"
        if not self.settings.cognitive.enabled:
            return "off"
        return "unreadable" if self.started else "closed"

    def tell_why_nothing_is_read(self) -> None:
        """Log, once per state, why nothing can be read and what to do. An unreadable database is
        not logged here, because `start` has logged it."""
        state = self.reading_state()
        if state not in self._told and (message := _NOTHING_READ.get(state)):
            self._told.add(state)
            log.warning(message)

    async def start(self) -> None:
        """Open everything. See `CognitiveService.start`."""
        former = await self._leave_ended_loop() if self.has_outlived_loop else None
        if self.started:
            return
        if not self.settings.cognitive.enabled:
            self.tell_why_nothing_is_read()
            if (
                not self.settings.stores.url
                and (data_directory(self.settings) / "queue.sqlite").exists()
            ):
                await asyncio.to_thread(self._copy_waiting)
            return
        self.started = True
        self._told.clear()
        self._home = asyncio.get_running_loop()
        try:
            await self._open_or_wait(former)
        except BaseException:
            self.started = False
            await self._let_go()
            raise

    def _copy_waiting(self) -> None:
        """Write the texts of waiting jobs into `end_summaries.json`, which is read while memory is
        off.

        Jobs with an expiry date are left out.
        """
        try:
            with closing(open_queue(self.settings, self.clock)) as queue:
                jobs = list(waiting_jobs(queue))
            self.end_summaries.add(
                [job for job in jobs if job.kind == "remember" and job.expires_at is None]
            )
        except (StorageError, OSError) as error:
            log.warning("jobs wait on disk, but are not in end_summaries.json: %s", error)

    async def aclose(self, timeout_seconds: float) -> None:
        """Close everything. See `CognitiveService.aclose`."""
        async with AsyncExitStack() as stack:  # last in, first out; all run, even if one raises
            stack.callback(self._end_threads)
            stack.push_async_callback(self._let_go)
            stack.push_async_callback(self._close_opened, timeout_seconds)
            stack.callback(self.hooks.close)
            stack.push_async_callback(self._stop_reopening)

    async def in_thread(
        self, function: Callable[..., Result], *arguments: object, characters: int = 0
    ) -> Result:
        """Return the result of `function`, called in a thread that is used only for hand-overs.

        A recall therefore never waits for hand-overs. Work on more than LONG `characters` runs in
        one separate thread, so that only other long texts wait for it.
        """
        pool = self._redacting if characters > LONG else self._handing
        return await asyncio.get_running_loop().run_in_executor(pool, partial(function, *arguments))

    async def hand_over(
        self, jobs: Sequence[Job], level: Level = "none", *, characters: int = 0
    ) -> list[str]:
        """Put jobs on disk in one transaction, wake the worker, and return the ids of the stored
        jobs.

        Jobs are redacted by `level` first ("none" for jobs that are redacted already). `characters`
        is the length of their texts, which chooses the thread (see `in_thread`). Empty jobs are
        skipped. While memory is switched off only plain summaries are stored, and no id is
        returned.

        Raises StorageError, and HistorianError if the service is not open, or if the worker of this
        process has ended with its event loop.
        """
        jobs = [job for job in jobs if not job.is_empty]
        if self.has_outlived_loop and self._work:
            raise HistorianError(_LOOP_ENDED)
        if not jobs:
            return []
        if not self.settings.cognitive.enabled:
            await self.in_thread(self._keep_plainly, jobs, level, characters=characters)
            return []
        if not self.started:
            raise HistorianError(
                "the service is not open; use `async with CognitiveService.open(…)` or call `start()`"
            )
        queue = await self._opened_queue()
        ids = await self.in_thread(self._put, queue, jobs, level, characters=characters)
        self.wake()
        return ids

    def _keep_plainly(self, jobs: Sequence[Job], level: Level) -> None:
        self.end_summaries.add([redacted(job, level) for job in jobs if job.kind == "remember"])

    def _put(self, queue: JobQueue, jobs: Sequence[Job], level: Level) -> list[str]:
        jobs = [one for job in jobs if not (one := redacted(job, level)).is_empty]
        ids = queue.put_all(jobs) if jobs else []
        if self.plain.database_away:
            self.plain.add(jobs)
        return ids

    def _end_threads(self) -> None:
        """Shut down the thread pools when their work is done, and create new ones for another
        start."""
        ended = self._handing, self._redacting
        self._handing, self._redacting = _threads()
        for one in ended:
            one.shutdown(wait=False)

    def wake(self) -> None:
        """Let the worker of this process, if there is one, check the queue now."""
        if self.opened is not None:
            self.opened.background.wake()

    def in_use(self) -> OpenMemory:
        """Return the open memory. Raises HistorianError if there is none."""
        if self.opened is None:
            raise HistorianError(
                "memory is off or not open; use `async with CognitiveService.open(…)` or call `start()`"
            )
        return self.opened

    async def hasten(self, scope_key: str) -> None:
        """Release the waiting jobs of kind `talk` of a conversation, so that they run now,
        together.

        Raises StorageError.
        """
        if not self.started:
            return
        queue = await self._opened_queue()
        waiting = await self.in_thread(queue.waiting, scope_key, MOST_HASTENED)
        await self.in_thread(queue.hasten, [job.job_id for job in waiting if job.kind == "talk"])
        self.wake()

    def at_home(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the event loop in which the service was started: at once if this is
        the running loop, otherwise soon. If that loop is closed, nothing is called."""
        if self._home is asyncio.get_running_loop():
            function(*arguments)
        elif self._home is not None:
            with suppress(RuntimeError):  # the loop is closed
                self._home.call_soon_threadsafe(function, *arguments)

    async def settled(self, timeout_seconds: float) -> bool:
        """Wait until every accepted job is filed or has failed, and the filed events have vectors.

        Vectors are awaited only if this process runs the worker, and while its embedder makes
        progress. When only merges of profiles are left, they run at once. Return False if jobs are
        left after `timeout_seconds`; missing vectors alone do not count.
        """
        filed, next_merges, home = False, 0.0, asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout_seconds):
                while self.queue is not None:
                    counts = await asyncio.to_thread(self.queue.counts, self.clock())
                    if counts.pending + counts.processing == 0:
                        filed = True
                        if self.worker is not None:
                            await self.worker.maintenance.missing_vectors.embedded()
                        return True
                    if not counts.processing and home.time() >= next_merges:
                        next_merges = home.time() + MERGES_SECONDS
                        if not await asyncio.to_thread(self.queue.is_due, self.clock()):
                            await asyncio.to_thread(self.queue.hasten, kind="profile")
                            self.wake()
                    await asyncio.sleep(SETTLED_POLL_SECONDS)
        except TimeoutError:
            return filed
        return True

    async def forget(self, entity: Entity, mentions: bool, wait_seconds: float) -> ForgetReport:
        """Forget a user or a group. See `CognitiveService.forget_user`."""
        from ..entity_data.forgetting import forget

        opened = self.opened
        if opened is None:
            return await self._forget_on_disk(entity, mentions, wait_seconds)
        try:
            opened.observation.forget(entity)
        except Exception:
            # No error may prevent the tombstone that `forget` sets: with it the store refuses the
            # observations that are left in memory.
            log.exception(
                "observations in memory of a %s could not be removed; the store will refuse them",
                entity.type,
            )
        wake = self.worker.look_for_requests if self.worker is not None else None
        report = await forget(
            opened.parts, entity, mentions=mentions, wait_seconds=wait_seconds, wake=wake
        )
        opened.recall.clear()
        return report

    async def _forget_on_disk(
        self, entity: Entity, mentions: bool, wait_seconds: float
    ) -> ForgetReport:
        """Forget the data on disk while memory is not open."""
        from ..components import open_parts
        from ..entity_data.forgetting import forget

        parts = await asyncio.to_thread(open_parts, self.settings, clock=self.clock)
        try:
            return await forget(parts, entity, mentions=mentions, wait_seconds=wait_seconds)
        finally:
            await parts.aclose()

    async def _opened_queue(self) -> JobQueue:
        """Return the job queue, which is opened at its first use. Raises StorageError."""
        return self.queue if self.queue is not None else await asyncio.to_thread(self._open_queue)

    def _open_queue(self) -> JobQueue:
        with self._queue_lock:
            if not self.started:
                raise StorageError("memory was closed meanwhile; open the service again")
            if self.queue is None:
                self.queue = open_queue(self.settings, self.clock)
            return self.queue

    def _close_queue(self) -> None:
        with self._queue_lock:
            queue, self.queue = self.queue, None
            if queue is not None:
                queue.close()

    def not_observed(self) -> None:
        """Report an observation that cannot be stored.

        If the database is unavailable, the observation is counted, and the first one is logged. If
        memory is off or not open, this is logged once. Raises HistorianError if the event loop of
        the service has ended.
        """
        if self.has_outlived_loop:
            raise HistorianError(_LOOP_ENDED)
        if not self.started:
            self.tell_why_nothing_is_read()
        else:
            self.unobserved += 1
            if self.unobserved == 1:
                log.warning(
                    "observations are not kept while the database cannot be used; `stats` counts them as lost"
                )

    async def database_is_away(self) -> bool:
        """Return True if the database cannot be read. Waiting and later jobs are then added to
        MEMORY.md, and recalls read that file.

        If the check takes longer than LOCAL_SECONDS, the last known state is returned.
        """
        opened = self.opened
        if opened is None:
            return True
        is_away = opened.parts.backend.is_away  # then a query would exceed the time of a reply
        try:
            async with asyncio.timeout(LOCAL_SECONDS):
                if is_away:
                    if not self.plain.database_away:
                        told = "the database cannot be used: %s is away; check that the server runs and can be reached. Recall "
                        log.error(
                            told + "gives what is left, jobs wait on disk meanwhile",
                            opened.parts.backend.name,
                        )
                        await asyncio.to_thread(self.plain.begin, opened.parts.queue)
                    return True
                return await asyncio.to_thread(
                    self.plain.look_at, opened.parts.events, opened.parts.queue
                )
        except TimeoutError:
            return is_away or self.plain.database_away

    async def _leave_ended_loop(self) -> Observation | None:
        """Close the parts that an ended event loop left open. Return its observation queue, some
        observations of which may not be stored; None if nothing was open."""
        self._home = asyncio.get_running_loop()  # a second call of `start` then does nothing
        opened, self._reopening, self._trouble = self.opened, None, None
        if opened is not None:
            await opened.close_remains()
        await self._let_go()
        self.started = False
        return None if opened is None else opened.observation

    async def _open_or_wait(self, former: Observation | None) -> None:
        """Open everything; if the stores cannot be opened, serve plain summaries and retry in the
        background."""
        try:
            await self._open(former)
        except StorageError as error:
            waiting = (
                "Jobs are accepted and wait on disk"
                if self.queue is not None
                else "No job can be accepted"
            )
            log.error("memory cannot be read, only plain summaries are: %s. %s", error, waiting)
            if self.queue is not None:
                await asyncio.to_thread(self.plain.begin, self.queue)
            self.plain.database_away = True
            if self.started:
                self._reopening = asyncio.create_task(self._reopen(), name="historian reopening")

    async def _open(self, former: Observation | None = None) -> None:
        """Open everything. After an error only the queue is open. Raises StorageError."""
        # Imported here, because a memory that is switched off does not need it, and in a thread, so
        # that the event loop is not blocked.
        await asyncio.to_thread(import_module, ".opening", __package__)
        from .opening import open_memory

        queue = await self._opened_queue()
        opened = await open_memory(
            lambda: self.settings,
            queue,
            work=self._work,
            watch=self._watch,
            steps=self.steps,
            clock=self.clock,
            models=self._models,
            former=former,
        )
        if not self.started:  # `aclose` was called meanwhile
            await opened.aclose(0.0)
            await self._let_go()
            return
        opened.observation.statistics.noted += self.unobserved
        opened.observation.statistics.lost += self.unobserved
        opened.parts.backend.when_in_trouble(
            partial(self._database_in_trouble, asyncio.get_running_loop())
        )
        self.opened = opened

    async def _reopen(self, *, replaced: bool = False) -> None:
        """Retry at growing intervals until the stores can be opened.

        With `replaced` the first attempt is made at once: another database has replaced the former
        one.
        """
        pause = 0.0 if replaced else REOPEN_SECONDS
        while True:
            await asyncio.sleep(pause)
            pause = min(max(2 * pause, REOPEN_SECONDS), LONGEST_REOPEN_SECONDS)
            try:
                await self._open()
            except StorageError as error:
                log.warning("memory still cannot be read, next try in %.0f s: %s", pause, error)
            except Exception:
                # After an error no store is open, so the next try starts from the beginning.
                log.exception("memory could not be opened, next try in %.0f s", pause)
            else:
                self.plain.database_away = False
                log.warning("memory can be read again")
                return

    async def _stop_reopening(self) -> None:
        self.started = False
        tasks = [task for task in (self._reopening, self._trouble) if task is not None]
        self._reopening = self._trouble = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _close_opened(self, timeout_seconds: float) -> None:
        if self.opened is not None:
            await self.opened.aclose(timeout_seconds)

    async def _let_go(self) -> None:
        self.opened = None
        await asyncio.to_thread(self._close_queue)

    def _database_in_trouble(self, loop: asyncio.AbstractEventLoop) -> None:
        """Schedule a check of the database in `loop`. Called from any thread after a database
        error."""
        opened = self.opened
        known = self.plain.database_away and (
            opened is None or opened.parts.backend.place == "here"
        )
        if self.started and not known:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self.look_into_trouble)

    def look_into_trouble(self) -> None:
        if self.started and (self._trouble is None or self._trouble.done()):
            self._trouble = asyncio.create_task(self._see_to_database(), name="historian database")

    async def _see_to_database(self) -> None:
        """Check whether the database is unavailable. Wait while its file is missing. If another
        file has replaced it, close the database and open the new one."""
        await self.database_is_away()
        opened = self.opened
        while opened is not None and self.opened is opened and opened.parts.backend.place != "here":
            if opened.parts.backend.place == "replaced":
                log.warning(
                    "%s: the database is another file now; it is closed, and opened anew",
                    opened.parts.backend.name,
                )
                self.opened = None
                await opened.aclose(CLOSE_SECONDS)
                self._reopening = asyncio.create_task(
                    self._reopen(replaced=True), name="historian reopening"
                )
                return
            await asyncio.sleep(LOOK_SECONDS)
            await self.database_is_away()

    def _apply(self, settings: Settings) -> None:
        """Apply settings whose hot keys have changed. Called from a thread; no lock is needed,
        because each step is one assignment."""
        self.settings = settings
        if self.opened is not None:
            self.opened.background.apply(settings)
