"""The stores of one data directory: files, SQLite, and Chroma.

One process at a time runs the worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    contextmanager,
    nullcontext,
    suppress,
)
from pathlib import Path
from typing import TYPE_CHECKING

from ..schema.errors import OwnerLockHeld, StorageError
from ..schema.protocols import Owner, Ownership
from ..schema.settings import Settings
from .backend import Backend, Place
from .chroma.index import ChromaIndex
from .files.bytes_below import StoredBytes, bytes_below
from .files.owner_lock import OwnerLock, acquire, file_lock, owner_of
from .sqlite.database import SqliteDatabase
from .sqlite.documents import MirroredArticles, MirroredProfiles
from .sqlite.erasure import IndexErasure
from .sqlite.events.rows import SqliteEventRows
from .sqlite.events.store import SqliteEventStore
from .sqlite.former_documents import take_over
from .sqlite.index_schema import open_index
from .sqlite.items import ItemTable
from .sqlite.profile_index import SqliteProfileIndex
from .sqlite.queue import SqliteJobQueue
from .tables.ledger import LedgerTable
from .tables.summaries import SummaryStorage

if TYPE_CHECKING:
    from .threaded_saver import OpenCheckpoints

INDEX = "index.sqlite"
_CHROMA = "chromadb"
_REEMBED_LOCK = "reembed.lock"


class LocalWorkers:
    """The `Workers` of a data directory. Only the owner process works, so it is always alone."""

    many = False

    def __init__(self, directory: Path, database: SqliteDatabase | None = None) -> None:
        self._directory = directory
        self._database = database

    def ownership(self) -> Ownership:
        return OwnerLock(
            self._directory, index="" if self._database is None else self._database.identity
        )

    def owner(self) -> Owner | None:
        return owner_of(self._directory)

    def at_work(self, give_up: Callable[[], bool] = bool) -> AbstractContextManager[None]:
        return nullcontext()

    def alone(self) -> AbstractContextManager[None]:
        return nullcontext()

    def must_yield(self) -> bool:
        return False

    @contextmanager
    def reembedding(self, now: float) -> Iterator[None]:
        place = self._directory / _REEMBED_LOCK
        lock = file_lock(place, 0)
        if not acquire(lock, place):
            raise OwnerLockHeld(f"another process is re-embedding in {self._directory}")
        try:
            yield
        finally:
            lock.release()

    def listening(self, wake: Callable[[], None]) -> AbstractContextManager[None]:
        return nullcontext()


class LocalBackend(Backend):
    """The `Backend` of a data directory.

    Opening it blocks, and raises StorageError if the database cannot be used.
    """

    needs_tending = False

    def __init__(self, directory: Path, settings: Settings, queue: SqliteJobQueue) -> None:
        keep, keep_articles = (
            settings.cognitive.profile.revision_keep,
            settings.cognitive.shortterm.revision_keep,
        )
        self.name = str(directory)
        self.directory = directory
        self.queue = queue
        self.database = database = open_index(_index_in(directory))
        self.events = SqliteEventStore(database)
        rows, documents = SqliteEventRows(database), queue.database
        profiles = MirroredProfiles(documents, directory / "profiles", revision_keep=keep)
        articles = MirroredArticles(documents, directory / "chapters", revision_keep=keep_articles)
        super().__init__(rows, documents, articles, directory)
        take_over(
            directory,
            database,
            documents(),
            {"profiles": profiles, "chapters": articles},
            SummaryStorage(documents),
            self.forget_requests,
        )
        self.profiles = profiles
        self.profile_index = SqliteProfileIndex(rows)
        self.erasure = IndexErasure(database, lambda: LedgerTable(documents()))
        self.workers = LocalWorkers(directory, database)

    def open_checkpoints(self) -> AbstractAsyncContextManager[OpenCheckpoints]:
        # Imports LangGraph, which only workers need.
        from .sqlite.checkpoints import open_checkpoints

        return open_checkpoints(self.directory / "checkpoints.sqlite")

    @property
    def place(self) -> Place:
        return self.database.place

    def check_in_place(self) -> None:
        self.database.check_in_place()

    def release_memory(self) -> None:
        self.database.release_memory()

    def vector_index(self) -> ChromaIndex:
        """Return Chroma's index; it is opened at its first use."""
        return ChromaIndex(self.directory / _CHROMA)

    def stored_bytes(self, unread: list[str]) -> Iterator[StoredBytes]:
        return bytes_below(self.directory, unread)

    def size(self) -> int:
        sizes = []
        for file in self.directory.rglob("*"):
            with suppress(OSError):  # deleted after it was listed
                sizes += [file.stat().st_size] if file.is_file() else []
        return sum(sizes)

    def items(self) -> ItemTable:
        return ItemTable(self.directory / "items.sqlite")

    def close(self) -> None:
        self.events.close()


def _index_in(directory: Path) -> Path:
    """Return the path of the database.

    Raises StorageError if the file is missing while the owner process has it open. Otherwise SQLite
    would create an empty file in its place.
    """
    path = directory / INDEX
    if not path.exists() and (owner := owner_of(directory)) is not None and owner.index:
        raise StorageError(
            f"{path} was moved or deleted while {owner} has it open; stop that process, then put the file back or run "
            "`historian restore BACKUP`"
        )
    return path
