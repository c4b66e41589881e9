"""Copies of accepted jobs in `end_summaries.json`, so that switching memory off loses nothing of what still waits."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from ...schema.errors import StorageError
from ...schema.job import Job
from ...stores.files.end_summaries import EndSummaries

log = logging.getLogger(__name__)

PAUSE_SECONDS = 2.0
"""Jobs of so long a time are written together, since the whole file is: nobody who hands over a job waits for it."""


class PlainCopies:
    """Writes the texts of accepted jobs in the background. Safe to use from several threads and event loops.

    `is_forgotten(job)` is asked right before a job is written. A job whose copy fails is copied when it is filed.
    """

    def __init__(self, summaries: EndSummaries, is_forgotten: Callable[[Job], bool]) -> None:
        self._summaries = summaries
        self._is_forgotten = is_forgotten
        self._waiting: list[Job] = []
        self._timer: threading.Timer | None = None
        self._lock, self._writing = threading.Lock(), threading.Lock()

    def add(self, job: Job) -> None:
        """Note an accepted job. Returns at once. One that expires is not copied: nothing deletes it from a file in time."""
        if job.expires_at is not None:
            return
        with self._lock:
            self._waiting.append(job)
            if self._timer is None:
                self._timer = threading.Timer(PAUSE_SECONDS, self.settle)
                self._timer.daemon = True
                self._timer.start()

    def settle(self) -> None:
        """Write what waits, now. Blocking."""
        with self._writing:
            with self._lock:
                jobs, self._waiting = self._waiting, []
                timer, self._timer = self._timer, None
            if timer is not None:
                timer.cancel()
            if not jobs:
                return
            try:
                self._summaries.add([job for job in jobs if not self._is_forgotten(job)])
            except (StorageError, OSError) as error:
                log.warning("%d jobs wait on disk, but are not in end_summaries.json: %s", len(jobs), error)
