"""All stores of one memory, opened together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Literal, Protocol

from .checkpoints import OpenCheckpoints
from .contents import Contents
from .corrections import Corrections
from .documents.articles import ArticleStores
from .documents.plain_summaries import PlainSummaries
from .documents.profile_index import ProfileIndex
from .documents.profiles import ProfileStorage
from .documents.revisions import Ledger
from .erasure import Erasure, StoredBytes
from .events.note_manifest import NoteManifest
from .events.revisions import EventRevisions
from .events.shadow_vectors import ShadowVectors
from .events.store import EventStore
from .events.transfer import EventTransfer
from .events.vector_index import VectorIndex
from .forget_requests import ForgetRequests
from .items import ItemStorage
from .job_queue import JobQueue
from .ownership import Workers

Place = Literal["here", "gone", "replaced", "unlogged"]
"""Whether the path of a database leads to the file that is open; `unlogged` if only its write-ahead log does not."""


class Backend(Protocol):
    """The stores of one memory. An implementation is opened from the settings; nothing above it knows where it stores.

    Stores are attributes, made with the backend and usable until `close`. Opening raises StorageError (its subclass
    DatabaseAway if a server cannot be reached now) without a password in its text.
    """

    name: str
    """Where it is, for people: a path, or an address without password."""
    queue: JobQueue
    events: EventStore
    ledger: Ledger
    profiles: ProfileStorage
    profile_index: ProfileIndex
    manifest: NoteManifest
    shadow: ShadowVectors
    article_stores: ArticleStores
    erasure: Erasure
    transfer: EventTransfer
    revisions: EventRevisions
    plain_summaries: PlainSummaries
    forget_requests: ForgetRequests
    workers: Workers
    contents: Contents
    corrections: Corrections

    def when_in_trouble(self, call: Callable[[], None]) -> None:
        """Have `call` called, in any thread, on errors that suggest that the database cannot be used now. It must not block."""

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

    def check_in_place(self) -> None:
        """Raise StorageError if what is committed now would be lost, because the file was moved, deleted or replaced."""

    def release_memory(self) -> None:
        """Give back what idle connections have cached."""

    def vector_index(self) -> VectorIndex | None:
        """Return the derived index of all vectors, for the owner, who closes it; None if the backend needs none."""

    def stored_bytes(self, unread: list[str], *, skip: Collection[Path] = ()) -> Iterator[StoredBytes]:
        """Yield all that is stored, here and in the data directory of this machine, in pieces of at most a few MiB.

        Names what cannot be read in `unread`. Files that `skip` names are left out, and the requests to forget somebody.
        """

    def sweep(self) -> int:
        """Remove the temporary files that killed processes left in the data directory of this machine. Return how many."""

    def size(self) -> int:
        """Return how many bytes are stored."""

    needs_tending: bool
    """True if `tend` has anything to do, ever."""

    def tend(self) -> None:
        """Do what waits for a moment in which the database can be reached. Called every few seconds in every process."""

    def items(self) -> ItemStorage:
        """Open the items of LangGraph stores, for a caller who closes them."""

    def close(self) -> None:
        """Close all connections. A second call does nothing."""
