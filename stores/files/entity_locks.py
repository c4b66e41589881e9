"""Locks that admit one writer at a time to the files of an entity, among threads and processes."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ...schema.errors import StorageError
from .access import file_mode
from .durable import make_folder, storage_error

_LOCKS = 64
"""Number of lock files for all entities; entities with the same lock file wait for each other."""
_PATIENCE_SECONDS = 30.0


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
            lock = FileLock(path, timeout=_PATIENCE_SECONDS, mode=file_mode(path), poll_interval=0.01, fallback_to_soft=False)
            try:
                lock.acquire()
            except Timeout:
                raise StorageError(
                    f"{what}: another process has been writing for {_PATIENCE_SECONDS:.0f} s; check whether it hangs"
                ) from None
            except NotImplementedError as error:
                raise StorageError(f"{self._folder}: the file system has no locks ({error}); use a local disk") from error
            except OSError as error:
                raise storage_error("lock", self._folder, error) from error
            try:
                yield
            finally:
                lock.release()
