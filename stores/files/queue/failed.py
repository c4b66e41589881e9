"""`failed/`: failed jobs with their errors, and quarantined files that are not valid jobs."""

from __future__ import annotations

import json
import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

from ....schema.errors import StorageError
from ....schema.job import Job
from ....schema.protocols import FailedJob
from ..durable import bytes_of, move_durably, remove_durably, write_atomically
from .job_files import (
    REASON_SUFFIX,
    SUFFIX,
    Gone,
    Unreadable,
    encode_failed,
    encode_job,
    list_names,
    name_prefix,
    order,
    read_any,
    short_error,
)

logger = logging.getLogger(__name__)

_INTERRUPTED = "its retry was interrupted; retry it again"


class FailedJobs:
    """The folder of failed jobs, each wrapped with its error. Other files are unchanged and have a `.reason` file.

    The caller prevents concurrent changes by several threads.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def take_in(self, path: Path, job: Job, failed: FailedJob) -> None:
        """Move the claimed job at `path` here. Raises StorageError; the job then stays where it was.

        The file is first wrapped in place, then moved, so that it is in one folder at any moment.
        """
        write_atomically(path, encode_failed(job, failed))
        self.finish(path)

    def finish(self, path: Path) -> None:
        """Move a wrapped job here."""
        move_durably(path, self._folder / path.name)

    def quarantine(self, path: Path, reason: str, now: float) -> bool:
        """Move a file that is not a valid job here. Logs the error and returns False if it cannot be moved."""
        target = self._free_path(path.name)
        logger.warning("moved %s to %s: %s", path.name, self._folder, reason)
        note = json.dumps({"error": short_error(reason), "failed_at": now}, ensure_ascii=False)
        try:
            write_atomically(_reason_path(target), note.encode())
        except StorageError as error:  # reading the file again gives the reason
            logger.warning("the reason was not stored: %s", error)
        try:
            return move_durably(path, target)
        except StorageError as error:
            logger.error("%s stays where it is and is ignored: %s", path.name, error)
            return False

    def all(self) -> list[FailedJob]:
        """Return all entries, oldest first. Raises StorageError."""
        return [failed for failed, _ in self._all()]

    def restore(self, pending: Path, job_id: str | None) -> list[str]:
        """Move one job, or all readable ones, to `pending` with attempts reset. Return their ids. Raises StorageError."""
        restored: list[str] = []
        for failed in self.all():
            job, path = failed.job, self._folder / failed.name
            if job is None or job_id not in (None, job.job_id):
                continue
            fresh = job.model_copy(update={"attempts": 0, "not_before": 0.0, "last_error": ""})
            write_atomically(path, encode_job(fresh))
            if move_durably(path, pending / failed.name):
                restored.append(job.job_id)
            remove_durably(_reason_path(path))
        return restored

    def cleanup(self, now: float, *, max_age_seconds: float, max_files: int) -> int:
        """Remove entries beyond the age or count limit, oldest first, if their job is filed or they never were a job.

        Jobs of a newer version, files that cannot be opened, and folders stay. Raises StorageError.
        """
        everything = sorted(self._all(), key=lambda found: found[0].failed_at)
        removed = 0
        for failed, may_go in everything:
            if may_go and (now - failed.failed_at > max_age_seconds or removed < len(everything) - max_files):
                removed += self.discard(failed.name)
        return removed

    def discard(self, name: str) -> bool:
        """Remove one file and its reason. Raises StorageError."""
        remove_durably(_reason_path(self._folder / name))
        return remove_durably(self._folder / name)

    def amend(self, change: Callable[[Job], Job | None]) -> int:
        """Replace jobs by the result of `change` (None: remove), keep their errors. Return how many. Raises StorageError."""
        amended = 0
        for failed in self.all():
            if failed.job is None or (changed := change(failed.job)) == failed.job:
                continue
            if changed is None:
                amended += self.discard(failed.name)
            else:
                write_atomically(self._folder / failed.name, encode_failed(changed, failed))
                amended += 1
        return amended

    def discard_unreadable(self, matches: Callable[[bytes], bool]) -> int:
        """Remove files that are not valid jobs and whose content or reason matches. Return how many. Raises StorageError."""
        discarded = 0
        for failed in self.all():
            path = self._folder / failed.name
            if failed.job is None and not _is_folder(path):
                content = (bytes_of(path) or b"") + failed.error.encode()
                discarded += matches(content) and self.discard(failed.name)
        return discarded

    def sweep(self) -> None:
        """Remove reasons without a file, left by a process that was killed. Raises StorageError."""
        for reason in list(self._folder.glob("*" + REASON_SUFFIX)):
            if not os.path.lexists(reason.with_suffix("")):
                remove_durably(reason)

    def _all(self) -> list[tuple[FailedJob, bool]]:
        """Return all entries, oldest first, each with True if `cleanup` may remove it."""
        found = (self._look(name) for name in sorted(list_names(self._folder), key=order))
        return [one for one in found if one is not None]

    def _look(self, name: str) -> tuple[FailedJob, bool] | None:
        path = self._folder / name
        try:
            job, failed = read_any(path)
        except Gone:
            return None
        except Unreadable as unreadable:
            may_go = not unreadable.may_be_a_job and not _is_folder(path)
            return FailedJob(name, None, *self._reason(path, str(unreadable)), False), may_go
        if failed is None:
            return FailedJob(name, job, *self._reason(path, _INTERRUPTED), False), False
        return failed, failed.filed

    def _reason(self, path: Path, otherwise: str) -> tuple[str, float]:
        """Return error and time from the `.reason` of a file; without one, `otherwise` and the time in its name."""
        try:
            note = json.loads(_reason_path(path).read_bytes())
            return str(note["error"]), float(note["failed_at"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            logger.debug("%s cannot be used: %s", _reason_path(path), error)
        return otherwise, name_prefix(path.name) / 1000

    def _free_path(self, name: str) -> Path:
        """Return an unused path in this folder whose name, with the suffix of its reason, has at most 255 bytes."""
        stem = name.removesuffix(SUFFIX)
        suffix = SUFFIX if name.endswith(SUFFIX) else ""
        while len(stem.encode(errors="surrogateescape")) > 235:
            stem = stem[:-1]
        path, n = self._folder / (stem + suffix), 0
        while os.path.lexists(path):
            n += 1
            path = self._folder / f"{stem}~{n}{suffix}"
        return path


def _reason_path(path: Path) -> Path:
    return path.with_name(path.name + REASON_SUFFIX)


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False
