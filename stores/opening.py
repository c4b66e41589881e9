"""Opens the stores that the settings name: a data directory, or a PostgreSQL database."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..schema.errors import SettingsError, StorageError
from ..schema.finding import DiagnosisFinding, finding
from ..schema.protocols import Fingerprint, JobQueue, QueueCounts
from ..schema.protocols.ownership import Owner, Workers
from ..schema.settings import Settings
from .files.access import protect
from .files.end_summaries import EndSummaries

if TYPE_CHECKING:
    from .backend import Backend
    from .postgres.backend import PostgresBackend
    from .tables.items import ItemTables


def open_queue(settings: Settings, clock: Callable[[], float]) -> JobQueue:
    """Open the job queue. Accepting a job needs no other store. Raises StorageError."""
    directory = Path(settings.cognitive.data_dir)
    protect(directory, shared=settings.cognitive.group_access)
    if settings.stores.url:
        _check_installed()
        from .postgres.backend import open_spooled

        return open_spooled(directory, settings.stores, clock)
    from .sqlite.former_queue import open_local_queue

    return open_local_queue(directory, clock)


def open_backend(settings: Settings, queue: JobQueue) -> Backend:
    """Open all stores, with a `queue` from `open_queue`.

    Blocks; raises StorageError if the database cannot be used.
    """
    directory = Path(settings.cognitive.data_dir)
    protect(directory, shared=settings.cognitive.group_access)
    if settings.stores.url:
        return _postgres(settings, queue)
    from .local import LocalBackend
    from .sqlite.queue import SqliteJobQueue

    assert isinstance(queue, SqliteJobQueue)
    return LocalBackend(directory, settings, queue)


def open_items(settings: Settings) -> ItemTables:
    """Open the items of LangGraph stores. Raises StorageError."""
    if settings.stores.url:
        _check_installed()
        from .postgres.backend import open_database
        from .postgres.items import PostgresItems

        return PostgresItems(open_database(settings.stores))
    from .sqlite.items import ItemTable

    return ItemTable(Path(settings.cognitive.data_dir) / "items.sqlite")


@contextmanager
def opened_workers(settings: Settings) -> Iterator[Workers]:
    """Yield the `Workers` of the memory.

    Raises StorageError if they need a database that cannot be reached.
    """
    if settings.stores.url:
        with _opened_postgres(settings) as backend:
            yield backend.workers
        return
    from .local import LocalWorkers

    yield LocalWorkers(Path(settings.cognitive.data_dir))


def owner_of(settings: Settings) -> Owner | None:
    """Return the process that works on the memory or leads its workers; None if there is none.

    Raises StorageError.
    """
    with opened_workers(settings) as workers:
        return workers.owner()


def check_database(settings: Settings) -> DiagnosisFinding:
    """Check that the database can be used and is undamaged. Raises StorageError."""
    if settings.stores.url:
        try:
            with _opened_postgres(settings) as backend:
                return finding(
                    "ok",
                    "{name} answers, events: {count}",
                    name=backend.name,
                    count=backend.events.count(),
                )
        except StorageError as error:  # the error names the remedy
            return finding("failed", "{error}", error=error)
    from .local_diagnosis import check_local

    return check_local(Path(settings.cognitive.data_dir))


def stored_fingerprint(settings: Settings) -> Fingerprint | None:
    """Return model and dimension of the stored vectors; None if there are none.

    Raises StorageError.
    """
    if settings.stores.url:
        with _opened_postgres(settings) as backend:
            return backend.events.fingerprint()
    from .local_diagnosis import local_fingerprint

    return local_fingerprint(Path(settings.cognitive.data_dir))


def queue_counts(settings: Settings, clock: Callable[[], float]) -> QueueCounts | None:
    """Return the number of jobs per state; None if there never were any.

    Creates no files. Raises StorageError.
    """
    if settings.stores.url:
        with _opened_postgres(settings) as backend:
            return backend.queue.counts(clock())
    directory = Path(settings.cognitive.data_dir)
    from .sqlite.former_queue import FORMER
    from .sqlite.queue import QUEUE

    if not any((directory / name).exists() for name in (QUEUE, FORMER)):
        return None
    with closing(open_queue(settings, clock)) as queue:
        return queue.counts(clock())


def waiting_here(settings: Settings) -> set[str]:
    """Return the ids of the jobs on this machine that wait for an unavailable database.

    Creates no files.
    """
    from .sqlite.former_queue import open_local_queue
    from .sqlite.queue import QUEUE

    directory = Path(settings.cognitive.data_dir)
    if not (settings.stores.url and (directory / QUEUE).exists()):
        return set()
    with closing(open_local_queue(directory, time.time)) as queue:
        return queue.known_ids()


def plain_summaries(settings: Settings) -> EndSummaries:
    """Return the plain summaries of this machine, which need no database."""
    return EndSummaries(Path(settings.cognitive.data_dir) / "end_summaries.json")


def has_memory(settings: Settings) -> bool:
    """Return True if there may be something to read.

    False for a data directory in which nothing was stored yet.
    """
    return (
        bool(settings.stores.url) or (Path(settings.cognitive.data_dir) / "index.sqlite").exists()
    )


@contextmanager
def _opened_postgres(settings: Settings) -> Iterator[PostgresBackend]:
    with (
        closing(open_queue(settings, time.time)) as queue,
        closing(_postgres(settings, queue)) as backend,
    ):
        yield backend


def _postgres(settings: Settings, queue: JobQueue) -> PostgresBackend:
    _check_installed()
    from .postgres.backend import PostgresBackend
    from .postgres.jobs.spooled_queue import SpooledQueue

    assert isinstance(queue, SpooledQueue)
    return PostgresBackend(Path(settings.cognitive.data_dir), settings, queue)


def _check_installed() -> None:
    """Raise SettingsError that names the extra if the packages for PostgreSQL are missing."""
    try:
        import psycopg_pool  # noqa: F401
    except ImportError:
        raise SettingsError(
            "stores.url names a PostgreSQL database: install what it needs with `pip install 'langgraph-historian[postgres]'`"
        ) from None
