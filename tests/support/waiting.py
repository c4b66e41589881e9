"""Waiting for what happens in another task, thread or process that tells nobody of it.

Each function returns the first true value that `condition` gives, which is asked `every` so many seconds, and raises
TimeoutError after `seconds`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

Found = TypeVar("Found")

POLL_SECONDS = 0.005


async def eventually(
    condition: Callable[[], Found | None], *, seconds: float = 20.0, every: float = POLL_SECONDS
) -> Found:
    """Wait for a function."""

    async def asked() -> Found | None:
        return condition()

    return await eventually_async(asked, seconds=seconds, every=every)


async def eventually_async(
    condition: Callable[[], Awaitable[Found | None]],
    *,
    seconds: float = 20.0,
    every: float = POLL_SECONDS,
) -> Found:
    """Wait for a coroutine function."""
    async with asyncio.timeout(seconds):
        while not (found := await condition()):  # noqa: ASYNC110 - nobody sets an event
            await asyncio.sleep(every)
    return found


def eventually_now(
    condition: Callable[[], Found | None], *, seconds: float = 20.0, every: float = POLL_SECONDS
) -> Found:
    """Wait in synchronous code."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing true within {seconds:g} s")
        time.sleep(every)
    return found
