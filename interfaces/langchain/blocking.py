"""Coroutines for callers that cannot wait for them with `await`."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_blocking(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine; in an event loop of its own, in a thread of its own where this one has a loop running.

    A running loop stands still meanwhile: in asynchronous code use the asynchronous method.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1, thread_name_prefix="historian-blocking") as pool:
        return pool.submit(asyncio.run, work).result()
