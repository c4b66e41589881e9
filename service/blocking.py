"""Coroutines for synchronous callers, and work that outlives a cancellation."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

log = logging.getLogger(__name__)

Result = TypeVar("Result")


def run_blocking(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end in a new event loop and return its result.

    If this thread already runs a loop, a new thread is used, with the context variables of this one (LangGraph keeps the
    configuration of a run there), and the running loop is blocked meanwhile: in asynchronous code use the asynchronous
    method.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1, thread_name_prefix="historian-blocking") as pool:
        return pool.submit(contextvars.copy_context().run, asyncio.run, work).result()


def in_thread(work: Callable[[], Coroutine[Any, Any, Result]], seconds: float) -> Result | None:
    """Return the result of a coroutine run in an event loop in a new thread; None if it fails or takes longer than `seconds`.

    The thread then runs on until its work ends; it does not keep the process from ending.
    """
    results: list[Result] = []

    def run() -> None:
        try:
            results.append(asyncio.run(work()))
        except Exception:
            log.exception("a recall from synchronous code failed")

    thread = threading.Thread(target=run, name="historian-context", daemon=True)
    thread.start()
    thread.join(seconds)
    return results[0] if results else None


async def to_the_end(work: Awaitable[Result]) -> Result:
    """Return the result of `work`. A cancellation waits for its end, since a thread cannot be cancelled, and is raised then."""
    task, cancelled = asyncio.ensure_future(work), None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return task.result()
