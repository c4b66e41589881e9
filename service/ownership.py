"""Ownership of a data directory: one process runs the worker, the others take over when it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..stores.files.owner_lock import OwnerLock
from .components import Parts, open_vector_index

if TYPE_CHECKING:
    from .jobs.worker import HistorianWorker

TAKE_OVER_SECONDS = 2.0
"""The interval at which a process tries to become the owner."""


def import_worker() -> Any:
    """Import what a worker needs, including LangGraph. Blocks for one or two seconds, once a process."""
    return import_module(".assembly", __package__)


@contextmanager
def owned_worker(parts: Parts, *, random: Callable[[], float], **options: Any) -> Iterator[HistorianWorker]:
    """Yield the worker of a data directory under its owner lock; `options` are those of `make_worker`.

    Entering blocks. Raises OwnerLockHeld if another process owns the directory.
    """
    lock = OwnerLock(parts.directory)
    lock.acquire(parts.clock(), worker=True, index=parts.database.identity)
    with lock:
        index = open_vector_index(parts.directory)
        try:
            yield import_worker().make_worker(parts, index, random=random, **options)
        finally:
            index.close()
