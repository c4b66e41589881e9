"""Runs the slices of forgetting for the worker, between its jobs or at the same time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator

from ...schema.errors import StorageError
from ..blocking import start_in_thread, to_the_end
from ..entity_data.forgetting import Company, Forgetting

log = logging.getLogger(__name__)

AGAIN_SECONDS = 60.0
"""Seconds before forgetting is retried after a failure."""

IDLE_REST = 0.1
"""Pause after a slice while no job runs, as a fraction of the slice's duration."""

LONGEST_QUIET_SECONDS = 60.0
"""Maximum pause between two attempts at a slice that is interrupted because jobs write."""


class ForgettingSlices:
    """Runs slices during which no job may run in `run_alone`, and the others in a task that `begin`
    starts.

    `wake` is called when this task ends, for instance because a slice for `run_alone` is due. While
    jobs run (`is_busy`), each slice in the task is followed by a pause of the same duration.
    """

    def __init__(
        self,
        forgetting: Forgetting,
        *,
        is_busy: Callable[[], bool],
        wake: Callable[[], None],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._forgetting = forgetting
        self._is_busy = is_busy
        self._wake = wake
        self._sleep = sleep
        self._slices: Iterator[Company] | None = None
        self._next: Company | None = None
        self._beside: asyncio.Task[None] | None = None
        self._not_before = 0.0

    @property
    def under_way(self) -> bool:
        """True while a request is being carried out."""
        return self._slices is not None

    async def alone_is_due(self) -> bool:
        """Return True if `run_alone` has something to do. Raises StorageError."""
        if self._slices is not None:
            return self._next == "alone"
        now = asyncio.get_running_loop().time()
        return now >= self._not_before and await asyncio.to_thread(
            self._forgetting.requests.waiting
        )

    async def run_alone(self, prepare: Callable[[], Awaitable[None]]) -> None:
        """Start waiting requests, and run slices until jobs may run during the next one. `prepare`
        is called before the first slice."""
        try:
            if not await self.alone_is_due():
                return
            await prepare()
            if self._slices is None:
                self._slices = self._forgetting.slices()
                await self._step()
            while self._next == "alone":
                await self._step()
        except StorageError as error:
            self._give_up(error)

    def begin(self) -> None:
        """Start a background task for the slices during which jobs may run."""
        if self._slices is not None and self._beside is None:
            self._beside = asyncio.create_task(self._run_beside(), name="historian forgetting")

    async def end(self) -> None:
        """Wait for the end of the running slice, interrupted if possible. Further slices wait for
        `begin`."""
        task, self._beside = self._beside, None
        if task is not None:
            self._forgetting.let_go = True
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self._forgetting.let_go = False

    async def _run_beside(self) -> None:
        loop, quiet = asyncio.get_running_loop(), 0.0
        try:
            while self._next in ("beside", "quiet"):
                was_quiet, begun = self._next == "quiet", loop.time()
                await self._step()
                rest = (loop.time() - begun) * (1.0 if self._is_busy() else IDLE_REST)
                if was_quiet and self._next == "quiet":
                    rest = quiet = min(2 * quiet or 1.0, LONGEST_QUIET_SECONDS)
                await self._sleep(rest)
        except StorageError as error:
            self._give_up(error)
        except Exception as error:
            log.exception("a slice of forgetting failed")
            self._give_up(error)
        self._wake()

    async def _step(self) -> None:
        """Run one slice, to its end."""

        def run() -> None:
            assert self._slices is not None
            self._next = next(self._slices, None)
            if self._next is None:
                self._slices = None

        await to_the_end(start_in_thread(run))

    def _give_up(self, error: Exception) -> None:
        # Jobs continue: because of the tombstone no new data of the person or group is filed.
        log.error("forgetting failed, next try in %.0f s: %s", AGAIN_SECONDS, error)
        self._slices = self._next = None
        self._not_before = asyncio.get_running_loop().time() + AGAIN_SECONDS
