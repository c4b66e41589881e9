"""Atomic and durable file operations, safe against crashes of the process and the machine.

A file is written under a temporary name beside its target, flushed to the disk, renamed over the
target, and the folder is flushed after it. A reader sees the old content or the new one. Temporary
names begin with `.tmp-`: readers ignore hidden names, and `sweep_leftovers` removes the files of
killed processes. A process locks its temporary file while it is open, so that no other process
removes it. `access.py` defines the access rights.
"""

from __future__ import annotations

import errno
import itertools
import os
import secrets
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...schema.errors import StorageError
from .access import create_file, make_private_folder

if sys.platform != "win32":  # no locks on Windows: it refuses to remove a file that is open
    import fcntl

TEMPORARY_PREFIX = ".tmp-"

READ_ONLY = "the file system is read-only: remount it writable, or move data_dir elsewhere"
_REMEDIES = {
    errno.ENOSPC: "the disk is full: free some space, or move data_dir to a larger disk",
    getattr(
        errno, "EDQUOT", errno.ENOSPC
    ): "the disk quota is used up: free some space, or move data_dir elsewhere",
    errno.EROFS: READ_ONLY,
    errno.EACCES: "permission denied: let the user who runs this process write to data_dir",
    errno.EPERM: "permission denied: let the user who runs this process write to data_dir",
    errno.EMFILE: "too many open files: raise the limit (ulimit -n)",
    errno.ENFILE: "too many open files on this machine: raise its limit",
    errno.ENAMETOOLONG: "the name is too long for this file system: move data_dir to one that allows names of 255 bytes",
    errno.EIO: "the disk reports an error: check the system log before writing to it again",
}
_ATTEMPTS = 3

# Processes of two containers may have the same process id, and a forked child has the same token:
# only both together are unique.
_TOKEN = secrets.token_hex(4)
_counter = itertools.count()


def storage_error(action: str, path: Path, error: OSError) -> StorageError:
    """Return `error` as a StorageError that names the action, the path, and a remedy."""
    remedy = _REMEDIES.get(error.errno or 0, "see the message of the system, then try again")
    return StorageError(f"cannot {action} {path}: {error.strerror or error}; {remedy}")


@contextmanager
def explaining(action: str, path: Path) -> Iterator[None]:
    """Convert an OSError in the block to the StorageError of `storage_error`."""
    try:
        yield
    except OSError as error:
        raise storage_error(action, path, error) from error


def make_folder(folder: Path) -> None:
    """Create `folder` and its parents, durably. Raises StorageError."""
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_folder(folder.parent)
    with explaining("create the folder", folder):
        make_private_folder(folder)
    sync_folder(folder.parent)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace the content of `path` by `data`, durably. A missing folder is created.

    Raises StorageError and never leaves a partial file. After an error an existing file has its old
    content, unless only the last step failed (flushing the folder): then the new content is in
    place, but a power failure may undo it.
    """
    with explaining("write", path):
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                _write_once(path, data)
                return
            except FileNotFoundError:
                # The folder is missing, or another process swept away the temporary file.
                if attempt == _ATTEMPTS:
                    raise
                make_folder(path.parent)


def remove_durably(path: Path) -> bool:
    """Remove a file and flush its folder. Return False if it does not exist.

    Raises StorageError.
    """
    if not _remove(path):
        return False
    sync_folder(path.parent)
    return True


def remove_folder(folder: Path) -> None:
    """Remove a folder if it exists. Raises StorageError.

    It may contain only temporary files of killed processes.
    """
    if folder.is_dir():
        sweep_leftovers(folder)
        with explaining("remove", folder):
            folder.rmdir()
        sync_folder(folder.parent)


def names_in(folder: Path) -> list[str]:
    """Return the sorted names in a folder; none if it does not exist. Raises StorageError."""
    with explaining("list", folder), suppress(FileNotFoundError, NotADirectoryError):
        return sorted(os.listdir(folder))  # noqa: PTH208 - only the names are needed
    return []


def bytes_of(path: Path) -> bytes | None:
    """Return the content of a file, or None if it does not exist. Raises StorageError."""
    with explaining("read", path), suppress(FileNotFoundError, NotADirectoryError):
        return path.read_bytes()
    return None


def sync_folder(folder: Path) -> None:
    """Flush the entries of `folder` to the disk. Does nothing on Windows. Raises StorageError."""
    with explaining("flush the folder", folder):
        _sync_folder(folder)


def sweep_leftovers(folder: Path) -> int:
    """Remove the temporary files that killed processes left in `folder` and below.

    Return the number of removed files. May be called at any time.
    """
    found = (  # os.walk skips a folder that another process removes meanwhile
        Path(at, name)
        for at, _, names in os.walk(folder)
        for name in names
        if name.startswith(TEMPORARY_PREFIX)
    )
    return remove_abandoned(found)


def remove_abandoned(temporary: Iterable[Path]) -> int:
    """Remove the given temporary files that no process has open.

    Return the number of removed files.

    If a file is removed after it was closed and before it was renamed, `write_atomically` writes it
    again. Raises StorageError.
    """
    removed = 0
    for path in temporary:
        if path.is_file() and not _is_open_elsewhere(path):
            removed += _remove(path)  # False if its writer has renamed it meanwhile
    return removed


def create_temporary(path: str | Path) -> int:
    """Create a temporary file, locked until it is closed, and return its descriptor.

    Raises OSError.
    """
    descriptor = create_file(path)
    if sys.platform != "win32":
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def _is_open_elsewhere(path: Path) -> bool:
    """Return True if a running process has the temporary file open."""
    if sys.platform == "win32":
        try:
            os.rename(path, path)  # noqa: PTH104 - refused while it is open
        except PermissionError:
            return True
        except FileNotFoundError:  # its writer has just renamed it
            return False
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # missing, a link, or unreadable: the removal reports the error
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(descriptor)
    return False


def _remove(path: Path) -> bool:
    """Remove a file. Return False if it does not exist. Raises StorageError."""
    with explaining("remove", path), suppress(FileNotFoundError):
        path.unlink()
        return True
    return False


def _write_once(path: Path, data: bytes) -> None:
    temporary, descriptor = _open_temporary(path.parent)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)  # noqa: PTH105 - no Path object for speed, as below
    except BaseException:
        with suppress(OSError):  # the first error is raised; a sweep removes the file
            os.unlink(temporary)  # noqa: PTH108 - no Path object for speed: the bot's reply waits for this write
        raise
    _sync_folder(path.parent)


def _open_temporary(folder: Path) -> tuple[str, int]:
    while True:
        temporary = f"{folder}{os.sep}{TEMPORARY_PREFIX}{_TOKEN}-{os.getpid()}-{next(_counter)}"
        with suppress(FileExistsError):
            return temporary, create_temporary(temporary)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    _flush_and_close(os.open(folder, os.O_RDONLY))


def _flush_and_close(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some (network) file systems cannot flush folders.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)
