"""The workers of a schema, one of which is the owner, by advisory locks of their sessions."""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Self

import psycopg

from ....schema.errors import HistorianError, OwnerLockHeld, StorageError
from ....schema.protocols import Owner, Ownership
from ...files.owner_lock import this_process
from ...tables.meta import note, noted
from ..database import PostgresDatabase
from ..transaction import milliseconds
from .session import Heartbeat, WorkerSession

_LOOK_SECONDS = 0.2
_ALONE_SECONDS = 90
"""How long `alone` waits for workers.

Longer than the session of a suspended worker lasts (`stores.worker_timeout_seconds`).
"""
_LISTEN_SECONDS = 1.0
"""How soon `listening` ends, and how long it waits before it reconnects."""


class PostgresOwnership(Ownership):
    """The `Ownership` of one schema: an advisory lock that ends with its session."""

    def __init__(self, session: WorkerSession) -> None:
        self._session = session
        self._key = session.database.lock_key("owner")
        self._held_in = 0  # the number of the session

    @property
    def is_held(self) -> bool:
        return self._held_in == self._session.number and self._session.holds(self._key)

    def acquire(self, now: float, *, worker: bool = False) -> Self:
        """Become the owner; `now` (seconds since the epoch) is stored as the start time.

        Raises OwnerLockHeld, which names the owner, or StorageError.
        """
        if self.is_held:
            return self
        database = self._session.database
        if not self._session.try_lock(self._key):
            owner = owner_of(database)
            message = f"{database.name} is owned by {owner or 'another process'}; stop that process, or let it do the work"
            raise OwnerLockHeld(message, passing=owner is None or not owner.worker)
        self._held_in = self._session.number
        own = this_process(now, worker=worker)
        with self._session.durable() as transaction:
            transaction.execute("DELETE FROM owner")
            transaction.execute(
                "INSERT INTO owner (pid, host, started_at, command, worker) VALUES (%s, %s, %s, %s, %s)",
                (own.pid, own.host, own.started_at, own.command, own.worker),
            )
        return self

    def release(self) -> None:
        if self.is_held:
            self._session.unlock(self._key)


class PostgresWorkers:
    """The `Workers` of one schema. `session` holds the claims of the process; `close` ends it."""

    many = True

    def __init__(self, database: PostgresDatabase, session: WorkerSession | None = None) -> None:
        self._database = database
        self._session = session or WorkerSession(database)

    def ownership(self) -> PostgresOwnership:
        """Return an `Ownership`.

        Two of them in one process exclude each other, as in several processes.
        """
        return PostgresOwnership(self._session)

    def owner(self) -> Owner | None:
        return owner_of(self._database)

    @contextmanager
    def at_work(self, give_up: Callable[[], bool] = bool) -> Iterator[None]:
        while not self._session.begin_work():
            if give_up():
                raise StorageError(
                    f"{self._database.name}: another process has exclusive access; jobs wait"
                )
            time.sleep(_LOOK_SECONDS)
        try:
            yield
        finally:
            self._session.end_work()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """See `Workers.alone`.

        A separate connection waits for the lock, so that workers see it waiting. A process that is
        suspended while it is alone loses the lock.
        """
        with self._database.explaining():
            connection = self._database.session()
        silence = self._database.silence_seconds
        heartbeat = Heartbeat(lambda: connection.execute("SELECT 1"), silence)
        try:
            with self._database.explaining():
                connection.execute(
                    f"SET lock_timeout = '{_ALONE_SECONDS}s'; SET idle_session_timeout = {milliseconds(silence)}".encode()
                )
                try:
                    connection.execute(
                        "SELECT pg_advisory_lock(%s)", (self._database.lock_key("work"),)
                    )
                except psycopg.errors.LockNotAvailable:
                    raise StorageError(
                        f"{self._database.name}: workers have not paused their jobs within "
                        f"{_ALONE_SECONDS} seconds; try again, or check whether one hangs"
                    ) from None
            yield
            # This raises if the lock was lost: workers may have run meanwhile.
            with self._database.explaining():
                connection.execute("SELECT 1")
        finally:
            heartbeat.stop()
            # Release at once: the server notices a closed connection a moment later.
            with suppress(psycopg.Error):
                connection.execute("SELECT pg_advisory_unlock_all()")
            connection.close()

    def must_yield(self) -> bool:
        return bool(
            self._database.rows(
                _LOCKED.format("NOT granted AND mode = 'ExclusiveLock'"),
                _halves(self._database, "work"),
            )
        )

    @contextmanager
    def reembedding(self, now: float) -> Iterator[None]:
        """See `Workers.reembedding`. The lock is for the whole memory, across machines."""
        key = self._database.lock_key("reembed")
        if not self._session.try_lock(key):
            raise OwnerLockHeld(noted(self._database, "reembedding") or "another process")
        try:
            with self._database.writing() as transaction:
                note(transaction, "reembedding", str(this_process(now)))
            yield
        finally:
            self._session.unlock(key)

    @contextmanager
    def listening(self, wake: Callable[[], None]) -> Iterator[None]:
        """Call `wake` when a job arrives while this worker is idle.

        Also call it whenever notifications may have been lost.
        """
        over = threading.Event()
        thread = threading.Thread(
            target=self._listen, args=(wake, over), name="historian-listen", daemon=True
        )
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join(2 * _LISTEN_SECONDS)

    def _listen(self, wake: Callable[[], None], over: threading.Event) -> None:
        while not over.is_set():
            try:
                with self._database.explaining(), self._database.session() as connection:
                    connection.execute(f"LISTEN {self._database.schema}_jobs".encode())
                    wake()
                    while not over.is_set():
                        select.select([connection], [], [], _LISTEN_SECONDS)
                        if list(connection.notifies(timeout=0)):
                            wake()
            except HistorianError:  # all other uses report it; the worker polls meanwhile
                over.wait(_LISTEN_SECONDS)

    def close(self) -> None:
        """End the session, and with it claims and ownership."""
        self._session.close()


def owner_of(database: PostgresDatabase) -> Owner | None:
    """Return the running owner of a schema; None if there is none.

    The row of a dead owner is ignored.
    """
    row = database.row(
        "SELECT pid, host, started_at, command, worker FROM owner WHERE EXISTS ("
        + _LOCKED.format("granted")
        + ")",
        _halves(database, "owner"),
    )
    return None if row is None else Owner(*row)


_LOCKED = (
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"
    " AND classid = %s::bigint::oid AND objid = %s::bigint::oid"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND {}"
)


def _halves(database: PostgresDatabase, name: str) -> tuple[int, int]:
    """Return the key of a lock as `pg_locks` shows it: the high and the low 32 bits."""
    return divmod(database.lock_key(name) % 2**64, 2**32)
