"""Who still has a file open that was deleted. Known on Linux, for the processes that one may look into."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def processes_with_deleted(path: Path) -> list[int]:
    """Return the ids of the processes that have a deleted file open that was at `path`. Blocks for some milliseconds."""
    gone = f"{os.path.realpath(path)} (deleted)"  # as the system shows it
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended, or belongs to somebody else
            if any(_leads_to(link) == gone for link in (process / "fd").iterdir()):
                found.append(int(process.name))
    return sorted(found)


def _leads_to(link: Path) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115 - thousands of them
    except OSError:
        return ""
