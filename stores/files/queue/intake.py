"""How a job gets into the queue: the foreground's side, which waits for the disk and for nothing else.

Its lock is held only to choose a name and never while the disk works; the background does not know it.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

from ....schema.errors import InvalidInput, StorageError
from ....schema.job import MAX_JOB_BYTES, Job
from ..durable import storage_error, write_atomically
from .job_files import ROOM, encode_job, file_name, list_names, name_job_id, name_prefix, order

logger = logging.getLogger(__name__)

MAX_KNOWN = 100_000
"""How many job ids are remembered, newest last (about 15 MB)."""


class JobIntake:
    """Writes jobs into `pending`, each id once, under names that only ever grow.

    Ids are remembered from one listing of all folders, made when the first job comes, and from this object's own
    puts. `newest_file` holds the highest prefix any process has used: it is read and overwritten at each put without a
    lock or a flush, since it only has to be right as long as the machine runs; after that the listing tells.
    """

    def __init__(self, pending: Path, others: tuple[Path, ...], newest_file: Path, clock: Callable[[], float]) -> None:
        self._pending = pending
        self._others = others
        self._newest_file = newest_file
        self._clock = clock
        self._turn = threading.Condition()
        self._known: dict[str, None] | None = None
        self._writing: set[str] = set()
        self._newest = 0

    def put(self, job: Job) -> str | None:
        """Store a job durably and return its file's name; None where its id is known already.

        Raises InvalidInput (too large, or not to be written as UTF-8) and StorageError; nothing is stored then.
        """
        data = encode_job(job)
        if len(data) > MAX_JOB_BYTES - ROOM:
            raise InvalidInput(
                f"job {job.job_id}: {len(data)} bytes, at most {MAX_JOB_BYTES - ROOM} are allowed; "
                "shorten its texts or its recent_messages"
            )
        with self._turn:
            known = self._fill_known()
            while job.job_id in self._writing:
                self._turn.wait()
            if job.job_id in known:
                return None
            self._writing.add(job.job_id)
            name = file_name(self._next_prefix(), job.job_id)
        stored = False
        try:
            self._write(name, data)
            stored = True
        finally:
            with self._turn:
                self._writing.discard(job.job_id)
                if stored:
                    _remember(known, job.job_id)
                self._turn.notify_all()
        return name

    def warm(self) -> None:
        """List the folders now, so that the first put does not have to. Raises StorageError."""
        with self._turn:
            self._fill_known()

    def _write(self, name: str, data: bytes) -> None:
        path = self._pending / name
        try:
            write_atomically(path, data)
        except StorageError:
            # Where only the flush of the folder failed the file is there: an error must mean "not accepted".
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                logger.warning("%s; a job that was refused may run all the same", storage_error("remove", path, error))
            raise

    def _fill_known(self) -> dict[str, None]:
        if self._known is None:
            # In the order in which jobs move on, so that one that moves meanwhile is seen at least once.
            names = [name for folder in (self._pending, *self._others) for name in list_names(folder)]
            names.sort(key=order)
            self._newest = max(self._newest, name_prefix(names[-1]) if names else 0)
            self._known = dict.fromkeys(name_job_id(name) for name in names[-MAX_KNOWN:])
        return self._known

    def _next_prefix(self) -> int:
        now = max(0, int(self._clock() * 1000))
        self._newest = max(now, self._newest + 1, self._swap_newest_of_all(now) + 1)
        return self._newest

    def _swap_newest_of_all(self, now: int) -> int:
        """The highest prefix that any process has used, which becomes the one about to be used; 0 where unknown."""
        try:
            descriptor = os.open(self._newest_file, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
            try:
                text = os.read(descriptor, 32)
                found = int(text) if text.isdigit() else 0
                os.lseek(descriptor, 0, os.SEEK_SET)
                os.write(descriptor, b"%020d" % max(now, self._newest + 1, found + 1))
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            return 0  # the first put makes the folder
        except OSError as error:
            logger.debug("order among processes is by the clock alone: %s", error)
            return 0
        return found


def _remember(known: dict[str, None], job_id: str) -> None:
    known[job_id] = None
    if len(known) > MAX_KNOWN:
        del known[next(iter(known))]
