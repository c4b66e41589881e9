"""The documents of a data directory, opened as another process would open them."""

from __future__ import annotations

import time
from pathlib import Path

from historian.stores.sqlite.documents import MirroredProfiles
from historian.stores.sqlite.queue import QUEUE, SqliteJobQueue


def profiles_in(directory: Path, *, revision_keep: int = 5) -> MirroredProfiles:
    """Return the profiles of a data directory, which is made if it is missing."""
    queue = SqliteJobQueue(directory / QUEUE, clock=time.time)
    return MirroredProfiles(queue.database, directory / "profiles", revision_keep=revision_keep)
