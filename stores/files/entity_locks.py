"""Locks that admit one writer at a time to the files of an entity, among threads and processes."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from ...schema.errors import StorageError
from .access import file_mode
from .durable import explaining, make_folder

_LOCKS = 64
"""Number of lock files for all entities; entities with the same lock file wait for each other."""
_PATIENCE_SECONDS = 30.0


def file_lock(path: Path, patience_seconds: float) -> FileLock:
    """Return the lock of a file, not acquired. It is never a soft one (a plain file), which would survive a killed owner."""
    mode = file_mode(path)
    return FileLock(path, patience_seconds, mode, thread_local=False, poll_interval=0.01, fallback_to_soft=False)


def acquire(lock: FileLock, path: Path) -> bool:
    """Acquire a lock; return False if another holder keeps it. `path` is named in messages. Raises StorageError."""
    try:
        with explaining("lock", path), suppress(Timeout):
            lock.acquire()
            return True
    except NotImplementedError as error:
        raise StorageError(f"{path.parent}: the file system has no locks ({error}); use a local disk") from error
    return False


class EntityLocks:
    """Locks by entity name, as lock files in `folder`. Readers need no lock."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mutexes = [threading.Lock() for _ in range(_LOCKS)]

    @contextmanager
    def of(self, entity: str, what: str) -> Iterator[None]:
        """Hold the lock of an entity; `what` names the written file in messages. Raises StorageError."""
        number = zlib.crc32(entity.encode(errors="surrogatepass")) % _LOCKS
        with self._mutexes[number]:
            make_folder(self._folder)
            path = self._folder / f"{number:02d}.lock"
            lock = file_lock(path, _PATIENCE_SECONDS)
            if not acquire(lock, path):
                raise StorageError(
                    f"{what}: another process has been writing for {_PATIENCE_SECONDS:.0f} s; check whether it hangs"
                )
            try:
                yield
            finally:
                lock.release()
