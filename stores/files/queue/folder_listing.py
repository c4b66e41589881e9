"""The names in queue folders, listed anew only where they may have changed.

Listing a folder of 100,000 files takes tens of milliseconds, so a large one is listed again only when its time stamp
moved, and not more often than once in `names / 20,000` seconds (a 1-2 % share of one core). A small one is listed every
time: that costs a few microseconds and needs no trust in time stamps.
"""

from __future__ import annotations

import os
from pathlib import Path

from .job_files import list_names

SMALL = 256
_NAMES_PER_SECOND = 20_000
_SETTLING_SECONDS = 2.0
"""Coarsest time stamp of a usual file system (FAT): a change within it may leave the stamp as it was."""


class FolderListing:
    """What lies in some folders. Not thread-safe by itself; two threads at worst list twice."""

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self.forget()

    def forget(self) -> None:
        """List at the next call, whatever the time stamps say."""
        self._stamps: tuple[int, ...] | None = None
        self._listed_at = 0.0
        self._settled = False
        self._size = 0

    @property
    def was_made(self) -> bool:
        """Whether there was a listing since the beginning, or since `forget`."""
        return self._stamps is not None

    def if_changed(self, now: float) -> list[str] | None:
        """The names in all folders, or None where nothing changed since the last call or it is too early to look.

        `now` is in seconds; a clock that went back counts as time enough. Raises StorageError.
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
        return tuple(_stamp(folder) for folder in self._folders)


def _stamp(folder: Path) -> int:
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116 - on the reply path
    except FileNotFoundError:
        return 0
