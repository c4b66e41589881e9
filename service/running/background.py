"""The background tasks of a service: the worker, if no other process runs one, and the watch of the configuration file."""

from __future__ import annotations

import asyncio
import gc
import logging
import random
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from ...schema.errors import OwnerLockHeld
from ...schema.settings import Settings
from ..blocking import to_the_end
from ..components import Parts
from ..jobs.step_stream import StepStream
from .config_watch import ConfigWatch
from .ownership import TAKE_OVER_SECONDS, import_worker, owned_worker

if TYPE_CHECKING:
    from ..jobs.worker import HistorianWorker

log = logging.getLogger(__name__)

CONFIG_LOOK_SECONDS = 2.0
TEND_SECONDS = 2.0
"""How often jobs that wait for a server are handed over, where it can be reached."""


_spared: set[str] = set()


def spare_loaded(stage: str) -> None:
    """Leave what is loaded by now out of the full runs of the garbage collector; once a process for each stage.

    Such a run holds the interpreter, and the event loop with it, for 100 ms where there are 150,000 objects, nearly all of
    them of imported modules; afterwards it looks at what came later alone.
    """
    if stage not in _spared:
        _spared.add(stage)
        gc.freeze()


class Background:
    """Runs until `stop`. `worker` is the worker of this process, None while another process owns the directory."""

    def __init__(self, steps: StepStream) -> None:
        self._steps = steps
        self.worker: HistorianWorker | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._closing = asyncio.Event()

    async def start(self, parts: Parts, *, work: bool, watch: ConfigWatch | None) -> None:
        """Start the watch of the settings, if given, and with `work` the worker."""
        if work:
            # Imported before the start ends: in the background it would delay the first recalls.
            await asyncio.to_thread(import_worker)
        if watch is not None:
            self._tasks.append(asyncio.create_task(self._every(CONFIG_LOOK_SECONDS, watch.look), name="historian settings"))
        if parts.backend.needs_tending:
            self._tasks.append(asyncio.create_task(self._every(TEND_SECONDS, parts.backend.tend), name="historian hand-over"))
        if work:
            self._tasks.append(asyncio.create_task(self._work(parts), name="historian"))

    async def stop(self, timeout_seconds: float) -> None:
        """Stop the worker (running jobs may finish within the time limit) and all other tasks."""
        self._closing.set()
        try:
            if self.worker is not None:
                await self.worker.stop(timeout_seconds)
        finally:
            # Without a time limit: threads may still write to the stores, which are closed after this.
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._tasks.clear()

    def wake(self) -> None:
        """Let the worker check the queue now."""
        if self.worker is not None:
            self.worker.wake()

    def apply(self, settings: Settings) -> None:
        """Apply settings whose hot keys have changed. Thread-safe: each step is one assignment."""
        worker = self.worker
        if worker is not None:
            worker.apply(settings)

    async def _every(self, seconds: float, look: Callable[[], None]) -> None:
        while not self._closing.is_set():
            await asyncio.to_thread(look)
            await self._rest(seconds)

    async def _work(self, parts: Parts) -> None:
        """Run the worker whenever there may be one here, until the service closes."""
        said = ""
        while not self._closing.is_set():
            with ExitStack() as stack:
                try:
                    owned = owned_worker(parts, random=random.random, watch=self._steps)
                    worker = await to_the_end(asyncio.to_thread(stack.enter_context, owned))
                except OwnerLockHeld as error:
                    if str(error) != said:  # it also tells when the owner is suspended
                        said = str(error)
                        log.warning("this process only reads and enqueues: %s", error)
                    await self._rest(TAKE_OVER_SECONDS)
                    continue
                if self._closing.is_set():  # closed meanwhile: `stop` did not see this worker
                    return
                self.worker = worker
                spare_loaded("worker")
                try:
                    await worker.run()
                except Exception:
                    # Jobs are safe on disk: restart after any error.
                    log.exception("the worker stopped unexpectedly and is restarted")
                    await self._rest(TAKE_OVER_SECONDS)
                finally:
                    self.worker = None

    async def _rest(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._closing.wait()
