"""Accepted jobs that are not filed yet, by scope, for the reply path of any process.

Jobs of this process are known by name; jobs of other processes are found by listing the folders (see `FolderListing`).
The number of files read per call is bounded: the jobs returned, and at most 200 whose scope is not known yet.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from heapq import nlargest
from pathlib import Path

from ....schema.job import Job
from .folder_listing import FolderListing
from .job_files import Gone, Unreadable, drop_oldest, order, read_job

NEWEST = 500
"""How many of the newest files of other processes are considered."""
_READS = 200
_OWN_PER_SCOPE = 50
_SCOPES = 5_000
_KNOWN_NAMES = 20_000


class WaitingJobs:
    """Reads `pending` and `processing`; keeps names and scopes in memory, no jobs. Thread-safe."""

    def __init__(self, pending: Path, processing: Path, clock: Callable[[], float]) -> None:
        self._pending = pending
        self._processing = processing
        self._clock = clock
        self._listing = FolderListing(pending, processing)
        self._newest: list[str] = []
        self._lock = threading.Lock()
        self._own: dict[str, list[str]] = {}
        self._scope_of: dict[str, str] = {}

    def note(self, name: str, scope_key: str) -> None:
        """Remember a job that this process has queued."""
        with self._lock:
            names = self._own.pop(scope_key, [])
            self._own[scope_key] = [*names[1 - _OWN_PER_SCOPE :], name]
            drop_oldest(self._own, _SCOPES)
        self._remember_scope(name, scope_key)

    def forget(self, name: str, scope_key: str) -> None:
        """Forget a job that waits no longer."""
        with self._lock:
            self._scope_of.pop(name, None)
            names = [other for other in self._own.pop(scope_key, ()) if other != name]
            if names:
                self._own[scope_key] = names

    def newest(self, scope_key: str, limit: int) -> list[Job]:
        """Return jobs of a scope, newest first. Raises StorageError."""
        names = self._listing.if_changed(self._clock())
        if names is not None:
            self._newest = nlargest(NEWEST, set(names), key=order)
        with self._lock:
            own = self._own.get(scope_key, [])
        found: list[Job] = []
        ids: set[str] = set()
        reads = 0
        for name in sorted({*own, *self._newest}, key=order, reverse=True):
            if len(found) >= limit:
                break
            scope = self._scope_of.get(name)
            if (scope is not None and scope != scope_key) or (scope is None and reads >= _READS):
                continue
            reads += scope is None
            job = self._read(name)
            if job is None:
                self.forget(name, scope_key)
                continue
            self._remember_scope(name, job.scope.key)
            if job.scope.key == scope_key and job.job_id not in ids:
                ids.add(job.job_id)
                found.append(job)
        return found

    def _read(self, name: str) -> Job | None:
        """Return the job from the folder that holds it now; None if it is filed or not a valid job."""
        for folder in (self._pending, self._processing, self._pending):  # it may be returned to `pending` meanwhile
            try:
                return read_job(folder / name)
            except Gone:
                continue
            except Unreadable:  # `claim` quarantines it
                return None
        return None

    def _remember_scope(self, name: str, scope_key: str) -> None:
        with self._lock:
            self._scope_of[name] = scope_key
            drop_oldest(self._scope_of, _KNOWN_NAMES)
