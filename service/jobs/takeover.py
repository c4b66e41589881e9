"""What a worker takes over from others that have ended: jobs, checkpoints, and the idle work."""

from __future__ import annotations

import asyncio
import logging

from ...schema.errors import StorageError
from ...schema.protocols import Ownership
from ...stores.threaded_saver import OpenCheckpoints
from ..components import Parts

log = logging.getLogger(__name__)

TAKE_OVER_SECONDS = 1.0
"""Interval at which one of several workers looks for jobs of dead workers."""

SWEEP_SECONDS = 600.0
"""Interval at which one of several workers removes checkpoints of finished jobs that dead workers
left."""

OWNER_SECONDS = 5.0
"""Interval at which one of several workers tries to become the owner, which does the idle work."""


class Takeover:
    """Resumes the jobs of workers that have ended, and removes the checkpoints that they left."""

    def __init__(self, parts: Parts, ownership: Ownership) -> None:
        self._parts = parts
        self._workers = parts.backend.workers
        self._ownership = ownership
        self._next_claim = self._next_take_over = self._next_sweep = 0.0

    async def leads(self, *, at_once: bool = False) -> bool:
        """Return True if this worker is the owner. If it is not, first try to become the owner, at
        most every OWNER_SECONDS unless `at_once` is true."""
        if self._ownership.is_held:
            return True
        now = asyncio.get_running_loop().time()
        if now < self._next_claim and not at_once:
            return False
        self._next_claim = now + OWNER_SECONDS
        try:
            await asyncio.to_thread(self._ownership.acquire, self._parts.clock(), worker=True)
        except StorageError as error:
            log.debug("another worker does the idle work: %s", error)
        return self._ownership.is_held

    async def begin(self, checkpoints: OpenCheckpoints) -> None:
        """Resume the jobs of ended workers, and remove what they left. Raises StorageError."""
        await self._resume()
        await asyncio.to_thread(self._parts.backend.sweep)
        if self._ownership.is_held:
            await self._sweep(checkpoints)

    async def _resume(self) -> None:
        if taken_over := await asyncio.to_thread(self._parts.queue.take_over, self._parts.clock()):
            log.info("%d jobs were under way when their worker ended; they are resumed", taken_over)

    async def _sweep(self, checkpoints: OpenCheckpoints) -> None:
        """Remove checkpoints of finished jobs that killed workers left.

        Only the owner does this; if there are several workers, at most every SWEEP_SECONDS.
        """
        now = asyncio.get_running_loop().time()
        if not self._ownership.is_held or (self._workers.many and now < self._next_sweep):
            return
        self._next_sweep = now + SWEEP_SECONDS
        if swept := await checkpoints.sweep(self._parts.queue.known_ids):
            log.info("checkpoints of %d finished jobs were left over and are removed", swept)

    async def try_to_sweep(self, checkpoints: OpenCheckpoints) -> None:
        """If there are several workers, remove the checkpoints that ended ones have left since."""
        try:
            if self._workers.many:
                await self._sweep(checkpoints)
        except StorageError as error:
            log.warning("checkpoints of finished jobs could not be removed yet: %s", error)

    async def look_for_dead(self, now: float) -> None:
        """If there are several workers, take over the jobs of dead workers. The call is also this
        worker's sign of life."""
        if self._workers.many and now >= self._next_take_over:
            self._next_take_over = now + TAKE_OVER_SECONDS
            await self._resume()
