"""Jobs as former versions kept them, a JSON file each in `queues/{pending,processing,failed}/`."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..files.durable import bytes_of, explaining
from ..tables.job_body import Unreadable, job_in
from .queue import QUEUE, SqliteJobQueue, row_of

logger = logging.getLogger(__name__)

FORMER = "queues"
_STATES = ("failed", "processing", "pending")
_NAME = re.compile(r"(?P<accepted>[0-9]{13,})-.+\.json", re.DOTALL)


def open_local_queue(directory: Path, clock: Callable[[], float]) -> SqliteJobQueue:
    """Open the queue of a data directory; jobs of a former version move into it. Raises StorageError."""
    queue, former = SqliteJobQueue(directory / QUEUE, clock=clock), directory / FORMER
    if former.is_dir():
        found = dict(former_rows(former))
        added = queue.add_rows(found.values())
        with explaining("remove", former):
            for path in (*found, former / "newest"):
                path.unlink(missing_ok=True)
        for folder in (*(former / state for state in _STATES), former):
            with suppress(OSError):  # there is something else in it
                folder.rmdir()
        logger.warning("%d jobs of a former version were taken over from %s", added, former)
    return queue


def former_rows(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the files of jobs below `queues/` with their rows, in the order in which the jobs were accepted.

    What is no job is left out, and told in the log. Raises StorageError.
    """
    with explaining("list", folder):
        files = [path for state in _STATES for path in (folder / state).glob("*.json") if path.is_file()]
    for path in sorted(files, key=lambda path: (path.name.find("-"), path.name)):
        data = bytes_of(path)
        try:
            if data is not None:
                yield path, _row(path.name, json.loads(data))
        except (ValueError, TypeError, RecursionError, Unreadable) as error:
            logger.warning("%s is left where it is: %s", path, error)


def _row(name: str, document: Any) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise Unreadable(f"holds a JSON {type(document).__name__}, expected an object")
    failed = document if "failed_at" in document else None
    job = job_in(document["job"] if failed else document)
    accepted = _NAME.fullmatch(name)
    row = row_of(job, job.to_json(), int(accepted["accepted"]) / 1000 if accepted else 0.0)
    if failed:
        row |= {"state": "failed", "failed_at": float(failed["failed_at"]), "filed": int(failed.get("filed") is True)}
        row["last_error"] = str(failed.get("error", ""))
    return row
