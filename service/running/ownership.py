"""Creation of a worker. If the backend allows only one, one process runs it, and another process
takes over when that process ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..components import Parts

if TYPE_CHECKING:
    from ..jobs.worker import HistorianWorker

TAKE_OVER_SECONDS = 2.0
"""Interval in seconds at which a process tries to become the owner."""


def import_worker() -> Any:
    """Import the worker module, and LangGraph with it. The first call blocks for one or two
    seconds."""
    return import_module("..jobs.worker", __package__)


@contextmanager
def owned_worker(parts: Parts, **options: Any) -> Iterator[HistorianWorker]:
    """Yield a worker; `options` are those of `HistorianWorker`.

    Entering blocks. Raises OwnerLockHeld if the backend allows only one worker and another process
    runs it.
    """
    with ExitStack() as stack:
        ownership = parts.backend.workers.ownership()
        stack.callback(ownership.release)
        if not parts.backend.workers.many:
            ownership.acquire(parts.clock(), worker=True)
        index = parts.backend.vector_index()
        if index is not None:
            stack.callback(index.close)
        worker = import_worker().HistorianWorker(parts, index, ownership, **options)
        stack.enter_context(parts.backend.workers.listening(worker.wake))
        yield worker
