"""The waits of a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ...schema.errors import StorageError
from ..outages.availability import Outage

REQUESTS_SECONDS = 0.5
"""Interval at which the worker looks for forget requests."""

OUTAGE_LOOK_SECONDS = 5.0
"""Maximum interval at which the worker looks for forget requests during an outage."""

JOBS_WAIT_SECONDS = 10.0
"""Seconds that a new job waits for a model call of the idle work before this call is abandoned."""


class Waiting:
    """Waits that end early if the worker is stopped or must do something else (`must_end`).

    `wake` is set when a job or a forget request arrives. `running` are the tasks of running jobs,
    `jobs_wait` returns True if a new job waits.
    """

    def __init__(
        self,
        sleep: Callable[[float], Awaitable[None]],
        clock: Callable[[], float],
        running: set[asyncio.Task[None]],
        must_end: Callable[[], Awaitable[bool]],
        jobs_wait: Callable[[], Awaitable[bool]],
    ) -> None:
        self.wake = asyncio.Event()
        self.stopping = False
        self._sleep = sleep
        self._clock = clock
        self._running = running
        self._must_end = must_end
        self._jobs_wait = jobs_wait

    async def attend(
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
                wake = asyncio.create_task(self.wake.wait())
                await asyncio.wait(
                    {work, wake}, timeout=REQUESTS_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                wake.cancel()
                woken = woken or self.wake.is_set()
                self.wake.clear()
                if work.done():
                    break
                try:
                    if await self._must_end():
                        let_go()
                    elif for_jobs and await self._jobs_wait():
                        jobs_wait_since = jobs_wait_since or now()
                        if now() - jobs_wait_since >= JOBS_WAIT_SECONDS:
                            let_go()
                except StorageError:
                    let_go()  # the main loop checks again and reports the error
        finally:
            if woken:
                self.wake.set()  # for the next look into the queue
            if not work.done():
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)
        if not work.cancelled():
            work.result()

    async def out(self, outage: Outage) -> bool:
        """Sleep until the outage pause ends. Return False if interrupted by shutdown or a forget
        request."""
        while (wait := outage.remaining(self._clock())) > 0:
            await self.pause(min(wait, OUTAGE_LOOK_SECONDS), wakeable=False)
            if await self._must_end():
                return False
        return True

    async def pause(self, seconds: float, *, wakeable: bool = True) -> None:
        """Sleep for `seconds`. Return earlier if a job ends, if the worker is stopped, or, with
        `wakeable`, if a job arrives."""
        over: asyncio.Future[Any] = asyncio.ensure_future(self._sleep(seconds))
        try:
            while True:
                wake = asyncio.create_task(self.wake.wait())
                done, _ = await asyncio.wait(
                    {over, wake, *self._running}, return_when=asyncio.FIRST_COMPLETED
                )
                wake.cancel()
                self.wake.clear()
                if wakeable or self.stopping or done != {wake}:
                    return
        finally:
            over.cancel()
