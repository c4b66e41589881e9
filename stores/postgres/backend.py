"""The stores of one schema of a PostgreSQL database, shared by bots and workers on any machine."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from ...schema.errors import DatabaseAway, StorageError
from ...schema.settings import Settings, StoresSettings
from ..backend import Backend
from ..files.bytes_below import StoredBytes, bytes_below
from ..tables.articles import ArticleStorage
from ..tables.items import ItemTables
from ..tables.profiles import ProfileStorage
from .database import PostgresDatabase
from .erasure import PostgresErasure
from .events.rows import PostgresEventRows
from .events.store import PostgresEventStore
from .items import PostgresItems
from .jobs.queue import PostgresJobQueue
from .jobs.session import WorkerSession
from .jobs.spooled_queue import SpooledQueue
from .jobs.workers import PostgresWorkers
from .profile_index import PostgresProfileIndex

if TYPE_CHECKING:
    from ..threaded_saver import OpenCheckpoints

log = logging.getLogger(__name__)

TRIED_SECONDS = 2.0
"""How long a caller waits for a connection while the server is unavailable."""


def open_database(settings: StoresSettings) -> PostgresDatabase:
    """Open the schema that the settings name. Raises StorageError."""
    return PostgresDatabase(
        settings.url,
        schema_name=settings.schema_name,
        pool_max=settings.pool_max,
        direct_url=settings.direct_url,
        vectors=settings.vectors,
        wait_seconds=TRIED_SECONDS,
        silence_seconds=settings.worker_timeout_seconds,
    )


def open_spooled(
    directory: Path, settings: StoresSettings, clock: Callable[[], float]
) -> SpooledQueue:
    """Return the queue of this machine. It connects to the server at its first use."""
    return SpooledQueue(
        directory,
        clock,
        lambda: PostgresJobQueue(open_database(settings), clock=clock),
        keeps=settings.spool,
    )


class PostgresBackend(Backend):
    """The `Backend` of a schema.

    `directory` is the data directory of this machine, where jobs wait while the server is
    unavailable.
    """

    needs_tending = True

    def __init__(self, directory: Path, settings: Settings, queue: SpooledQueue) -> None:
        self._settings = settings.stores
        try:
            self.database = database = open_database(settings.stores)
        except DatabaseAway:
            queue.note_away()
            raise
        self.name = database.name
        self._session = session = WorkerSession(database)
        queue.remote = PostgresJobQueue(database, clock=queue.clock, session=session)
        self.queue = self._queue = queue
        rows = PostgresEventRows(database)
        self.events = PostgresEventStore(database)
        self.profiles = ProfileStorage(
            lambda: database, revision_keep=settings.cognitive.profile.revision_keep
        )
        self.profile_index = PostgresProfileIndex(rows)
        articles = ArticleStorage(
            lambda: database, revision_keep=settings.cognitive.shortterm.revision_keep
        )
        super().__init__(rows, lambda: database, articles, directory)
        self.erasure = self._erasure = PostgresErasure(database)
        self.workers = PostgresWorkers(database, session)

    def open_checkpoints(self) -> AbstractAsyncContextManager[OpenCheckpoints]:
        from .jobs.checkpoints import open_checkpoints  # imports LangGraph, which only workers need

        return open_checkpoints(self.database)

    @property
    def is_away(self) -> bool:
        return self._queue.is_away or self.database.is_lost

    def vector_index(self) -> None:
        """Return None: vectors are searched where they are stored (`EventStore.nearest`)."""

    def stored_bytes(self, unread: list[str]) -> Iterator[StoredBytes]:
        yield from self._erasure.stored_bytes(unread)
        yield from bytes_below(self._directory, unread)

    def size(self) -> int:
        (size,) = self.database.row(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
            " WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'"
        ) or (0,)
        return int(size)

    def items(self) -> ItemTables:
        return PostgresItems(open_database(self._settings))

    def tend(self) -> None:
        """Move the jobs that wait on this machine to the server."""
        try:
            self._queue.hand_over()
        except DatabaseAway as error:
            log.debug("jobs still wait in %s: %s", self._directory, error)
        except StorageError as error:
            log.warning("jobs wait in %s: %s", self._directory, error)

    def close(self) -> None:
        self._queue.remote = None
        self._session.close()
        self.database.close()
