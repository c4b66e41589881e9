"""`failed/`: jobs that were given up, with the reason, and files that were no jobs."""

from __future__ import annotations

import json
import logging
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ....schema.errors import StorageError
from ....schema.job import Job
from ....schema.protocols import FailedJob
from ..durable import move_durably, remove_durably, storage_error, sync_folder, write_atomically
from .job_files import (
    REASON_SUFFIX,
    SUFFIX,
    Failure,
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


@dataclass(frozen=True, slots=True)
class _Found:
    """A failed job with its path and whether cleanup may remove it."""

    shown: FailedJob
    path: Path
    removable: bool


class FailedJobs:
    """The folder of what was given up. A job wrapped with its error; anything else as it was, with a `.reason` file.

    The caller sees to it that no two threads change it at once.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def take_in(self, path: Path, job: Job, failure: Failure) -> None:
        """Give up the claimed job at `path`. Raises StorageError; the job is where it was then.

        The file is first wrapped where it lies, then moved, so that it is in one folder at any moment.
        """
        write_atomically(path, encode_failed(job, failure))
        self.finish(path)

    def finish(self, path: Path) -> None:
        """Move a wrapped job here."""
        move_durably(path, self._folder / path.name)

    def quarantine(self, path: Path, reason: str, now: float) -> bool:
        """Put aside what is no job; False, with a line in the log, where even that fails."""
        target = self._free_path(path.name)
        logger.warning("put aside %s in %s: %s", path.name, self._folder, reason)
        note = json.dumps({"error": short_error(reason), "failed_at": now}, ensure_ascii=False)
        try:
            write_atomically(_reason_path(target), note.encode())
        except StorageError as error:  # the reason can be found again by reading the file
            logger.warning("its reason is not kept: %s", error)
        try:
            return move_durably(path, target)
        except StorageError as error:
            logger.error("it stays where it is and is left alone: %s", error)
            return False

    def all(self) -> list[FailedJob]:
        """What lies here, oldest first. Raises StorageError."""
        return [found.shown for found in self._all()]

    def restore(self, pending: Path, job_id: str | None) -> list[str]:
        """Move one job, or all that are readable, into `pending` with attempts reset; returns their ids.

        Raises StorageError.
        """
        restored: list[str] = []
        for found in self._all():
            job = found.shown.job
            if job is None or job_id not in (None, job.job_id):
                continue
            fresh = job.model_copy(update={"attempts": 0, "not_before": 0.0, "last_error": ""})
            write_atomically(found.path, encode_job(fresh))
            if move_durably(found.path, pending / found.path.name):
                restored.append(job.job_id)
            remove_durably(_reason_path(found.path))
        return restored

    def cleanup(self, now: float, *, max_age_seconds: float, max_files: int) -> int:
        """Remove what is too old or too much, oldest first, but only what is filed or never was a job.

        Jobs of a newer version, files that could not be opened, and folders stay. Raises StorageError.
        """
        everything = self._all()
        excess = len(everything) - max_files
        removed = 0
        for found in sorted(everything, key=lambda f: f.shown.failed_at):
            too_old = now - found.shown.failed_at > max_age_seconds
            if found.removable and (too_old or removed < excess):
                removed += remove_durably(found.path)
                remove_durably(_reason_path(found.path))
        return removed

    def discard(self, name: str) -> bool:
        """Remove one file. Raises StorageError."""
        remove_durably(_reason_path(self._folder / name))
        return remove_durably(self._folder / name)

    def amend(self, change: Callable[[Job], Job | None]) -> int:
        """Rewrite the jobs as `change` says, their failures kept (None: remove); returns how many. Raises StorageError."""
        amended = 0
        for found in self._all():
            shown, job = found.shown, found.shown.job
            changed = None if job is None else change(job)
            if job is None or changed == job:
                continue
            if changed is None:
                amended += self.discard(shown.name)
            else:
                write_atomically(found.path, encode_failed(changed, Failure(shown.error, shown.failed_at, shown.filed)))
                amended += 1
        return amended

    def discard_unreadable(self, matches: Callable[[bytes], bool]) -> int:
        """Remove files that are no jobs, if their content or the reason beside it matches; returns how many."""
        discarded = 0
        for found in self._all():
            if found.shown.job is None and not _is_folder(found.path):
                try:
                    content = found.path.read_bytes() + found.shown.error.encode()
                except OSError as error:
                    raise storage_error("read", found.path, error) from error
                if matches(content):
                    discarded += self.discard(found.shown.name)
        return discarded

    def sweep(self) -> None:
        """Remove reasons whose file never came (the process died in between). Raises StorageError."""
        if not self._folder.is_dir():
            return
        orphans = [p for p in self._folder.glob("*" + REASON_SUFFIX) if not os.path.lexists(str(p)[: -len(REASON_SUFFIX)])]
        for orphan in orphans:
            try:
                orphan.unlink(missing_ok=True)
            except OSError as error:
                raise storage_error("remove", orphan, error) from error
        if orphans:
            sync_folder(self._folder)

    def _all(self) -> list[_Found]:
        found = (self._look(name) for name in sorted(list_names(self._folder), key=order))
        return [one for one in found if one is not None]

    def _look(self, name: str) -> _Found | None:
        path = self._folder / name
        try:
            job, failure = read_any(path)
        except Gone:
            return None
        except Unreadable as unreadable:
            reason, failed_at = self._reason(path, str(unreadable))
            removable = not unreadable.may_be_a_job and not _is_folder(path)
            return _Found(FailedJob(name, None, reason, failed_at, False), path, removable)
        if failure is None:
            reason, failed_at = self._reason(path, _INTERRUPTED)
            return _Found(FailedJob(name, job, reason, failed_at, False), path, False)
        return _Found(FailedJob(name, job, failure.error, failure.failed_at, failure.filed), path, failure.filed)

    def _reason(self, path: Path, otherwise: str) -> tuple[str, float]:
        """Why a file was put aside and when, from its `.reason`, else from what reading it says and its name."""
        try:
            note = json.loads(_reason_path(path).read_bytes())
            return str(note["error"]), float(note["failed_at"])
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError) as error:
            logger.debug("no use in %s: %s", _reason_path(path), error)
        return otherwise, name_prefix(path.name) / 1000

    def _free_path(self, name: str) -> Path:
        """A path in this folder that is not taken, of at most 255 bytes with its reason beside it."""
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
