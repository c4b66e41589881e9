"""The names in queue folders, listed again only if they may have changed.

Listing a folder of 100,000 files takes tens of milliseconds. A large folder is listed again only if its modification time
changed, at most once in `names / 20,000` seconds (1-2 % of one core). A small folder is listed every time, which takes a
few microseconds and does not depend on modification times.
"""

from __future__ import annotations

import os
from pathlib import Path

from .job_files import list_names

SMALL = 256
_NAMES_PER_SECOND = 20_000
_SETTLING_SECONDS = 2.0
"""Coarsest modification time of a common file system (FAT): a change within this period may not be visible."""


class FolderListing:
    """The names in one or more folders. Not synchronized: two threads may at worst list twice."""

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self.forget()

    def forget(self) -> None:
        """List again at the next call, whatever the modification times."""
        self._stamps: tuple[int, ...] | None = None
        self._listed_at = 0.0
        self._settled = False
        self._size = 0

    @property
    def was_made(self) -> bool:
        """Return True if the folders were listed since the start, or since `forget`."""
        return self._stamps is not None

    def if_changed(self, now: float) -> list[str] | None:
        """Return the names in all folders, or None if nothing changed since the last call or that was too recent.

        `now` is in seconds; if the clock went back, the folders are checked. Raises StorageError.
        """
        since = now - self._listed_at
        if self._stamps is None or self._size < SMALL:
            return self._list(now)
        if 0 <= since < self._size / _NAMES_PER_SECOND:
            return None
        if self._read_stamps() != self._stamps:
            return self._list(now)
        if self._settled or 0 <= since < _SETTLING_SECONDS:
            return None
        names = self._list(now)
        self._settled = True
        return names

    def _list(self, now: float) -> list[str]:
        self._stamps = self._read_stamps()
        self._listed_at = now
        self._settled = False
        names = [name for folder in self._folders for name in list_names(folder)]
        self._size = len(names)
        return names

    def _read_stamps(self) -> tuple[int, ...]:
        return tuple(map(_stamp, self._folders))


def _stamp(folder: Path) -> int:
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116 - on the reply path
    except FileNotFoundError:
        return 0
