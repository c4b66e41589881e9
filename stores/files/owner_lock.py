"""The owner lock of a data directory.

The owner process runs the worker, and is the only writer of files that allow one writer. The
operating system releases the lock on `owner.lock` when the process ends for any reason.
`owner.json` only describes the owner and does not prove ownership.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout
from pydantic import TypeAdapter

from ...schema.errors import OwnerLockHeld, StorageError
from ...schema.protocols.ownership import Owner, Ownership
from .access import file_mode
from .durable import explaining, make_folder, storage_error, write_atomically

logger = logging.getLogger(__name__)

LOCK_NAME = "owner.lock"
INFO_NAME = "owner.json"
_PATIENCE_SECONDS = 0.2
"""How long to try to get the lock: `owner_of` in another process may hold it for a moment."""


def file_lock(path: Path, patience_seconds: float) -> FileLock:
    """Return the lock of a file, not acquired.

    It is never a soft lock (a plain file), which would remain after its owner was killed.
    """
    mode = file_mode(path)
    return FileLock(
        path, patience_seconds, mode, thread_local=False, poll_interval=0.01, fallback_to_soft=False
    )


def acquire(lock: FileLock, path: Path) -> bool:
    """Acquire a lock. Return False if another holder does not release it in time.

    `path` is named in messages. Raises StorageError.
    """
    try:
        with explaining("lock", path), suppress(Timeout):
            lock.acquire()
            return True
    except NotImplementedError as error:
        raise StorageError(
            f"{path.parent}: the file system does not support locks ({error}); use a local disk"
        ) from error
    return False


class LocalOwner(Owner):
    """The owner of a data directory.

    `index` is device and inode of the `index.sqlite` that a worker has open.
    """

    @property
    def is_suspended(self) -> bool:
        """Return True if the process is stopped (SIGSTOP, Ctrl-Z).

        Detected only on Linux and for processes of this machine.
        """
        if self.host != socket.gethostname():
            return False
        try:
            status = Path(f"/proc/{self.pid}/stat").read_text(errors="replace")
        except OSError:
            return False
        return status.rpartition(")")[2].split()[:1] in (["T"], ["t"])

    def __str__(self) -> str:
        name = super().__str__()
        return (
            f"{name}, which is suspended: `kill -CONT {self.pid}` resumes it"
            if self.is_suspended
            else name
        )


_OWNER = TypeAdapter(LocalOwner)
_UNKNOWN = LocalOwner(0, "an unknown machine", "an unknown time", "unknown command")


class OwnerLock(Ownership):
    """Exclusive ownership of `data_dir`; a context manager.

    Acquiring it again by the same object has no effect.

    A child of `os.fork` shares the lock until it ends; start children by `subprocess` or `spawn`.
    """

    def __init__(self, data_dir: Path, *, index: str = "") -> None:
        """`index` identifies the `index.sqlite` that this process, a worker, has open."""
        self._data_dir = data_dir
        self._index = index
        self._lock = file_lock(data_dir / LOCK_NAME, _PATIENCE_SECONDS)
        self._mutex = threading.Lock()

    @property
    def is_held(self) -> bool:
        return self._lock.is_locked

    def acquire(self, now: float, *, worker: bool = False) -> Self:
        """Become the owner; `now` (seconds since the epoch) is stored as the start time.

        Raises OwnerLockHeld, which names the owner, or StorageError if the file system does not
        support locks.
        """
        with self._mutex:
            if self._lock.is_locked:
                return self
            make_folder(self._data_dir)
            if not acquire(self._lock, self._data_dir / LOCK_NAME):
                owner = _read_owner(self._data_dir)
                message = f"{self._data_dir} is owned by {owner}; stop that process, or let it do the work"
                raise OwnerLockHeld(message, passing=not owner.worker)
            owner = this_process(now, worker=worker, index=self._index if worker else "")
            try:
                text = json.dumps(asdict(owner), ensure_ascii=False, indent=1)
                write_atomically(self._data_dir / INFO_NAME, text.encode(errors="replace"))
            except BaseException:
                self._lock.release()
                raise
        return self

    def release(self) -> None:
        """Release the lock; does nothing if it is not held."""
        with self._mutex:
            if not self._lock.is_locked:
                return
            try:
                (self._data_dir / INFO_NAME).unlink(missing_ok=True)
            except OSError as error:
                logger.warning("%s", storage_error("remove", self._data_dir / INFO_NAME, error))
            self._lock.release()


def owner_of(data_dir: Path) -> LocalOwner | None:
    """Return the running owner of a data directory; None if there is none.

    Tests the lock itself, so that files of a dead owner are ignored.
    """
    if not (data_dir / LOCK_NAME).exists():
        return None
    probe = file_lock(data_dir / LOCK_NAME, 0)
    try:
        if not acquire(probe, data_dir / LOCK_NAME):
            return _read_owner(data_dir)
    except StorageError as error:  # no write permission: `owner.json` is the only source
        logger.debug("the lock of %s cannot be tested: %s", data_dir, error)
        return _read_owner(data_dir) if (data_dir / INFO_NAME).exists() else None
    probe.release()
    return None


def this_process(now: float, *, worker: bool = False, index: str = "") -> LocalOwner:
    """Return this process as an owner since `now` (seconds since the epoch)."""
    started_at = datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds")
    return LocalOwner(
        os.getpid(), socket.gethostname(), started_at, program_name(sys.argv), worker, index
    )


def program_name(arguments: Sequence[str]) -> str:
    """Return the name of a program without its folder and arguments, which may hold secrets."""
    program = Path(arguments[0] if arguments else "")
    return (program.parent if program.name == "__main__.py" else program).name or "python"


def _read_owner(data_dir: Path) -> LocalOwner:
    try:
        owner = _OWNER.validate_json((data_dir / INFO_NAME).read_bytes())
        # Earlier versions stored the command with its arguments.
        return replace(owner, command=program_name(owner.command.split()[:1]))
    except (OSError, ValueError) as error:
        logger.debug("%s does not describe the owner: %s", data_dir / INFO_NAME, error)
        return _UNKNOWN
