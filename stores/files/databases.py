"""Which files of a data directory are databases.

A process that may have one open must not open it as a plain file: on POSIX a process loses all its
locks on a file when it closes any descriptor of that file (https://sqlite.org/howtocorrupt.html,
2.2). Then another process that closes the database takes itself for the last one, and deletes the
log that this process goes on writing.
"""

from __future__ import annotations

import os
from pathlib import Path

from ...schema.errors import InvalidInput

DATABASES = ("index.sqlite", "queue.sqlite", "items.sqlite", "checkpoints.sqlite", "chroma.sqlite3")
_LOGS = ("-wal", "-shm", "-journal")
_NAMES = frozenset((*DATABASES, *(name + suffix for name in DATABASES for suffix in _LOGS)))


def check_no_database(path: Path) -> None:
    """Raise InvalidInput if `path`, with links followed, has the name of a database or its log."""
    if os.path.basename(os.path.realpath(path)) in _NAMES:  # noqa: PTH119 - of a string
        raise InvalidInput(f"{path} is a database of Historian, no file to read; name another file")
