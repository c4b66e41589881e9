"""The background tasks of a service: the worker, the watch of the configuration file, and the
hand-over of spooled jobs."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from ...schema.errors import OwnerLockHeld
from ..blocking import start_in_thread, to_the_end
from ..components import Parts
from ..jobs.step_stream import StepStream
from .config_watch import ConfigWatch
from .ownership import TAKE_OVER_SECONDS, import_worker, owned_worker

if TYPE_CHECKING:
    from ..jobs.worker import HistorianWorker

log = logging.getLogger(__name__)

CONFIG_LOOK_SECONDS = 2.0
TEND_SECONDS = 2.0
"""Interval in seconds at which spooled jobs are handed to the database server."""


_spared: set[str] = set()


def spare_loaded(stage: str) -> None:
    """Exclude the objects that exist now from garbage collection, once per process and stage.

    With 150,000 objects, nearly all of them from imported modules, a full collection stops the
    interpreter and the event loop for 100 ms. Afterwards only newer objects are checked.
    """
    if stage not in _spared:
        _spared.add(stage)
        gc.freeze()


class Background:
    """The background tasks, which run until `stop`. `worker` is the worker of this process; None if
    there is none, for example while another process owns the directory."""

    def __init__(self, steps: StepStream) -> None:
        self._steps = steps
        self.worker: HistorianWorker | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._closing = asyncio.Event()

    async def start(self, parts: Parts, *, work: bool, watch: ConfigWatch | None) -> None:
        """Start `watch` if it is given, the hand-over of spooled jobs if the backend needs it, and
        with `work` the worker."""
        if work:
            # Imported before the start ends: in the background it would delay the first recalls.
            await asyncio.to_thread(import_worker)
        if watch is not None:
            self._tasks.append(
                asyncio.create_task(
                    self._every(CONFIG_LOOK_SECONDS, watch.look), name="historian settings"
                )
            )
        if parts.backend.needs_tending:
            self._tasks.append(
                asyncio.create_task(
                    self._every(TEND_SECONDS, parts.backend.tend), name="historian hand-over"
                )
            )
        if work:
            self._tasks.append(asyncio.create_task(self._work(parts), name="historian"))

    async def stop(self, timeout_seconds: float) -> None:
        """Stop the worker (running jobs may finish within the time limit) and all other tasks."""
        self._closing.set()
        try:
            if self.worker is not None:
                await self.worker.stop(timeout_seconds)
        finally:
            # Without a time limit: threads may still write to the stores, which are closed next.
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._tasks.clear()

    async def _every(self, seconds: float, look: Callable[[], None]) -> None:
        while not self._closing.is_set():
            await asyncio.to_thread(look)
            await self._rest(seconds)

    async def _work(self, parts: Parts) -> None:
        """Run a worker whenever this process may have one, until the service closes."""
        said = ""
        while not self._closing.is_set():
            with ExitStack() as stack:
                try:
                    owned = owned_worker(parts, watch=self._steps)
                    worker = await to_the_end(start_in_thread(stack.enter_context, owned))
                except OwnerLockHeld as error:
                    if str(error) != said:  # the message changes when the owner is suspended
                        said = str(error)
                        log.warning("this process only reads and enqueues: %s", error)
                    await self._rest(TAKE_OVER_SECONDS)
                    continue
                if self._closing.is_set():  # `stop` was called before this worker existed
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
