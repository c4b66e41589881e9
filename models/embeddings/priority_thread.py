"""One thread with a priority queue, for a model that runs in this process.

A single thread suffices, because such models use all cores for one text already. Priorities let a query, whose caller is
waiting, run before background batches of documents.
"""

from __future__ import annotations

import asyncio
import itertools
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")

URGENT = 0
ORDINARY = 1
_LAST = 2

_Work = queue.PriorityQueue[tuple[int, int, Callable[[], Any] | None, Future[Any]]]


class PriorityThread:
    """Runs functions one after the other: urgent ones first, otherwise in order. The thread starts with the first function."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: _Work = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    async def run(self, function: Callable[[], Result], priority: int) -> Result:
        """Return the result of `function`. A call that is cancelled before it starts does not run."""
        future: Future[Result] = Future()
        with self._lock:
            if self._thread is None or not self._thread.is_alive():  # not alive: the process was forked
                self._work = queue.PriorityQueue()
                self._thread = threading.Thread(target=_loop, args=(self._work,), name=self._name, daemon=True)
                self._thread.start()
            self._work.put((priority, next(self._numbers), function, future))
        return await asyncio.wrap_future(future)

    async def aclose(self) -> None:
        """Finish the queued functions and end the thread; a later `run` starts another one."""
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._work.put((_LAST, next(self._numbers), None, Future()))
        if thread is not None:
            await asyncio.to_thread(thread.join)


def _loop(work: _Work) -> None:
    while True:
        _, _, function, future = work.get()
        if function is None:
            return
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(function())
        except BaseException as error:  # passed on to the caller
            future.set_exception(error)
        del function, future
