"""All stores of one memory, opened together, in either engine."""

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
from .tables.corrections import CorrectionTable
from .tables.documents import ArticleStorage, ArticleStores, ProfileStorage
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
from .tables.state_buffer import StateBuffer
from .tables.summaries import SummaryStorage

if TYPE_CHECKING:
    from .threaded_saver import OpenCheckpoints

Place = Literal["here", "gone", "replaced", "unlogged"]
"""Whether the path of a database leads to the file that is open; `unlogged` if only its write-ahead log does not."""


class Backend(ABC):
    """The stores of one memory. An implementation is opened from the settings; nothing above it knows where it stores.

    Stores are attributes, made with the backend and usable until `close`. Opening raises StorageError (its subclass
    DatabaseAway if a server cannot be reached now) without a password in its text.
    """

    name: str
    """Where it is, for people: a path, or an address without password."""
    queue: JobQueue
    events: EventStore
    profiles: ProfileStorage
    profile_index: ProfileIndex
    erasure: ErasureTables
    workers: Workers
    needs_tending: bool
    """True if `tend` has anything to do, ever."""

    def __init__(self, rows: EventRows, documents: Callable[[], Database], articles: ArticleStorage, directory: Path) -> None:
        """`documents` gives the database of the documents, which is a file of its own in a data directory.

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
        self.article_stores = ArticleStores(StateBuffer(lambda: rows.database), SummaryStorage(documents), articles)
        self.forget_requests = ForgetRequestTable(documents)
        self.plain_summaries = EndSummaries(directory / "end_summaries.json")

    def when_in_trouble(self, call: Callable[[], None]) -> None:
        """Have `call` called, in any thread, on errors that suggest that the database cannot be used now. It must not block."""
        self._database.when_in_trouble = call

    @abstractmethod
    def open_checkpoints(self) -> AbstractAsyncContextManager[OpenCheckpoints]:
        """Open the checkpoints of running jobs, for a worker.

        Raises CheckpointError if they cannot be used now; damaged ones are set aside, and begun anew.
        """

    @property
    def is_away(self) -> bool:
        """Return True while a server is known to be out of reach. Cheap."""
        return False

    @property
    def place(self) -> Place:
        """Whether what is open is still in its place. A server is always `here`."""
        return "here"

    def check_in_place(self) -> None:  # noqa: B027 - not every engine has something to do
        """Raise StorageError if what is committed now would be lost, because the file was moved, deleted or replaced."""

    def release_memory(self) -> None:  # noqa: B027 - not every engine has something to do
        """Give back what idle connections have cached."""

    @abstractmethod
    def vector_index(self) -> VectorIndex | None:
        """Return the derived index of all vectors, for the owner, who closes it; None if the backend needs none."""

    @abstractmethod
    def stored_bytes(self, unread: list[str]) -> Iterator[StoredBytes]:
        """Yield all that is stored, here and in the data directory of this machine, in pieces of at most a few MiB.

        Names what cannot be read in `unread`.
        """

    def sweep(self) -> int:
        """Remove the temporary files that killed processes left in the data directory of this machine. Return how many."""
        return sweep_leftovers(self._directory)

    @abstractmethod
    def size(self) -> int:
        """Return how many bytes are stored."""

    def tend(self) -> None:  # noqa: B027 - not every engine has something to do
        """Do what waits for a moment in which the database can be reached. Called every few seconds in every process."""

    @abstractmethod
    def items(self) -> ItemTables:
        """Open the items of LangGraph stores, for a caller who closes them."""

    @abstractmethod
    def close(self) -> None:
        """Close all connections. A second call does nothing."""
