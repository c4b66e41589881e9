"""Start and end of a service, and its behaviour while the database cannot be used."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ...schema.errors import HistorianError, StorageError
from ...schema.job import Job
from ...schema.protocols import JobQueue
from ...schema.settings import Settings
from ...stores.opening import plain_summaries
from ..data_directory import data_directory
from ..intake import Unredacted
from ..jobs.step_stream import StepStream
from ..languages import Languages
from ..observation.hooks import Hooks
from ..recall.arguments import ReadingState
from ..recall.fallback_levels import PlainMemory
from .acceptance import Acceptance
from .config_watch import ConfigWatch

if TYPE_CHECKING:
    from ...models.given import GivenModels
    from ..jobs.worker import HistorianWorker
    from ..observation.queue import Observation
    from .opening import OpenMemory

log = logging.getLogger(__name__)

REOPEN_SECONDS, LONGEST_REOPEN_SECONDS = 5.0, 60.0
"""The first and the longest pause, in seconds, between two attempts to open the stores."""
LOOK_SECONDS, CLOSE_SECONDS = 1.0, 5.0
"""Interval in seconds at which a missing database file is looked for, and the seconds that running
jobs may take after another file has replaced the database."""

_NOTHING_READ: dict[ReadingState, str] = {
    "off": (
        "memory is switched off (cognitive.enabled = false): only plain summaries of turns "
        "are stored, and recall returns only these; to switch it on, set cognitive.enabled to "
        "true and restart"
    ),
    "closed": "memory is not open: recall returns nothing, and nothing is observed; open it with "
    "`async with CognitiveService.open(…) as memory:` or `await memory.start()`",
}

_LOOP_ENDED = (
    "the event loop in which memory was opened has ended, so its worker has stopped and new "
    "jobs would not be filed. Call `await memory.start()` in the running event loop, or use "
    "`async with memory:`. Jobs that were accepted earlier are still on disk"
)


class Lifecycle:
    """Opens one memory, retries while its stores cannot be opened, and closes it.

    `opened` is None while the service is closed or switched off, or while its database cannot be
    read. `settings` are the settings in force: hot keys follow the configuration file.
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
        self.acceptance = Acceptance(
            lambda: self.settings, clock, self.plain, self.end_summaries, lambda: self.started
        )
        self._reopening: asyncio.Task[None] | None = None
        self._trouble: asyncio.Task[None] | None = None

    @property
    def worker(self) -> HistorianWorker | None:
        """The worker of this process; None if there is none."""
        return None if self.opened is None else self.opened.background.worker

    @property
    def queue(self) -> JobQueue | None:
        """The job queue; None until it is opened."""
        return self.acceptance.queue

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
            if self.acceptance.has_local_queue:
                await asyncio.to_thread(self.acceptance.copy_waiting)
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

    async def aclose(self, timeout_seconds: float) -> None:
        """Close everything. See `CognitiveService.aclose`."""
        async with AsyncExitStack() as stack:  # last in, first out; all run, even if one raises
            stack.callback(self.acceptance.end_threads)
            stack.push_async_callback(self._let_go)
            stack.push_async_callback(self._close_opened, timeout_seconds)
            stack.callback(self.hooks.close)
            stack.push_async_callback(self._stop_reopening)

    def wake(self) -> None:
        """Let the worker of this process check the queue now."""
        if (worker := self.worker) is not None:  # called from any thread
            worker.wake()

    def in_use(self) -> OpenMemory:
        """Return the open memory. Raises HistorianError if there is none."""
        if self.opened is None:
            raise HistorianError(
                "memory is off or not open; use `async with CognitiveService.open(…)` or call `start()`"
            )
        return self.opened

    async def hand_over(self, read: Callable[[], Unredacted]) -> list[Job]:
        """Return the jobs that `Acceptance.hand_over` has stored, and wake the worker. Raises
        HistorianError also if the worker of this process has ended with its event loop."""
        if self.has_outlived_loop and self._work:
            raise HistorianError(_LOOP_ENDED)
        jobs = await self.acceptance.hand_over(read)
        if jobs:
            self.wake()
        return jobs

    async def hasten(self, scope_key: str) -> None:
        """See `Acceptance.hasten`."""
        if self.started:
            await self.acceptance.hasten(scope_key)
            self.wake()

    def at_home(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the event loop in which the service was started: at once if this is
        the running loop, otherwise soon. If that loop is closed, nothing is called."""
        if self._home is asyncio.get_running_loop():
            function(*arguments)
        elif self._home is not None:
            with suppress(RuntimeError):  # the loop is closed
                self._home.call_soon_threadsafe(function, *arguments)

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
        """Return True if the database cannot be read. See `PlainMemory.check`."""
        return self.opened is None or await self.plain.check(self.opened.parts.backend)

    async def _leave_ended_loop(self) -> Observation | None:
        """Close the parts that an ended event loop left open. Return the observation queue that
        was open, which may hold observations that are not stored yet, or None."""
        self._home = asyncio.get_running_loop()  # a concurrent call of `start` then returns at once
        opened, self._reopening, self._trouble = self.opened, None, None
        if opened is not None:
            await opened.close_remains()
        await self._let_go()
        self.started = False
        return None if opened is None else opened.observation

    async def _open_or_wait(self, former: Observation | None) -> None:
        """Open everything; if the stores cannot be opened, retry in the background."""
        try:
            await self._open(former)
        except StorageError as error:
            is_queued = self.queue is not None
            waiting = (
                "Jobs are accepted and wait on disk" if is_queued else "No job can be accepted"
            )
            log.error(
                "memory cannot be read (%s); recall returns only plain summaries. %s",
                error,
                waiting,
            )
            if self.queue is not None:
                await asyncio.to_thread(self.plain.begin, self.queue)
            self.plain.database_away = True
            if self.started:
                self._reopening = asyncio.create_task(self._reopen(), name="historian reopening")

    async def _open(self, former: Observation | None = None) -> None:
        """Open everything. After an error only the queue is open. Raises StorageError."""
        # A memory that is switched off does not need it; the thread keeps the event loop free.
        await asyncio.to_thread(import_module, ".opening", __package__)
        from .opening import open_memory

        queue = await asyncio.to_thread(self.acceptance.opened_queue)
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
        """Retry at growing intervals until the stores can be opened; at once if another database
        has `replaced` the former one."""
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
        await asyncio.to_thread(self.acceptance.close_queue)

    def _database_in_trouble(self, loop: asyncio.AbstractEventLoop) -> None:
        """Schedule a check of the database in `loop`, from any thread, after a database error."""
        opened = self.opened
        is_in_place = opened is None or opened.parts.backend.place == "here"
        if self.started and not (self.plain.database_away and is_in_place):
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
                    "%s: another file has replaced the database; closing the old file and opening "
                    "the new one",
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
        """Apply settings in which only hot keys have changed. Called from a thread."""
        self.settings = settings
        if (worker := self.worker) is not None:
            worker.apply(settings)
