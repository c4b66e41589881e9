"""Coroutines for synchronous callers."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

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
