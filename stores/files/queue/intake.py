"""Accepting jobs into the queue: the foreground side, which waits for the disk only.

Its lock is held while a name is chosen, never during disk writes. The background does not use it.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

from ....schema.errors import StorageError
from ....schema.job import Job
from ..access import create_file
from ..durable import storage_error, sync_file, write_atomically
from .job_files import drop_oldest, encode_new, file_name, list_names, name_job_id, name_prefix, order

logger = logging.getLogger(__name__)

MAX_KNOWN = 20_000
"""Job ids kept in memory, newest last (about 5 MB). An older one that comes again is put in line, and the ledger knows it."""

_LOOKS = 3
"""How often the folders are searched for a file that may be moving between them."""


class JobIntake:
    """Writes jobs into `pending`, each id once, under increasing names.

    Known ids come from one listing of all folders, made with the first job, and from the jobs put through this object. A
    listed file may be that of a process that was killed before it flushed the folder, or that is about to take the job back:
    it is flushed here before the same id is accepted again, and a file that is gone is written anew.
    `newest_file` holds the highest prefix used by any process. It is read and overwritten with each job, without lock or
    flush: it must be correct only while the machine runs; after a restart the listing gives the highest prefix.
    """

    def __init__(self, pending: Path, others: tuple[Path, ...], newest_file: Path, clock: Callable[[], float]) -> None:
        self._pending = pending
        self._others = others
        self._newest_file = newest_file
        self._clock = clock
        self._turn = threading.Condition()
        self._known: dict[str, str | None] | None = None  # the name of a listed file; None once it is known to be on the disk
        self._writing: set[str] = set()
        self._newest = 0

    def put(self, job: Job) -> str | None:
        """Store a job durably and return the name of its file, or None if its id is known already.

        Raises InvalidInput (too large, or not encodable as UTF-8) and StorageError; nothing is stored then.
        """
        data = encode_new(job)
        with self._turn:
            known = self._fill_known()
            while job.job_id in self._writing:
                self._turn.wait()
            listed = known.get(job.job_id)
            if listed is None and job.job_id in known:
                return None
            self._writing.add(job.job_id)
        stored = False
        try:
            name = None
            if listed is None or not self._is_on_disk(listed):
                name = self._write(job.job_id, data)
            stored = True
        finally:
            with self._turn:
                self._writing.discard(job.job_id)
                if stored:
                    known[job.job_id] = None
                    drop_oldest(known, MAX_KNOWN)
                self._turn.notify_all()
        return name

    def warm(self) -> None:
        """List the folders in advance of the first `put`. Raises StorageError."""
        with self._turn:
            self._fill_known()

    def _is_on_disk(self, name: str) -> bool:
        """Flush a listed file where it is now. Return False if it is in no folder. Raises StorageError."""
        folders = (self._pending, *self._others)
        return any(sync_file(folder / name) for _ in range(_LOOKS) for folder in folders)

    def _write(self, job_id: str, data: bytes) -> str:
        with self._turn:
            name = file_name(self._next_prefix(), job_id)
        path = self._pending / name
        try:
            write_atomically(path, data)
        except StorageError:
            # If only the flush of the folder failed, the file exists; an error must mean that the job was not accepted.
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                logger.warning("%s; a rejected job may still run", storage_error("remove", path, error))
            raise
        return name

    def _fill_known(self) -> dict[str, str | None]:
        if self._known is None:
            # In the order in which jobs move between folders, so that a job that moves meanwhile is seen at least once.
            names = [name for folder in (self._pending, *self._others) for name in list_names(folder)]
            names.sort(key=order)
            self._newest = max(self._newest, name_prefix(names[-1]) if names else 0)
            self._known = {name_job_id(name): name for name in names[-MAX_KNOWN:]}
        return self._known

    def _next_prefix(self) -> int:
        now = max(0, int(self._clock() * 1000))
        self._newest = max(now, self._newest + 1, self._swap_newest_of_all(now) + 1)
        return self._newest

    def _swap_newest_of_all(self, now: int) -> int:
        """Return the highest prefix used by any process (0 if unknown) and store the one about to be used."""
        try:
            descriptor = create_file(self._newest_file, os.O_RDWR)
            try:
                text = os.read(descriptor, 32)
                found = int(text) if text.isdigit() else 0
                os.lseek(descriptor, 0, os.SEEK_SET)
                os.write(descriptor, b"%020d" % max(now, self._newest + 1, found + 1))
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            return 0  # the folder is created by the first `put`
        except OSError as error:
            logger.debug("jobs of several processes are ordered by the clock alone: %s", error)
            return 0
        return found
