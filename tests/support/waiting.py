"""Waiting for what happens in another task, thread or process, of which nobody is told."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

Found = TypeVar("Found")

POLL_SECONDS = 0.005


async def eventually(condition: Callable[[], Found | Awaitable[Found]], *, seconds: float = 20.0) -> Found:
    """Return what `condition` gives as soon as it is true; it may be a coroutine function. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while True:
            found = condition()
            if inspect.isawaitable(found):
                found = await found
            if found:
                return cast(Found, found)
            await asyncio.sleep(POLL_SECONDS)


def eventually_now(condition: Callable[[], Found], *, seconds: float = 20.0) -> Found:
    """`eventually` for synchronous code."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"did not happen within {seconds:g} s")
        time.sleep(POLL_SECONDS)
    return found
