"""One SQLite file that several threads and several processes read and write.

The file is in WAL mode: readers never wait for the writer and see the last commit. `synchronous` is
FULL: a commit is on the disk when it returns. A job leaves the queue after its events are
committed, so a power failure must not undo the commit (NORMAL would allow that). The cost is one
`fsync` per transaction.

If the file is moved, deleted or replaced while it is open, this process continues to write to the
old file, and the new data is lost. Therefore device and inode of the file, of its write-ahead log
(`-wal`) and of the index of the log (`-shm`) are compared before each transaction and after its
commit (about five microseconds each).

Writes use one connection under a lock and begin with BEGIN IMMEDIATE, so that two processes wait
for each other instead of failing in the middle of a transaction. Reads take a connection from a
pool, the most recently used first, because its page cache is warm. Connections are not bound to
threads, so the short-lived threads of `asyncio.to_thread` leave no connections behind.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ...schema.errors import HistorianError, StorageError
from ...schema.protocols import Matrix, Vector
from ..backend import Place
from ..files.access import create_empty, make_private_folders
from ..tables.engine import Database, checked_vector, lone_surrogate
from .errors import explained, is_trouble, was_broken_off
from .open_files import NOT_IN_PLACE, OpenFiles, check_openable, remove_leftover_logs
from .transaction import BUSY_SECONDS, SqliteTransaction, connect, migrate, prepare_writer

_WRITER_CACHE_KIB = 8_000
_READER_CACHE_KIB = 2_000
"""Limits of the page cache of SQLite per connection.

Pages that are not in it come from the file cache of the system.
"""
_STEPS_BETWEEN_LOOKS = 1_000
"""Instructions of SQLite's virtual machine between two calls of `stop`, a few milliseconds."""
_TRIES, _PAUSE_SECONDS = 20, 0.1
"""How often emptying the log is tried while a reader is active, and the wait per attempt."""
_IDLE_READERS = 4
"""Maximum number of idle read connections that stay open. Under load there may be one per reader.
"""


class SqliteDatabase(Database):
    """The connections to one file. Opening it applies the migrations.

    `migrations` is an append-only list of SQL scripts; `PRAGMA user_version` counts those applied
    to the file.

    `reading` and `writing` raise every SQLite error as StorageError with the file name and a
    remedy.
    """

    def __init__(self, path: Path, migrations: Sequence[str]) -> None:
        self.path, self.name = path, str(path)
        self._process = os.getpid()
        self._write_lock = threading.Lock()
        self._count_lock = threading.Lock()
        self._writers = 0
        self._pool_lock = threading.Lock()
        self._idle: list[SqliteTransaction] = []
        self.when_in_trouble: Callable[[], None] = lambda: None
        """Called in any thread on errors that suggest that the file cannot be used now
        (`is_trouble`).

        Must not block.
        """
        try:
            make_private_folders(path.parent)
            remove_leftover_logs(path)
            check_openable(path)
            create_empty(path)  # SQLite creates log and index with the same mode
            self._writer = connect(path, _WRITER_CACHE_KIB)
            try:
                prepare_writer(self._writer)
                migrate(self._writer, path, migrations)
                self._files = OpenFiles(path)
            except (sqlite3.Error, StorageError):
                self._writer.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise explained(error, path) from error

    @property
    def identity(self) -> str:
        """Device and inode of the open file."""
        return self._files.identity

    @property
    def place(self) -> Place:
        """The state of the open file and its log. Blocks for microseconds."""
        return self._files.place

    @property
    def closed(self) -> bool:
        return self._closed

    def check_in_place(self) -> None:
        """Raise StorageError if the file or its log was moved, deleted or replaced.

        A commit would then be lost.
        """
        place = self.place
        if place == "here":
            return
        if self._write_lock.acquire(blocking=False):
            try:
                self._save_log(place)
            finally:
                self._write_lock.release()
        self.when_in_trouble()
        raise StorageError(f"{self.path}: {NOT_IN_PLACE[place]}")

    @contextmanager
    def reading(self, *, once: bool = False) -> Iterator[SqliteTransaction]:
        """Yield a connection in a read transaction, in which all statements see the same state.

        With `once` there is no transaction: for a single statement whose rows are fetched
        immediately.
        """
        self._check_usable()
        self.check_in_place()
        with self._pool_lock:
            connection = self._idle.pop() if self._idle else None
        try:
            if connection is None:
                connection = connect(self.path, _READER_CACHE_KIB)
                connection.execute("PRAGMA query_only = ON")
            if not once:
                connection.execute("BEGIN")
            yield connection
            if not once:
                connection.execute("COMMIT")
        except BaseException as error:
            if connection is not None:
                # A connection is not used again after an error.
                connection.close()
            if translated := self._translate(error):
                raise translated from error
            raise
        self._give_back(connection)

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[SqliteTransaction]:
        """Yield the writer in a transaction.

        It is committed at the end of the block, or rolled back if the block raises.

        With `durable=False` the commit does not wait for the disk (0.02 ms instead of 2 to 4). A
        power failure, but not a crash of the process, may undo it until the next durable commit or
        checkpoint: for data that can be recreated.

        Raises StorageError if the file is no longer in its place. If this is found after the
        commit, the commit is lost with the file.
        """
        self._check_usable()
        self.check_in_place()
        with self._writing_alone():
            self._check_usable()
            try:
                self._writer.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._writer.execute("BEGIN IMMEDIATE")
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException as error:
                if self._writer.in_transaction:
                    # SQLite may have rolled back already (full disk); the first error is raised.
                    with suppress(sqlite3.Error):
                        self._writer.execute("ROLLBACK")
                if translated := self._translate(error):
                    raise translated from error
                raise
        self.check_in_place()

    @contextmanager
    def _writing_alone(self) -> Iterator[None]:
        with self._count_lock:
            self._writers += 1
        try:
            self._write_lock.acquire()
        finally:
            with self._count_lock:
                self._writers -= 1
        try:
            yield
        finally:
            self._write_lock.release()

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of one SELECT."""
        with self.reading(once=True) as connection:
            return connection.rows(statement, parameters)

    def stored(self, vector: Vector) -> bytes:
        """Return `vector` as little-endian float32. Raises InvalidInput like `checked_vector`."""
        return checked_vector(vector).astype("<f4", copy=False).tobytes()

    def vector(self, value: bytes) -> Vector:
        return np.frombuffer(value, dtype="<f4").astype(np.float32, copy=False)

    def matrix(self, values: Sequence[bytes]) -> Matrix:
        return (
            self.vector(b"".join(values)).reshape(len(values), -1)
            if values
            else np.empty((0, 0), dtype=np.float32)
        )

    def truncate_log(self) -> bool:
        """Move the write-ahead log into the file and empty it, so that it holds no deleted text.

        Return False if a reader prevents that for seconds; the next checkpoint then empties the
        log.
        """
        for attempt in range(_TRIES):
            time.sleep(_PAUSE_SECONDS if attempt else 0)
            with self._outside_transactions() as writer:  # others can write between two attempts
                writer.execute(f"PRAGMA busy_timeout = {_PAUSE_SECONDS * 1000:.0f}")
                try:
                    busy, _, _ = writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                finally:
                    writer.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")
            if not busy:
                return True
        return False

    def vacuum(self, stop: Callable[[], bool] = bool) -> bool:
        """Rewrite the whole file, so that no page holds deleted text.

        Return False, with the file unchanged, if `stop` returned True. Temporarily needs free space
        for a second copy. `stop` is called every few milliseconds while pages are copied.
        """
        with self._outside_transactions() as writer:
            writer.set_progress_handler(stop, _STEPS_BETWEEN_LOOKS)
            try:
                writer.execute("VACUUM")
            except sqlite3.Error as error:
                if not was_broken_off(error):
                    raise
                return False
            finally:
                writer.set_progress_handler(None, 0)
        return True

    def release_memory(self) -> None:
        """Free the page caches of the writer and of idle readers, but not of readers in use.

        Raises StorageError.
        """
        self._close_idle()
        with self._outside_transactions() as writer:
            writer.execute("PRAGMA shrink_memory")

    def _close_idle(self) -> None:
        with self._pool_lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @property
    def writers_wait(self) -> bool:
        """True while a thread of this process waits to write."""
        return self._writers > 0

    @contextmanager
    def _outside_transactions(self) -> Iterator[SqliteTransaction]:
        """Yield the writer for a statement that SQLite allows only outside of transactions."""
        self._check_usable()
        self.check_in_place()
        with self._write_lock:
            self._check_usable()
            try:
                yield self._writer
            except sqlite3.Error as error:
                raise explained(error, self.path) from error

    def close(self) -> None:
        """Wait for the current write transaction, then close. A second call does nothing."""
        if os.getpid() != self._process:
            return
        with self._write_lock:
            if self._closed:
                return
            place: Place = "unlogged"
            with suppress(StorageError):  # the folder can no longer be read
                place = self.place
                if place != "here":
                    self._save_log(place)
                if place in ("gone", "replaced"):
                    self._files.remove_logs()
            self._closed = True
            self._close_idle()
            if place == "unlogged":
                # When the last connection closes, SQLite deletes the logs by name, and they may
                # belong to another process. So this connection stays open until the process ends.
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._writer))
                self._files.keep()
            else:
                self._files.release()
                self._writer.close()

    def _save_log(self, place: Place) -> None:
        """Move the open log into the open database file, unless it no longer belongs to the file.

        The log stays at the old path when the file is moved. Without this call the moved file would
        lack the content of its log, and the log would damage a backup that is put in the old place.
        """
        if not self._closed and (place != "unlogged" or self._files.log_still_belongs):
            with suppress(sqlite3.Error):
                self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _give_back(self, connection: SqliteTransaction) -> None:
        with self._pool_lock:
            if not self._closed and len(self._idle) < _IDLE_READERS:
                self._idle.append(connection)
                return
        connection.close()

    def _translate(self, error: BaseException) -> HistorianError | None:
        """Return the error to raise in place of an SQLite error; None for other errors."""
        if isinstance(error, UnicodeEncodeError):
            return lone_surrogate(error)
        if not isinstance(error, sqlite3.Error):
            return None
        if is_trouble(error):
            self.when_in_trouble()
        return explained(error, self.path)
