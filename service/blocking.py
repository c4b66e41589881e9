"""Running of coroutines for synchronous callers, and of work that a cancellation does not
interrupt."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

log = logging.getLogger(__name__)

Result = TypeVar("Result")


def run_blocking(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end in a new event loop and return its result.

    If this thread already runs an event loop, the coroutine runs in a new thread with a copy of
    this thread's context variables, in which LangGraph stores the configuration of a run. The
    running loop is blocked meanwhile: in asynchronous code use the asynchronous method.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1, thread_name_prefix="historian-blocking") as pool:
        return pool.submit(contextvars.copy_context().run, asyncio.run, work).result()


def run_within(work: Callable[[], Coroutine[Any, Any, Result]], seconds: float) -> Result | None:
    """Return the result of a coroutine that runs in a new thread with its own event loop.

    Return None if the coroutine fails or takes longer than `seconds`. In the latter case the thread
    continues until its work ends, but does not prevent the process from ending.
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


def start_in_thread(function: Callable[..., Result], *arguments: object) -> asyncio.Future[Result]:
    """Call a function in a thread. Return its result as a future.

    The end of an event loop cancels all its tasks, and with them `asyncio.to_thread`, whose thread
    continues. It does not cancel this future, so that `to_the_end` waits for the thread.
    """
    call = partial(contextvars.copy_context().run, function, *arguments)
    return asyncio.get_running_loop().run_in_executor(None, call)


async def to_the_end(work: Awaitable[Result]) -> Result:
    """Return the result of `work`, which a cancellation does not interrupt.

    The cancellation is raised when `work` has ended, because a thread cannot be cancelled.
    """
    task, cancelled = asyncio.ensure_future(work), None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return task.result()
