"""A clock for tests."""

from __future__ import annotations

import asyncio


class Clock:
    """A clock that a test sets, and that whoever sleeps moves; `sleeps` are the pauses that were asked for, in seconds."""

    def __init__(self, now: float = 1_771_700_000.0) -> None:
        self.now = now
        self.sleeps: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.sleeps.append(seconds)
        await asyncio.sleep(0)
