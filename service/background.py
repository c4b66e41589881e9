"""What a service does beside its callers: be the worker as soon as no other process is, and look at its settings' file."""

from __future__ import annotations

import asyncio
import logging
import random
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ..schema.errors import OwnerLockHeld
from ..schema.protocols import VectorIndex
from ..schema.settings import Settings
from .components import Parts
from .config_watch import ConfigWatch
from .ownership import TAKE_OVER_SECONDS, import_worker, owned_worker

if TYPE_CHECKING:
    from .jobs.worker import HistorianWorker

log = logging.getLogger(__name__)

CONFIG_LOOK_SECONDS = 2.0


class Background:
    """Runs until `stop`. `worker` is the one that this process runs, None while another process owns the directory."""

    def __init__(self) -> None:
        self.worker: HistorianWorker | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._closing = asyncio.Event()

    async def start(self, parts: Parts, *, work: bool, watch: ConfigWatch | None) -> None:
        """Begin to look at the settings (`watch`), and to work (`work`)."""
        if work:
            # Here and not in the background, where importing would hold up the first recalls.
            await asyncio.to_thread(import_worker)
        if watch is not None:
            self._tasks.append(asyncio.create_task(self._look_at_config(watch), name="historian settings"))
        if work:
            self._tasks.append(asyncio.create_task(self._work(parts), name="historian"))

    async def stop(self, timeout_seconds: float) -> None:
        """Stop the worker (what is running may finish within the bound) and everything else."""
        self._closing.set()
        try:
            if self.worker is not None:
                await self.worker.stop(timeout_seconds)
        finally:
            # Without a bound: what is left are threads that write to the stores, which close after this.
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._tasks.clear()

    def wake(self) -> None:
        """Look into the queue now."""
        if self.worker is not None:
            self.worker.wake()

    def event_index(self) -> VectorIndex | None:
        """Chroma's index of events, while this process owns the data directory."""
        return None if self.worker is None else self.worker.event_index

    def apply(self, settings: Settings) -> None:
        """Take over settings whose hot keys have changed. From any thread: each step is one assignment."""
        worker = self.worker
        if worker is not None:
            worker.apply(settings)

    async def _look_at_config(self, watch: ConfigWatch) -> None:
        await self._rest(CONFIG_LOOK_SECONDS)
        while not self._closing.is_set():
            await asyncio.to_thread(watch.look)
            await self._rest(CONFIG_LOOK_SECONDS)

    async def _work(self, parts: Parts) -> None:
        """Be the worker as soon as no other process is, until the service closes."""
        said = False
        while not self._closing.is_set():
            with ExitStack() as stack:
                try:
                    worker = await asyncio.to_thread(stack.enter_context, owned_worker(parts, random=random.random))
                except OwnerLockHeld as error:
                    if not said:
                        log.warning("this process reads and enqueues only: %s", error)
                        said = True
                    await self._rest(TAKE_OVER_SECONDS)
                    continue
                if self._closing.is_set():  # closed while it was being put together: nobody will stop it
                    return
                self.worker = worker
                try:
                    await worker.run()
                except Exception:
                    # Whatever it was, jobs are on disk: begin anew rather than leave the bot without a historian.
                    log.exception("the historian stopped unexpectedly and is started again")
                    await self._rest(TAKE_OVER_SECONDS)
                finally:
                    self.worker = None

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            return
