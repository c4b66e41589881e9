"""A minimum interval between requests to an endpoint."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable


class RequestPace:
    """Gives each caller its turn, `interval_seconds` after the one before. Safe across threads and event loops."""

    def __init__(
        self,
        interval_seconds: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._interval = interval_seconds
        self._next = 0.0
        self._lock = threading.Lock()

    async def wait(self) -> None:
        """Wait for the caller's turn; with an interval of 0, return at once."""
        if self._interval <= 0:
            return
        with self._lock:
            now = self._clock()
            turn = max(now, self._next)
            self._next = turn + self._interval
        if turn > now:
            await self._sleep(turn - now)
