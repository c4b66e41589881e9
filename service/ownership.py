"""One process owns a data directory and works on it; the others wait to take over when it ends."""

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
"""How often a process that does not own the data directory looks whether it may."""


def import_worker() -> Any:
    """Import what a worker needs, LangGraph among it: a second or two, once a process. Blocking."""
    return import_module(".assembly", __package__)


@contextmanager
def owned_worker(parts: Parts, *, random: Callable[[], float], **options: Any) -> Iterator[HistorianWorker]:
    """The worker of a data directory, under its owner lock; `options` are those of `make_worker`.

    Blocking to enter. Raises OwnerLockHeld where another process owns the directory.
    """
    lock = OwnerLock(parts.directory)
    lock.acquire(parts.clock())
    with lock:
        index = open_vector_index(parts.directory)
        try:
            yield import_worker().make_worker(parts, index, random=random, **options)
        finally:
            index.close()
