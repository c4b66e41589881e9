"""The connection that holds the claims and locks of a process.

The server ends them with the session.

The session of a worker ends at once if its process ends, and after `silence_seconds` if its machine
fails or the process is suspended. A thread sends heartbeats, so that a busy event loop does not end
the session, but an event loop that hangs for LOOP_SECONDS ends it. If the session ends while the
process lives (restart of the server, network failure), the process gets a new session with another
number; its former claims may then be taken by others.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg.rows import TupleRow

from ....schema.errors import DatabaseAway, HistorianError
from ..database import PostgresDatabase
from ..transaction import PostgresTransaction, milliseconds

_SETTINGS = """
SET synchronous_commit = off;
SET tcp_keepalives_idle = 10;
SET tcp_keepalives_interval = 5;
SET tcp_keepalives_count = 3;
SET idle_session_timeout = {silence};
SET idle_in_transaction_session_timeout = {silence}
"""
# If a crash of the server undoes a claim, the session of the claim has ended too. If the crash
# undoes the end of a job, the job is run again, and found to be filed. Changes that must last are
# written by `durable`.

LOOP_SECONDS = 300.0
"""A worker hangs if its event loop has not called `beat` for this time, even if its threads run."""
BEATS = 4
"""Number of heartbeats within `silence_seconds`."""


class Heartbeat:
    """Calls `beat` in a thread, BEATS times within `silence_seconds`, until `stop`.

    Errors of the database are ignored: the next user of the connection gets them.
    """

    def __init__(self, beat: Callable[[], object], silence_seconds: float) -> None:
        self._beat, self._pause = beat, silence_seconds / BEATS
        self._over = threading.Event()
        threading.Thread(target=self._run, name="historian-heartbeat", daemon=True).start()

    def stop(self) -> None:
        """Stop the thread. One more call of `beat` may follow."""
        self._over.set()

    def _run(self) -> None:
        while not self._over.wait(self._pause):
            with suppress(HistorianError, psycopg.Error):
                self._beat()


class WorkerSession:
    """A separate connection, opened at its first use and again after it was lost.

    Thread-safe: one user at a time.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self.database = database
        self.number = 0
        """The number of the open session, unique in the schema; 0 while there is none."""
        self._connection: psycopg.Connection[TupleRow] | None = None
        self._lock = threading.RLock()
        self._held: set[int] = set()
        self._is_at_work = False
        self._heartbeat: Heartbeat | None = None
        self._last_beat: float | None = None

    @contextmanager
    def statements(self) -> Iterator[PostgresTransaction]:
        """Yield the session for statements, each of which is a separate transaction.

        Raises StorageError. If the connection broke, the session is lost.
        """
        with self._lock, self.database.explaining():
            connection = self._opened()
            try:
                yield PostgresTransaction(connection, self.database.schema)
            except BaseException:
                if connection.closed:
                    self._lose()
                raise

    @contextmanager
    def durable(self) -> Iterator[PostgresTransaction]:
        """Yield a transaction whose commit waits for the disk. Raises like `statements`.

        Other commits of the session do not wait for the disk.
        """
        with self.statements() as transaction, transaction.connection.transaction():
            transaction.execute("SET LOCAL synchronous_commit = on")
            yield transaction

    def beat(self, *, begins: bool = False) -> None:
        """Record that the event loop of a worker is alive. The server is not queried.

        The first call with `begins` starts the supervision: from then on `beat` must be called well
        within LOOP_SECONDS.
        """
        if begins or self._last_beat is not None:
            self._last_beat = time.monotonic()

    def _keep(self) -> None:
        """Keep the server from ending the session for silence, unless the event loop hangs."""
        with self._lock:
            hangs = (
                self._last_beat is not None and time.monotonic() - self._last_beat > LOOP_SECONDS
            )
            if self._connection is not None and not hangs:
                with self.statements() as transaction:
                    transaction.execute("SELECT 1")

    def try_lock(self, key: int) -> bool:
        """Take an advisory lock until `unlock`, or the end of the session.

        Return False if it is held, by another session or this one.
        """
        with self.statements() as transaction:
            if key in self._held or transaction.row("SELECT pg_try_advisory_lock(%s)", (key,)) != (
                True,
            ):
                return False
            self._held.add(key)
            return True

    def holds(self, key: int) -> bool:
        """Return True while a lock is held, as far as is known. The server is not queried."""
        return key in self._held and self._connection is not None and not self._connection.closed

    def unlock(self, key: int) -> None:
        """Release a lock; no effect if it is not held."""
        with self._lock:
            if key in self._held and self._connection is not None:
                with self.statements() as transaction:
                    transaction.execute("SELECT pg_advisory_unlock(%s)", (key,))
            self._held.discard(key)

    def begin_work(self) -> bool:
        """Take the shared lock of working processes, for later sessions too.

        Return False while another process is alone, or waits to be alone.
        """
        with self.statements() as transaction:
            key = transaction.lock_key("work")
            if not self._is_at_work:
                self._is_at_work = transaction.row(
                    "SELECT pg_try_advisory_lock_shared(%s)", (key,)
                ) == (True,)
            return self._is_at_work

    def end_work(self) -> None:
        with self._lock:
            was_at_work, self._is_at_work = self._is_at_work, False
            if was_at_work and self._connection is not None:
                # A session that has ended meanwhile has released the lock.
                with suppress(DatabaseAway), self.statements() as transaction:
                    transaction.execute(
                        "SELECT pg_advisory_unlock_shared(%s)", (transaction.lock_key("work"),)
                    )

    def close(self) -> None:
        """End the session, and with it all claims and locks. A second call does nothing."""
        with self._lock:
            if self._connection is not None:
                with suppress(psycopg.Error):
                    # Release at once: the server notices the end of a connection a little later.
                    self._connection.execute("SELECT pg_advisory_unlock_all()")
            self._lose()

    def _opened(self) -> psycopg.Connection[TupleRow]:
        if self._connection is not None and not self._connection.closed:
            return self._connection
        self._lose()
        connection = self.database.session()
        try:
            connection.execute(
                _SETTINGS.format(silence=milliseconds(self.database.silence_seconds)).encode()
            )
            transaction = PostgresTransaction(connection, self.database.schema)
            (number,) = transaction.row("SELECT nextval('worker_numbers')") or (0,)
            transaction.execute(
                "SELECT pg_advisory_lock(%s, %s)", (workers_key(self.database), number)
            )
            work = "SELECT pg_try_advisory_lock_shared(%s)"
            if self._is_at_work and transaction.row(work, (transaction.lock_key("work"),)) != (
                True,
            ):
                raise DatabaseAway(
                    f"{self.database.name}: the session was lost, and another process has "
                    "exclusive access now; wait"
                )
        except BaseException:
            connection.close()
            raise
        self._connection, self.number = connection, int(number)
        self._heartbeat = Heartbeat(self._keep, self.database.silence_seconds)
        return connection

    def _lose(self) -> None:
        self.number = 0
        self._held.clear()
        if self._heartbeat is not None:
            self._heartbeat.stop()
            self._heartbeat = None
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None


def workers_key(database: PostgresDatabase) -> int:
    """Return the first half (32 bits) of the keys of workers' locks.

    The second half is the number of the session.
    """
    return database.lock_key("worker") >> 32
