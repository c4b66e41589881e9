"""The queue of jobs as files: `queues/{pending,processing,failed}/{timestamp_ms}-{request_id}-{end_seq}.json`.

A job's file is in one folder at any moment. It is written into `pending` by `put`, renamed into `processing` by
`claim`, removed by `complete`; `postpone` and `fail` rewrite it where it lies and then rename it. So a process that is
killed at any line leaves every accepted job exactly once, and `recover` gives back what it had claimed.

The same request twice is one job. `put` knows the ids in the folders and those it has stored itself; two files of one
id that two processes put at the same time are found when the second is about to be read, and one of them is removed.
What nobody here can know, an id that was filed before this process began, is for the worker to ask the event store
(`EventStore.is_filed`) before it runs a job.

One process claims (it holds the owner lock); any may put, look and count. Nothing is kept in memory that a restart
could not read again from the folders.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from ....schema.errors import InvalidInput, StorageError
from ....schema.job import Job
from ....schema.protocols import FailedJob, JobQueue, JobState, QueueCounts
from ..durable import (
    make_folder,
    move,
    move_durably,
    remove_durably,
    storage_error,
    sweep_leftovers,
    sync_folder,
    write_atomically,
)
from .failed import FailedJobs
from .folder_listing import FolderListing
from .intake import JobIntake
from .job_files import (
    Failure,
    Gone,
    Unreadable,
    encode_job,
    list_names,
    name_job_id,
    name_prefix,
    order,
    read_any,
    read_job,
    short_error,
)
from .ready import Entry, ReadyJobs
from .waiting import WaitingJobs

logger = logging.getLogger(__name__)

_BATCH = 256
"""Files read at most before `claim` lets other calls through."""
_READ_AHEAD = 64
"""Jobs kept in memory between being read and being claimed."""
_MAX_DONE = 10_000
"""Completed ids that are remembered against a late second file."""


class FileJobQueue(JobQueue):
    """A `JobQueue` in a folder. `clock` gives seconds since the epoch; it may jump. Safe to call from several threads."""

    def __init__(self, folder: Path, *, clock: Callable[[], float]) -> None:
        self._pending = folder / "pending"
        self._processing = folder / "processing"
        failed = folder / "failed"
        self._clock = clock
        for place in (self._pending, self._processing, failed):
            make_folder(place)
        self._folders: dict[JobState, Path] = {
            "pending": self._pending,
            "processing": self._processing,
            "failed": failed,
        }
        self._intake = JobIntake(self._pending, (self._processing, failed), folder / "newest", clock)
        self._waiting = WaitingJobs(self._pending, self._processing, clock)
        self._failed = FailedJobs(failed)
        self._arrivals: deque[str] = deque()  # names of own puts; appended without the lock that claims hold

        self._lock = threading.RLock()
        self._ready = ReadyJobs()
        self._listing = FolderListing(self._pending)
        self._unread: deque[str] = deque()
        self._seen: set[str] = set()
        self._read_ahead: dict[str, Job] = {}
        self._claimed: dict[str, tuple[Entry, Job]] = {}
        self._done: dict[str, None] = {}

    def put(self, job: Job) -> str:
        name = self._intake.put(job)
        if name is not None:
            self._waiting.note(name, job.scope.key)
            self._arrivals.append(name)
        return job.job_id

    def warm(self) -> None:
        """List the folders now, so that the first `put` does not have to. Raises StorageError."""
        self._intake.warm()

    def claim(self, now: float) -> Job | None:
        """As the protocol says. Files that are no jobs go to `failed` on the way; raises StorageError for the rest."""
        while True:
            with self._lock:
                for _ in range(_BATCH):
                    entry = self._ready.take(now)
                    if entry is not None:
                        job = self._start(entry, now)
                        if job is not None:
                            return job
                    elif not self._read_next(now) and not self._look_for_new(now):
                        return None
            time.sleep(0)  # a waiting thread gets the lock, which it else might not for long

    def complete(self, job_id: str) -> None:
        with self._lock:
            entry, _ = self._of_claimed(job_id)
            remove_durably(self._processing / entry.name)
            self._drop(entry)
            self._done[job_id] = None
            if len(self._done) > _MAX_DONE:
                del self._done[next(iter(self._done))]

    def postpone(self, job_id: str, *, error: str, not_before: float) -> None:
        with self._lock:
            entry, job = self._of_claimed(job_id)
            path = self._processing / entry.name
            if not os.path.lexists(path):  # removed by hand: writing it would bring it back
                self._drop(entry)
                return
            changes = {"attempts": job.attempts + 1, "not_before": not_before, "last_error": short_error(error)}
            write_atomically(path, encode_job(job.model_copy(update=changes)))
            move_durably(path, self._pending / entry.name)
            self._give_back(entry, not_before)

    def release(self, job_id: str) -> None:
        with self._lock:
            entry, _ = self._of_claimed(job_id)
            if move(self._processing / entry.name, self._pending / entry.name):
                self._give_back(entry, entry.not_before)
            else:
                self._drop(entry)

    def fail(self, job_id: str, *, error: str, filed: bool) -> None:
        with self._lock:
            entry, job = self._of_claimed(job_id)
            path = self._processing / entry.name
            if os.path.lexists(path):
                shown = short_error(error)
                given_up = job.model_copy(update={"attempts": job.attempts + 1, "last_error": shown})
                self._failed.take_in(path, given_up, Failure(shown, self._clock(), filed))
            self._drop(entry)

    def recover(self, now: float, *, older_than: float = 0.0) -> int:
        """As the protocol says; also finishes what a killed process had begun and removes its temporary files.

        `older_than`: only what was claimed at least so many seconds ago (0: everything), for an owner that may live.
        """
        with self._lock:
            for folder in self._folders.values():
                sweep_leftovers(folder)
            self._failed.sweep()
            claimed = {entry.name for entry, _ in self._claimed.values()}
            names = sorted(set(list_names(self._processing)) - claimed, key=order)
            recovered = sum(self._recover_one(self._processing / name, now, older_than) for name in names)
            sync_folder(self._pending)
            sync_folder(self._processing)
            self._read_anew()
            return recovered

    def counts(self, now: float) -> QueueCounts:
        """Raises StorageError."""
        pending = list_names(self._pending)
        oldest = min(map(name_prefix, pending), default=0) / 1000
        return QueueCounts(
            pending=len(pending),
            processing=len(list_names(self._processing)),
            failed=len(list_names(self._folders["failed"])),
            oldest_pending_seconds=max(0.0, now - oldest) if oldest else 0.0,
        )

    def jobs(self, state: JobState, limit: int = 1000) -> list[Job]:
        """Raises StorageError."""
        folder = self._folders[state]
        found: list[Job] = []
        for name in sorted(list_names(folder), key=order):
            if len(found) >= limit:
                break
            try:
                found.append(read_any(folder / name)[0])
            except (Gone, Unreadable):  # taken meanwhile, or put aside by the next claim
                continue
        return found

    def known_ids(self) -> set[str]:
        """By the names of the files: nothing is read. Raises StorageError."""
        # In the order in which jobs move on, so that one that moves meanwhile is seen at least once.
        return {name_job_id(name) for folder in self._folders.values() for name in list_names(folder)}

    def waiting(self, scope_key: str, limit: int = 20) -> list[Job]:
        """Bounded work, no lock that claims hold, and no memory of the owner's: any process may call it on its
        reply path. Of what other processes put in, the newest 500 files are looked at. Raises StorageError."""
        return self._waiting.newest(scope_key, limit)

    def failed(self) -> list[FailedJob]:
        """Oldest first. Raises StorageError."""
        return self._failed.all()

    def retry_failed(self, job_id: str | None = None) -> int:
        with self._lock:
            restored = self._failed.restore(self._pending, job_id)
            for one in restored:
                self._done.pop(one, None)
            self._listing.forget()
            return len(restored)

    def amend(self, change: Callable[[Job], Job | None]) -> int:
        """For the owner. Files that are no jobs are not shown to `change` and stay. Raises StorageError."""
        amended = 0
        for name in list_names(self._pending):
            path = self._pending / name
            try:
                job = read_job(path)
            except (Gone, Unreadable):
                continue
            changed = change(job)
            if changed == job:
                continue
            with self._lock:
                if changed is None:
                    amended += remove_durably(path)
                elif os.path.lexists(path):
                    write_atomically(path, encode_job(changed))
                    amended += 1
        with self._lock:
            amended += self._failed.amend(change)
            if amended:
                self._read_anew()
        return amended

    def discard_unreadable(self, matches: Callable[[bytes], bool]) -> int:
        with self._lock:
            return self._failed.discard_unreadable(matches)

    def cleanup(self, now: float, *, max_age_days: float, max_files: int) -> int:
        with self._lock:
            return self._failed.cleanup(now, max_age_seconds=max_age_days * 86_400, max_files=max_files)

    def _start(self, entry: Entry, now: float) -> Job | None:
        """Move a job that is ready into `processing`; None where it is gone, or no job any more."""
        path = self._processing / entry.name
        try:
            if not move(self._pending / entry.name, path):
                self._drop(entry)
                return None
            os.utime(path, (now, now))  # `recover(older_than=...)` reads there since when it is claimed
            job = self._read_ahead.pop(entry.name, None) or read_job(path)
        except (Gone, Unreadable) as error:
            if isinstance(error, Unreadable):
                self._failed.quarantine(path, str(error), now)
            self._drop(entry)
            return None
        except (OSError, StorageError) as error:
            self._ready.put_back(entry, entry.not_before)
            move(path, self._pending / entry.name)
            if isinstance(error, StorageError):
                raise
            raise storage_error("claim", path, error) from error
        self._claimed[entry.job_id] = (entry, job)
        return job

    def _read_next(self, now: float) -> bool:
        """Put the oldest file that was not read yet in line; False where all were. Raises StorageError."""
        if not self._listing.was_made:  # what lay there before this process began comes before its own puts
            self._look_for_new(now)
        while self._arrivals:
            self._queue_up([self._arrivals.popleft()])
        if not self._unread:
            return False
        name = self._unread[0]
        path = self._pending / name
        try:
            job = read_job(path)
        except Gone:
            self._seen.discard(name)
        except Unreadable as error:
            if self._failed.quarantine(path, str(error), now):
                self._seen.discard(name)
        else:
            self._line_up(name, job)
        self._unread.popleft()
        return True

    def _line_up(self, name: str, job: Job) -> None:
        other = self._ready.get(job.job_id)
        if job.job_id in self._done or (other is not None and self._is_there(other)):
            logger.info("%s is job %s a second time: removed", name, job.job_id)
            remove_durably(self._pending / name)
            self._seen.discard(name)
            return
        if other is not None:
            self._drop(other)
        self._ready.add(name, job.job_id, job.entities, job.not_before)
        if len(self._read_ahead) < _READ_AHEAD:
            self._read_ahead[name] = job

    def _is_there(self, entry: Entry) -> bool:
        folder = self._processing if entry.state == "claimed" else self._pending
        return os.path.lexists(folder / entry.name)

    def _look_for_new(self, now: float) -> bool:
        """List `pending` if it may have changed; whether it had. Raises StorageError."""
        names = self._listing.if_changed(now)
        if names is None:
            return False
        there = set(names)
        absent = [entry for entry in self._ready.entries() if entry.state == "waiting" and entry.name not in there]
        gone = [entry for entry in absent if not self._is_there(entry)]
        if len(gone) > _BATCH:
            self._read_anew()
            return True
        for entry in gone:
            self._drop(entry)  # removed by another process: it holds nobody back any more
        return self._queue_up(sorted(there - self._seen, key=order)) or bool(gone)

    def _queue_up(self, names: list[str]) -> bool:
        """Add names, sorted, to those to be read; whether any was new."""
        new = [name for name in names if name not in self._seen]
        if not new:
            return False
        self._seen.update(new)
        in_order = not self._unread or order(self._unread[-1]) < order(new[0])
        self._unread.extend(new)
        if not in_order:
            self._unread = deque(sorted(self._unread, key=order))
        return True

    def _recover_one(self, path: Path, now: float, older_than: float) -> bool:
        try:
            if older_than > 0 and abs(now - path.lstat().st_mtime) < older_than:
                return False
            job, failure = read_any(path)
        except (Gone, FileNotFoundError):
            return False
        except OSError as error:
            raise storage_error("read", path, error) from error
        except Unreadable as error:
            self._failed.quarantine(path, str(error), now)
            return False
        if failure is not None:  # killed in the middle of fail()
            self._failed.finish(path)
            return False
        target = self._pending / path.name
        try:
            if read_job(target).attempts > job.attempts:  # a copy of the folder, taken while it was in use
                return not remove_durably(path)
        except (Gone, Unreadable):
            pass
        return move(path, target)

    def _read_anew(self) -> None:
        """Forget the lines, but for what runs, and read `pending` again from its oldest file."""
        self._ready = ReadyJobs()
        for entry, job in self._claimed.values():
            again = self._ready.add(entry.name, entry.job_id, job.entities, entry.not_before)
            again.state = "claimed"
            self._claimed[entry.job_id] = (again, job)
        self._seen = {entry.name for entry, _ in self._claimed.values()}
        self._unread.clear()
        self._read_ahead.clear()
        self._listing.forget()

    def _of_claimed(self, job_id: str) -> tuple[Entry, Job]:
        try:
            return self._claimed[job_id]
        except KeyError:
            raise InvalidInput(f"job_id: {job_id!r} is not claimed here; only what claim() returned can be settled") from None

    def _give_back(self, entry: Entry, not_before: float) -> None:
        del self._claimed[entry.job_id]
        self._ready.put_back(entry, not_before)

    def _drop(self, entry: Entry) -> None:
        self._claimed.pop(entry.job_id, None)
        self._read_ahead.pop(entry.name, None)
        self._seen.discard(entry.name)
        self._ready.remove(entry)
