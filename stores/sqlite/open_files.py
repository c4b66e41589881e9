"""The files of an open database, and checks whether their paths still lead to the open files.

SQLite opens the write-ahead log (`-wal`) and its index (`-shm`) once, and deletes them by name when
the last connection closes. All connections of a process to one file share the index, even after it
was deleted.
"""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import suppress
from pathlib import Path

from ...schema.errors import StorageError
from ..backend import Place
from .errors import explained

LOGS = ("-wal", "-shm")

NOT_IN_PLACE: dict[Place, str] = {
    "gone": "was moved or deleted while it was open; nothing more is written to it. Stop the bot, "
    "then put the file back or run `historian restore BACKUP`",
    "replaced": (
        "was replaced by another file while it was open; nothing more is written to either "
        "file until the database is opened again. Stop the bot before you replace the file, "
        "or use `historian restore BACKUP`"
    ),
    "unlogged": "its log (-wal, -shm) was deleted or replaced while it was open; nothing "
    "more is written to it. Restart this process to open a new log",
}

_lock = threading.Lock()
_open: weakref.WeakValueDictionary[int, OpenFiles] = weakref.WeakValueDictionary()
"""The database files that are open in this process.

An object that is garbage-collected without having been closed is dropped from this dictionary,
together with its connections.
"""
_kept: list[OpenFiles] = []
"""The files whose connections stay open until the process ends."""


class OpenFiles:
    """An open database file with its logs. Created after SQLite has opened all three files."""

    def __init__(self, path: Path) -> None:
        """Raises StorageError if this process has the file open with other logs."""
        self._path = os.fspath(path)
        status = _status(self._path)
        self.identity = _identity(status)
        """Device and inode of the open file."""
        self.logs = _logs_of(self._path)
        self._unchanged = _state(status)
        with _lock:
            _check_logs(path, self.identity, self.logs)
            _open[id(self)] = self

    @property
    def place(self) -> Place:
        """The state of the database file and its logs.

        Blocks for microseconds. Raises StorageError.
        """
        found = _status(self._path)
        if _identity(found) != self.identity:
            return "replaced" if found else "gone"
        if _logs_of(self._path) != self.logs:
            return "unlogged"
        self._unchanged = _state(found)
        return "here"

    @property
    def log_still_belongs(self) -> bool:
        """True if the open log still belongs to the file.

        This is the case if the file is unchanged since its log was last seen in place, and no other
        log with content exists.
        """
        log = _status(self._path + "-wal")
        return _state(_status(self._path)) == self._unchanged and not (log and log.st_size)

    def remove_logs(self) -> None:
        """Remove the logs if they belong to this database, so that a new file does not get them."""
        for suffix, found, own in zip(LOGS, _logs_of(self._path), self.logs, strict=True):
            if found and found == own:
                with suppress(OSError):
                    os.unlink(self._path + suffix)  # noqa: PTH108 - the path is a string

    def release(self) -> None:
        """Remove the file from the registry.

        To be called just before SQLite closes the database.
        """
        with _lock:
            _open.pop(id(self), None)

    def keep(self) -> None:
        """Keep the file in the registry until the process ends, because a connection stays open."""
        _kept.append(self)


def check_openable(path: Path) -> None:
    """Raise StorageError if this process has the file open with another log: the logs would mix."""
    with _lock:
        _check_logs(path, file_identity(path), _logs_of(os.fspath(path)))


def _check_logs(path: Path, identity: str, logs: tuple[str, ...]) -> None:
    if any(one.logs != logs for one in _open.values() if one.identity == identity):
        raise StorageError(f"{path}: {NOT_IN_PLACE['unlogged']}")


def remove_leftover_logs(path: Path) -> None:
    """Remove the logs of a database file that no longer exists.

    Otherwise a new file would get them.
    """
    beside = (path.with_name(path.name + suffix) for suffix in LOGS)
    leftover = [log for log in beside if log.exists()]
    for log in leftover if not path.exists() else ():
        with suppress(OSError):
            log.unlink(missing_ok=True)


def file_identity(path: str | Path) -> str:
    """Return `device:inode` of a file; "" if it does not exist. Raises StorageError."""
    return _identity(_status(path))


def _logs_of(path: str) -> tuple[str, ...]:
    return _identity(_status(path + "-wal")), _identity(_status(path + "-shm"))


def _status(path: str | Path) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - os.stat is faster, before every read
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise explained(error, Path(path)) from error


def _identity(status: os.stat_result | None) -> str:
    return f"{status.st_dev}:{status.st_ino}" if status else ""


def _state(status: os.stat_result | None) -> tuple[int, int]:
    """Return modification time and size, which every write to the file changes."""
    return (status.st_mtime_ns, status.st_size) if status else (0, 0)
