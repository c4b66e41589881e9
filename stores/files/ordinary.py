"""Reads files that come from elsewhere: only ordinary files, no links, pipes, devices or databases.

A process that may have a database open must not open it as a plain file: on POSIX a process loses
all its locks on a file when it closes any descriptor of that file
(https://sqlite.org/howtocorrupt.html, 2.2). Another process that closes the database would then
take itself for the last one, and delete the log to which this process continues to write.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from pathlib import Path

from ...schema.errors import InvalidInput
from .durable import explaining

DATABASES = ("index.sqlite", "queue.sqlite", "items.sqlite", "checkpoints.sqlite", "chroma.sqlite3")
_LOGS = ("-wal", "-shm", "-journal")
_NAMES = frozenset((*DATABASES, *(name + suffix for name in DATABASES for suffix in _LOGS)))


def check_no_database(path: Path) -> None:
    """Raise InvalidInput if `path`, with links followed, has the name of a database or its log."""
    if os.path.basename(os.path.realpath(path)) in _NAMES:  # noqa: PTH119 - of a string
        raise InvalidInput(
            f"{path} is a database of Historian and cannot be read as text; give another file"
        )


def check_ordinary(folder: Path) -> None:
    """Raise InvalidInput unless `folder` contains only folders and ordinary files, at all levels.

    A link, including a hard link to a file elsewhere, would bring in data from outside the folder,
    and reading a pipe or a device may never end. Raises StorageError for an unreadable folder.
    """
    linked: dict[tuple[int, int], Path] = {}
    names = Counter[tuple[int, int]]()
    links: dict[tuple[int, int], int] = {}
    waiting = [folder]
    while waiting:
        with explaining("read", waiting[-1]):
            entries = list(os.scandir(waiting.pop()))
            for entry in entries:
                status, path = entry.stat(follow_symlinks=False), Path(entry.path)
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(path)
                elif not stat.S_ISREG(status.st_mode):
                    raise _refused(path)
                elif status.st_nlink > 1:
                    file = status.st_dev, status.st_ino
                    names[file] += 1
                    linked[file], links[file] = path, status.st_nlink
    for file, path in linked.items():
        if names[file] < links[file]:
            raise InvalidInput(
                f"{path} is a hard link to a file elsewhere and is not read; if the folder is yours, "
                "copy it (`cp -r`) and use the copy"
            )


def read_ordinary(path: Path) -> bytes | None:
    """Return the content of an ordinary file; None if it does not exist.

    Raises InvalidInput for anything else, and StorageError.
    """
    flags = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    with explaining("read", path):
        try:
            if not stat.S_ISREG(path.lstat().st_mode):
                raise _refused(path)
            descriptor = os.open(path, os.O_RDONLY | flags)
        except (FileNotFoundError, NotADirectoryError):
            return None
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # replaced after the first check
                raise _refused(path)
            return file.read()


def _refused(path: Path) -> InvalidInput:
    return InvalidInput(
        f"{path} is not an ordinary file (but a link, a pipe or a device) and is not read; remove "
        "it, or use another backup"
    )
