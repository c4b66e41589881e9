"""`Backend`: all stores of one memory, which are opened together. One subclass per engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..schema.protocols import JobQueue, VectorIndex, Workers
from .contents import TableContents
from .files.bytes_below import StoredBytes
from .files.durable import sweep_leftovers
from .files.end_summaries import EndSummaries
from .tables.articles import ArticleStorage, ArticleStores
from .tables.corrections import CorrectionTable
from .tables.engine import Database
from .tables.erasure import ErasureTables
from .tables.event_transfer import EventTransferTables
from .tables.events.revisions import EventRevisionTables
from .tables.events.rows import EventRows
from .tables.events.shadow_vectors import ShadowVectors
from .tables.events.store import EventStore
from .tables.forget_requests import ForgetRequestTable
from .tables.items import ItemTables
from .tables.ledger import LedgerTable
from .tables.notes import NoteTables
from .tables.profile_index import ProfileIndex
from .tables.profiles import ProfileStorage
from .tables.state_buffer import StateBuffer
from .tables.summaries import SummaryStorage

if TYPE_CHECKING:
    from .threaded_saver import OpenCheckpoints

Place = Literal["here", "gone", "replaced", "unlogged"]
"""The state of the open database file.

`here`: its path leads to it; `unlogged`: its path leads to it, but that of its write-ahead log does
not.
"""


class Backend(ABC):
    """The stores of one memory.

    A subclass is opened from the settings; its callers do not depend on the engine.

    The stores are attributes, which are created with the backend and usable until `close`. Opening
    raises StorageError, or its subclass DatabaseAway if a server cannot be reached now. The message
    contains no password.
    """

    name: str
    """Path of the data directory, or address of the server without a password (for messages)."""
    queue: JobQueue
    events: EventStore
    profiles: ProfileStorage
    profile_index: ProfileIndex
    erasure: ErasureTables
    workers: Workers
    needs_tending: bool
    """True if `tend` ever has anything to do."""

    def __init__(
        self,
        rows: EventRows,
        documents: Callable[[], Database],
        articles: ArticleStorage,
        directory: Path,
    ) -> None:
        """`documents` returns the database of the documents, in a data directory a file of its own.

        `directory` is the data directory of this machine.
        """
        self._database = rows.database
        self._directory = directory
        self.ledger = LedgerTable(rows.database)
        self.manifest = NoteTables(rows)
        self.shadow = ShadowVectors(rows)
        self.transfer = EventTransferTables(rows)
        self.revisions = EventRevisionTables(rows)
        self.contents = TableContents(rows, documents)
        self.corrections = CorrectionTable(documents)
        self.article_stores = ArticleStores(
            StateBuffer(lambda: rows.database), SummaryStorage(documents), articles
        )
        self.forget_requests = ForgetRequestTable(documents)
        self.plain_summaries = EndSummaries(directory / "end_summaries.json")

    def when_in_trouble(self, call: Callable[[], None]) -> None:
        """Register `call`, which must not block.

        It is called, in any thread, on errors that suggest that the database cannot be used now.
        """
        self._database.when_in_trouble = call

    @abstractmethod
    def open_checkpoints(self) -> AbstractAsyncContextManager[OpenCheckpoints]:
        """Open the checkpoints of running jobs, for a worker.

        Raises CheckpointError if they cannot be used now. A damaged file is set aside and replaced
        by an empty one.
        """

    @property
    def is_away(self) -> bool:
        """Return True while a server is known to be unreachable. Cheap."""
        return False

    @property
    def place(self) -> Place:
        """The state of the open database file. Always `here` for a server."""
        return "here"

    def check_in_place(self) -> None:  # noqa: B027 - not every engine has something to do
        """Raise StorageError if a commit would be lost: the file was moved, deleted or replaced."""

    def release_memory(self) -> None:  # noqa: B027 - not every engine has something to do
        """Free the caches of idle connections."""

    @abstractmethod
    def vector_index(self) -> VectorIndex | None:
        """Return the derived index of all vectors; None if the backend needs none.

        Only the owner process uses the index, and closes it.
        """

    @abstractmethod
    def stored_bytes(self, unread: list[str]) -> Iterator[StoredBytes]:
        """Yield all stored bytes, here and in the data directory, in pieces of at most a few MiB.

        The names of unreadable files or tables are appended to `unread`.
        """

    def sweep(self) -> int:
        """Remove temporary files that killed processes left in the data directory of this machine.

        Return the number of removed files.
        """
        return sweep_leftovers(self._directory)

    @abstractmethod
    def size(self) -> int:
        """Return the number of stored bytes."""

    def tend(self) -> None:  # noqa: B027 - not every engine has something to do
        """Do postponed work that needs a reachable database.

        Called every few seconds in every process.
        """

    @abstractmethod
    def items(self) -> ItemTables:
        """Open the items of LangGraph stores. The caller closes them."""

    @abstractmethod
    def close(self) -> None:
        """Close all connections. A second call does nothing."""
