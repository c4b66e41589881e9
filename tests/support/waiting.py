"""Waiting for what happens in another task, thread or process that tells nobody of it."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, overload

Found = TypeVar("Found")

POLL_SECONDS = 0.005


@overload
async def eventually(condition: Callable[[], Awaitable[Found | None]], *, seconds: float = ..., every: float = ...) -> Found: ...
@overload
async def eventually(condition: Callable[[], Found | None], *, seconds: float = ..., every: float = ...) -> Found: ...
async def eventually(condition: Callable[[], Any], *, seconds: float = 20.0, every: float = POLL_SECONDS) -> Any:
    """Return the first true value that `condition`, a function or a coroutine function, gives, asked `every` so many
    seconds. Raises TimeoutError after `seconds`.
    """
    async with asyncio.timeout(seconds):
        while True:
            found = condition()
            if inspect.isawaitable(found):
                found = await found
            if found:
                return found
            await asyncio.sleep(every)


def eventually_now(condition: Callable[[], Found | None], *, seconds: float = 20.0, every: float = POLL_SECONDS) -> Found:
    """`eventually` for synchronous code."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing true within {seconds:g} s")
        time.sleep(every)
    return found
