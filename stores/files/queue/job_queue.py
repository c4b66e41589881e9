"""The job queue as files: `queues/{pending,processing,failed}/{timestamp_ms}-{request_id}-{end_seq}.json`.

The file of a job is in one folder at any moment. `put` writes it into `pending`, `claim` renames it into `processing`,
`complete` removes it; `postpone` and `fail` rewrite it in place and then rename it. A process that is killed at any point
leaves every accepted job exactly once, and `recover` returns the jobs it had claimed.

The same request twice is one job. `put` knows the ids in the folders and those it has stored itself. If two processes put
the same id at the same time, the duplicate is detected before the second file is read, and one of the two is removed.
Jobs that were filed before this process started are not known here: the worker asks the event store
(`EventStore.is_filed`) before it runs a job.

One process claims (the one that holds the owner lock); any process may put, read and count. All state in memory can be
read again from the folders after a restart.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
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
    Gone,
    Unreadable,
    drop_oldest,
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
"""Most files that `claim` reads before it releases its lock for other calls."""
_READ_AHEAD = 64
"""Jobs kept in memory between being read and being claimed."""
_MAX_DONE = 10_000
"""Completed ids kept in memory, to detect a duplicate file that appears late."""


class FileJobQueue(JobQueue):
    """A `JobQueue` in a folder. `clock` returns seconds since the epoch and may jump. Thread-safe."""

    def __init__(self, folder: Path, *, clock: Callable[[], float]) -> None:
        self._pending = folder / "pending"
        self._processing = folder / "processing"
        failed = folder / "failed"
        self._clock = clock
        self._folders: dict[JobState, Path] = {"pending": self._pending, "processing": self._processing, "failed": failed}
        for place in self._folders.values():
            make_folder(place)
        self._intake = JobIntake(self._pending, (self._processing, failed), folder / "newest", clock)
        self._waiting = WaitingJobs(self._pending, self._processing, clock)
        self._failed = FailedJobs(failed)
        self._arrivals: deque[str] = deque()  # names of jobs put here; appended without the lock of `claim`

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
        """List the folders in advance of the first `put`. Raises StorageError."""
        self._intake.warm()

    def claim(self, now: float) -> Job | None:
        """See `JobQueue.claim`. Files that are not valid jobs are moved to `failed`. Raises StorageError for other errors."""
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
            time.sleep(0)  # lets a waiting thread take the lock

    def hasten(self, job_ids: Sequence[str] | None = None) -> None:
        with self._lock:
            self._ready.hasten(job_ids)

    def check_claim(self, job_id: str) -> None:
        """Claims are the owner's as long as it lives: nobody else gives them to others."""

    def together(self, job_id: str, limit: int) -> list[Job]:
        with self._lock:
            entry, job = self._of_claimed(job_id)
            waiting = [one.name for one in self._ready.talk(job.scope.key) if one.state == "waiting"]
        chosen = sorted([entry.name, *waiting[: limit - 1]], key=order)
        found: list[Job] = []
        for name in chosen:
            try:
                one = job if name == entry.name else read_job(self._pending / name)
            except (Gone, Unreadable):
                continue
            if name == entry.name or not one.attempts:
                found.append(one)
        return found

    def complete(self, job_id: str) -> None:
        with self._lock:
            entry, job = self._of_claimed(job_id)
            remove_durably(self._processing / entry.name)
            self._drop(entry)
            self._waiting.forget(entry.name, job.scope.key)
            self._done[job_id] = None
            drop_oldest(self._done, _MAX_DONE)

    def postpone(self, job_id: str, *, error: str, not_before: float) -> None:
        with self._lock:
            entry, job = self._of_claimed(job_id)
            path = self._processing / entry.name
            if not os.path.lexists(path):  # removed by hand: writing it would restore it
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
                self._failed.take_in(path, given_up, FailedJob(entry.name, given_up, shown, self._clock(), filed))
            self._drop(entry)
            self._waiting.forget(entry.name, job.scope.key)

    def take_over(self, now: float, *, older_than: float = 0.0) -> int:
        """See `JobQueue.take_over`. Also completes interrupted operations and removes temporary files of killed processes.

        `older_than`: only jobs claimed at least so many seconds ago (0: all), if another owner may still run.
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
        """See `JobQueue.counts`. Raises StorageError."""
        pending = list_names(self._pending)
        oldest = min(map(name_prefix, pending), default=0) / 1000
        return QueueCounts(
            pending=len(pending),
            processing=len(list_names(self._processing)),
            failed=len(list_names(self._folders["failed"])),
            oldest_pending_seconds=max(0.0, now - oldest) if oldest else 0.0,
        )

    def jobs(self, state: JobState, limit: int = 1000) -> list[Job]:
        """See `JobQueue.jobs`. Raises StorageError."""
        found = _readable(self._folders[state], sorted(list_names(self._folders[state]), key=order))
        return [job for _, job in islice(found, limit)]

    def known_ids(self) -> set[str]:
        """Return the ids in the names of the files; no file is read. Raises StorageError."""
        # In the order in which jobs move between folders, so that a job that moves meanwhile is seen at least once.
        return {name_job_id(name) for folder in self._folders.values() for name in list_names(folder)}

    def waiting(self, scope_key: str, limit: int = 20) -> list[Job]:
        """See `JobQueue.waiting`. Bounded work without the lock of `claim`: any process may call it on its reply path.

        Of the jobs put by other processes, the newest 500 files are considered. Raises StorageError.
        """
        return self._waiting.newest(scope_key, limit)

    def failed(self) -> list[FailedJob]:
        """Return the failed jobs, oldest first. Raises StorageError."""
        return self._failed.all()

    def retry_failed(self, job_id: str | None = None) -> int:
        with self._lock:
            restored = self._failed.restore(self._pending, job_id)
            for one in restored:
                self._done.pop(one, None)
            self._listing.forget()
            return len(restored)

    def amend(self, change: Callable[[Job], Job | None]) -> int:
        """See `JobQueue.amend`. For the owner. Files that are not valid jobs stay unchanged. Raises StorageError."""
        amended = 0
        for path, job in _readable(self._pending, list_names(self._pending)):
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
        """Move a ready job to `processing` and return it; None if the file is gone or not a valid job any more."""
        path = self._processing / entry.name
        try:
            if not move(self._pending / entry.name, path):
                self._drop(entry)
                return None
            os.utime(path, (now, now))  # the time of the claim, for `take_over(older_than=...)`
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
        """Read and enqueue the oldest unread file; False if all are read. Raises StorageError."""
        if not self._listing.was_made:  # jobs from before the start of this process come first
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
            logger.info("%s removed: duplicate of job %s", name, job.job_id)
            remove_durably(self._pending / name)
            self._seen.discard(name)
            return
        if other is not None:
            self._drop(other)
        is_talk = job.kind == "talk" and not job.attempts
        patient, scope = is_talk and job.not_before > 0, job.scope.key if is_talk else ""
        self._ready.add(name, job.job_id, job.entities, job.not_before, patient=patient, scope=scope)
        if len(self._read_ahead) < _READ_AHEAD:
            self._read_ahead[name] = job

    def _is_there(self, entry: Entry) -> bool:
        folder = self._processing if entry.state == "claimed" else self._pending
        return os.path.lexists(folder / entry.name)

    def _look_for_new(self, now: float) -> bool:
        """List `pending` if it may have changed. Return True if it has changed. Raises StorageError."""
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
            self._drop(entry)  # removed by another process: it must not block other jobs
        return self._queue_up(sorted(there - self._seen, key=order)) or bool(gone)

    def _queue_up(self, names: list[str]) -> bool:
        """Add sorted names to the unread ones. Return True if any was new."""
        new = [name for name in names if name not in self._seen]
        if not new:
            return False
        self._seen.update(new)
        self._unread.extend(new)
        if len(new) < len(self._unread) and order(self._unread[-len(new) - 1]) > order(new[0]):
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
        if failure is not None:  # the process was killed in `fail`
            self._failed.finish(path)
            return False
        target = self._pending / path.name
        try:
            if read_job(target).attempts > job.attempts:  # the folder is a copy made while it was in use
                return not remove_durably(path)
        except (Gone, Unreadable):
            pass
        return move(path, target)

    def _read_anew(self) -> None:
        """Drop all queued entries except the claimed ones, and read `pending` again from its oldest file."""
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
            raise InvalidInput(f"job_id: {job_id!r} is not claimed here; only jobs returned by claim() can be settled") from None

    def _give_back(self, entry: Entry, not_before: float) -> None:
        del self._claimed[entry.job_id]
        self._ready.put_back(entry, not_before)

    def _drop(self, entry: Entry) -> None:
        self._claimed.pop(entry.job_id, None)
        self._read_ahead.pop(entry.name, None)
        self._seen.discard(entry.name)
        self._ready.remove(entry)


def _readable(folder: Path, names: Iterable[str]) -> Iterator[tuple[Path, Job]]:
    """Yield the readable jobs of a folder. Others were moved meanwhile, or are quarantined by the next `claim`."""
    for name in names:
        with suppress(Gone, Unreadable):
            job, _ = read_any(folder / name)
            yield folder / name, job
