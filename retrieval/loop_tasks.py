"""Background tasks of several event loops."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from ..schema.errors import HistorianError

log = logging.getLogger(__name__)

Result = TypeVar("Result")


class LoopTasks:
    """Tasks that run to their end even if their callers no longer wait for them. Safe to use from
    several threads and loops.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._lock = threading.Lock()

    def spawn(self, work: Coroutine[Any, Any, Result], name: str) -> asyncio.Task[Result]:
        """Start `work` in the running loop. If it fails, the error is logged with `name` and is
        marked as retrieved.
        """
        task = asyncio.create_task(work, name=name)
        with self._lock:
            self._tasks.add(task)
        task.add_done_callback(self._settled)
        return task

    async def aclose(self) -> None:
        """Cancel the tasks of the running loop and wait for them."""
        loop = asyncio.get_running_loop()
        with self._lock:  # tasks of other loops are added and removed meanwhile
            own = [task for task in self._tasks if task.get_loop() is loop]
        for task in own:
            task.cancel()
        await asyncio.gather(*own, return_exceptions=True)

    def _settled(self, task: asyncio.Task[Any]) -> None:
        with self._lock:
            self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.log(
                logging.DEBUG if isinstance(error, HistorianError) else logging.WARNING,
                "%s: %s",
                task.get_name(),
                error,
            )
