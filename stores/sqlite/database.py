"""One SQLite file that several threads and several processes read and write.

The file is in WAL mode: readers never wait for the writer and see the last commit. `synchronous` is FULL, which means
that a commit is on the disk when it returns: the file of a job is deleted after its events were committed, so a power
cut must not take the commit back (NORMAL would allow that). The price is one `fsync` a transaction.

Writes go through one connection under a lock and begin with BEGIN IMMEDIATE, so that two processes queue up instead of
failing half-way. Reads borrow a connection from a pool: the one used last is lent first, because its page cache is warm;
no connection belongs to a thread, so the short-lived threads of `asyncio.to_thread` leave none behind.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...schema.errors import HistorianError, InvalidInput, StorageError

_WRITER_CACHE_KIB = 16_000
_READER_CACHE_KIB = 16_000
_WAL_LIMIT_BYTES = 64 * 1024 * 1024
_IDLE_READERS = 4
"""How many read connections are kept open while nobody reads; under load there may be as many as readers."""


class SqliteDatabase:
    """The connections to one file, its migrations applied.

    `migrations` is an append-only list of SQL scripts; `PRAGMA user_version` tells how many of them the file has had.
    `busy_seconds` is how long a writer waits for another process before it gives up with StorageError.

    Every error of SQLite leaves `reading` and `writing` as StorageError with the file's name and what to do.
    """

    def __init__(self, path: Path, migrations: Sequence[str], *, busy_seconds: float = 10.0) -> None:
        self.path = path
        self._busy_seconds = busy_seconds
        self._process = os.getpid()
        self._write_lock = threading.Lock()
        self._pool_lock = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self.when_in_trouble: Callable[[], None] = lambda: None
        """Told, in whatever thread it is, of each error by which the file may be of no use for now. Must not wait."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = self._connect(_WRITER_CACHE_KIB)
        except (sqlite3.Error, OSError) as error:
            raise explained(error, path) from error
        try:
            self._prepare()
            self._migrate(migrations)
        except sqlite3.Error as error:
            self._writer.close()
            raise explained(error, path) from error
        except StorageError:
            self._writer.close()
            raise

    @contextmanager
    def reading(self, *, once: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection inside one read transaction: all its statements see the same state.

        `once`: for one statement whose rows are fetched at once, which needs no transaction around it.
        """
        self._check_usable()
        with self._pool_lock:
            connection = self._idle.pop() if self._idle else None
        try:
            if connection is None:
                connection = self._connect(_READER_CACHE_KIB)
                connection.execute("PRAGMA query_only = ON")
            if not once:
                connection.execute("BEGIN")
            yield connection
            if not once:
                connection.execute("COMMIT")
        except BaseException as error:
            if connection is not None:
                # A connection on which something failed is not lent again.
                connection.close()
            if translated := self._translate(error):
                raise translated from error
            raise
        self._give_back(connection)

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """The writer inside one transaction: committed at the end of the block, rolled back if it raises.

        With `durable=False` a power cut (not a crash of the process) may take the commit back until the next durable one
        or a checkpoint: for notes that are made again if they are lost. It does not wait
        for the disk (0.02 ms instead of 2 to 4).
        """
        self._check_usable()
        with self._write_lock:
            self._check_usable()
            try:
                self._writer.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._writer.execute("BEGIN IMMEDIATE")
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException as error:
                if self._writer.in_transaction:
                    # SQLite may have rolled back by itself (full disk); the first error is the one to tell.
                    with suppress(sqlite3.Error):
                        self._writer.execute("ROLLBACK")
                if translated := self._translate(error):
                    raise translated from error
                raise

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The rows of one statement that reads."""
        with self.reading(once=True) as connection:
            return connection.execute(statement, parameters).fetchall()

    def row(self, statement: str, parameters: Sequence[Any] = ()) -> Any:
        """The first row of one statement that reads; None where there is none."""
        with self.reading(once=True) as connection:
            return connection.execute(statement, parameters).fetchone()

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> int:
        """Run one statement that writes, durably; returns how many rows it has changed."""
        with self.writing() as connection:
            return connection.execute(statement, parameters).rowcount

    def truncate_log(self) -> bool:
        """Move the write-ahead log into the file and empty it, so that no deleted text stays in it.

        False where a reader of another process is in the way; the next checkpoint does it then.
        """
        self._check_usable()
        with self._write_lock:
            try:
                busy, _, _ = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.Error as error:
                raise explained(error, self.path) from error
        return not busy

    def vacuum(self) -> bool:
        """Write the whole file anew, so that no page keeps what was deleted, and empty the log.

        Needs free space for a second copy for the time being. False as in `truncate_log`.
        """
        self._check_usable()
        with self._write_lock:
            self._check_usable()
            try:
                self._writer.execute("VACUUM")
            except sqlite3.Error as error:
                raise explained(error, self.path) from error
        return self.truncate_log()

    def close(self) -> None:
        """Wait for the transaction that is being written, then close. Closing twice does nothing."""
        if os.getpid() != self._process:
            return
        with self._write_lock:
            if self._closed:
                return
            self._closed = True
            with self._pool_lock:
                idle, self._idle = self._idle, []
            for connection in idle:
                connection.close()
            self._writer.close()

    def _connect(self, cache_kib: int) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path,
            timeout=self._busy_seconds,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        try:
            connection.execute(f"PRAGMA cache_size = {-cache_kib}")
            connection.execute("PRAGMA synchronous = FULL")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _prepare(self) -> None:
        """Set what lasts in the file or concerns the writer alone."""
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                self._writer.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                # SQLite does not wait by itself while another process switches a new file to WAL.
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        self._writer.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT_BYTES}")
        # What is deleted is overwritten with zeros: forgetting means that the text is gone from the file.
        self._writer.execute("PRAGMA secure_delete = ON")

    def _migrate(self, migrations: Sequence[str]) -> None:
        if self._version() == len(migrations):
            return
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            version = self._version()
            if version > len(migrations):
                raise StorageError(
                    f"{self.path}: written by a newer version (format {version}, this one knows {len(migrations)}); "
                    "upgrade langgraph-historian, or use another data_dir"
                )
            for script in migrations[version:]:
                for statement in _statements(script):
                    self._writer.execute(statement)
            self._writer.execute(f"PRAGMA user_version = {len(migrations)}")
            self._writer.execute("COMMIT")
        except BaseException:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            raise

    def _version(self) -> int:
        return int(self._writer.execute("PRAGMA user_version").fetchone()[0])

    def _check_usable(self) -> None:
        if self._closed:
            raise StorageError(f"{self.path}: already closed; open the service again")
        if os.getpid() != self._process:
            raise StorageError(f"{self.path}: opened before a fork; SQLite forbids that, open it again in the new process")

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._pool_lock:
            if not self._closed and len(self._idle) < _IDLE_READERS:
                self._idle.append(connection)
                return
        connection.close()

    def _translate(self, error: BaseException) -> HistorianError | None:
        """What an error of SQLite is called outside; None for errors that are not SQLite's."""
        if isinstance(error, UnicodeEncodeError):
            return InvalidInput(f"text with a lone surrogate ({error.object[error.start : error.end]!r}) cannot be stored")
        if not isinstance(error, sqlite3.Error):
            return None
        if is_trouble(error):
            self.when_in_trouble()
        return explained(error, self.path)


def is_trouble(error: sqlite3.Error) -> bool:
    """Whether the file may be of no use for now: damaged, not to be opened, not to be read."""
    code = getattr(error, "sqlite_errorcode", None)
    return is_damage(error) or (code is not None and code & 0xFF in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN))


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite found the file itself broken: no database, or malformed. A full disk, a lock, an I/O error are not that."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def explained(error: Exception, path: Path) -> StorageError:
    """The error with the file's name and the remedy."""
    text = str(error)
    if "locked" in text or "busy" in text:
        remedy = "another process has been writing for too long; see which one holds the data directory"
    elif "full" in text:
        remedy = "free some space on the disk; nothing of this was written"
    elif "not a database" in text or "malformed" in text or "corrupt" in text:
        remedy = "the file is damaged; put a backup in its place, or move it away and start a new one"
    elif "unable to open" in text or "readonly" in text or isinstance(error, OSError):
        remedy = "check that the directory exists and may be written"
    else:
        remedy = "`historian doctor` tests the data directory"
    return StorageError(f"{path}: {text}; {remedy}")


def _statements(script: str) -> Iterator[str]:
    """Split a script into statements. `executescript` would commit the transaction that the migration runs in."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        raise ValueError(f"the migration ends in the middle of a statement: {pending.strip():.60}")
