"""Jobs of former versions: one JSON file per job in `queues/{pending,processing,failed}/`."""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from ..files.durable import TEMPORARY_PREFIX, bytes_of, explaining
from ..tables.jobs.body import Unreadable, job_in, short_error
from .queue import QUEUE, SqliteJobQueue, row_of

logger = logging.getLogger(__name__)

FORMER = "queues"
_STATES = ("failed", "processing", "pending")
_NAME = re.compile(r"(?P<accepted>[0-9]{13})-(?P<job_id>.+)\.json", re.DOTALL)
_NO_JOB = (
    Unreadable,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    OverflowError,
    RecursionError,
)


def open_local_queue(directory: Path, clock: Callable[[], float]) -> SqliteJobQueue:
    """Open the queue of a data directory, and move the jobs of a former version into it.

    Raises StorageError.
    """
    former = directory / FORMER
    with ExitStack() as opened:
        queue = SqliteJobQueue(directory / QUEUE, clock=clock)
        opened.callback(queue.close)
        if former.is_dir():
            found = former_rows(former)
            if added := queue.merge_rows(found.values()):
                logger.warning("%d jobs of a former version were taken over from %s", added, former)
            _remove(former, list(found))
        opened.pop_all()
    return queue


def former_rows(folder: Path) -> dict[Path, dict[str, Any]]:
    """Return the files below `queues/` with their rows, in the order in which they were accepted.

    A file that is not a job becomes the row of a failed job. Raises StorageError.
    """
    with explaining("list", folder):
        files = [
            path for state in _STATES for path in (folder / state).glob("*.json") if path.is_file()
        ]
    files.sort(key=lambda path: (path.name.find("-"), path.name))
    contents = ((path, bytes_of(path)) for path in files)
    return {path: _row_of(path.name, data) for path, data in contents if data is not None}


def _row_of(name: str, data: bytes) -> dict[str, Any]:
    found = _NAME.fullmatch(name)
    accepted_at = int(found["accepted"]) / 1000 if found else 0.0
    try:
        return _row(json.loads(data), accepted_at)
    except _NO_JOB as error:
        logger.warning("%s is not a job: %s", name, error)
    job_id = found["job_id"] if found else name
    failed = {
        "state": "failed",
        "failed_at": accepted_at,
        "filed": 0,
        "last_error": "not a job of this version",
    }
    empty = {
        "kind": "",
        "scope_key": "",
        "entities": "[]",
        "due": 0.0,
        "attempts": 0,
        "not_before": 0.0,
    }
    return {
        "job_id": job_id,
        "body": data.decode(errors="replace"),
        "accepted_at": accepted_at,
        **empty,
        **failed,
    }


def _row(document: Any, accepted_at: float) -> dict[str, Any]:
    failed = document if "failed_at" in document else None
    job = job_in(document["job"] if failed else document)
    if not math.isfinite(job.not_before) or job.attempts >= 2**31:
        job = job.model_copy(update={"attempts": 0, "not_before": 0.0})
    row = row_of(job, job.to_json(), accepted_at)
    if failed:
        row |= {
            "state": "failed",
            "failed_at": float(failed["failed_at"]),
            "filed": int(failed.get("filed") is True),
        }
        row["last_error"] = short_error(str(failed.get("error", "")))
    return row


def _remove(former: Path, taken: list[Path]) -> None:
    """Remove job files and their companion files, and then the folders that are empty."""
    with explaining("remove", former):
        besides = [
            path
            for pattern in (f"{TEMPORARY_PREFIX}*", "*.reason")
            for path in former.glob(f"*/{pattern}")
        ]
        for path in (*taken, *besides, former / "newest"):
            path.unlink(missing_ok=True)
    for folder in (*(former / state for state in _STATES), former):
        with suppress(OSError):  # the folder contains other files
            folder.rmdir()
