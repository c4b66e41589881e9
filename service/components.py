"""The stores and models of a service, opened as the settings say."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from ..models.chat.model import make_chat_model
from ..models.embeddings.factory import make_embedder
from ..models.embeddings.wrapped import MatchingEmbedder
from ..models.rerank import make_reranker
from ..models.secrets import guard_models
from ..models.usage import UsageMeter
from ..schema.errors import StorageError
from ..schema.protocols import (
    ArticleStores,
    ChatModel,
    Embedder,
    EventStore,
    JobQueue,
    Ledger,
    ProfileIndex,
    ProfileStorage,
    Reranker,
)
from ..schema.reflection_states import ReflectionContext
from ..schema.settings import Settings
from ..schema.states import HistorianContext
from ..stores.chroma.index import ChromaIndex
from ..stores.files.access import protect
from ..stores.files.articles import MarkdownArticles
from ..stores.files.owner_lock import owner_of
from ..stores.files.profiles import MarkdownProfiles
from ..stores.files.queue.job_queue import FileJobQueue
from ..stores.files.summaries import JsonlSummaries
from ..stores.sqlite.database import SqliteDatabase
from ..stores.sqlite.erasure import IndexErasure
from ..stores.sqlite.event_revisions import EventRevisions
from ..stores.sqlite.event_transfer import EventTransfer
from ..stores.sqlite.events import SqliteEventStore
from ..stores.sqlite.index_schema import open_index
from ..stores.sqlite.ledger import SqliteLedger
from ..stores.sqlite.line_vectors import SqliteLineVectors
from ..stores.sqlite.note_manifest import FileManifest
from ..stores.sqlite.profile_index import SqliteProfileIndex
from ..stores.sqlite.shadow_vectors import ShadowVectors
from ..stores.sqlite.state_buffer import SqliteStateBuffer
from .data_directory import check_restored, data_directory
from .model_outages import SharedOutageEmbedder, SharedOutageReranker

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """Stores and models of one data directory. Chroma is not among them: only the owner opens it."""

    settings: Settings
    directory: Path
    database: SqliteDatabase
    queue: JobQueue
    events: EventStore
    ledger: Ledger
    profiles: ProfileStorage
    profile_index: ProfileIndex
    manifest: FileManifest
    shadow: ShadowVectors
    article_stores: ArticleStores
    erasure: IndexErasure
    transfer: EventTransfer
    revisions: EventRevisions
    chat: ChatModel | None
    embedder: Embedder | None
    clock: Callable[[], float]
    reranker: Reranker | None = None
    usage: UsageMeter = field(default_factory=UsageMeter)
    """What embeddings and reranking cost; the chat model counts its own calls."""

    def context(self) -> HistorianContext:
        """Return the runtime context of the historian graph."""
        return HistorianContext(
            settings=self.settings,
            events=self.events,
            profiles=self.profiles,
            clock=self.clock,
            chat=self.chat,
            embedder=self.embedder,
            profile_index=self.profile_index,
        )

    def reflection_context(self) -> ReflectionContext:
        """Return the runtime context of the reflection graph."""
        return ReflectionContext(
            settings=self.settings, events=self.events, article_stores=self.article_stores, clock=self.clock, chat=self.chat
        )

    async def aclose(self) -> None:
        """Close models and database. An error of one does not keep the others open."""
        async with AsyncExitStack() as stack:
            stack.callback(self.events.close)
            for model in (self.reranker, self.embedder, self.chat):
                if model is not None:
                    stack.push_async_callback(model.aclose)


def open_queue(settings: Settings, clock: Callable[[], float]) -> JobQueue:
    """Return the job queue with its folders listed, which is all that accepting a job needs."""
    directory = data_directory(settings)
    protect(directory, shared=settings.cognitive.group_access)
    queue = FileJobQueue(directory / "queues", clock=clock)
    queue.warm()
    return queue


def open_parts(settings: Settings, *, queue: JobQueue, clock: Callable[[], float]) -> Parts:
    """Open everything except Chroma. Blocking; raises StorageError if the database cannot be used."""
    directory = data_directory(settings)
    check_restored(directory)
    protect(directory, shared=settings.cognitive.group_access)
    database = open_index(_index_in(directory))
    events = SqliteEventStore(database)
    ledger = SqliteLedger(database)
    usage = UsageMeter()
    embedder, reranker = usable_embedder(settings, events, usage), make_reranker(settings.models.rerank, usage)
    profiles = MarkdownProfiles(directory / "profiles", ledger=ledger, revision_keep=settings.cognitive.profile.revision_keep)
    return Parts(
        settings=settings,
        directory=directory,
        database=database,
        queue=queue,
        events=events,
        ledger=ledger,
        profiles=profiles,
        profile_index=SqliteProfileIndex(database),
        manifest=FileManifest(database),
        shadow=ShadowVectors(database),
        article_stores=open_article_stores(settings, database, ledger),
        erasure=IndexErasure(database),
        transfer=EventTransfer(database),
        revisions=EventRevisions(database),
        chat=make_chat_model(settings.models.background),
        embedder=None if embedder is None else SharedOutageEmbedder(embedder, clock=clock, random=random.random),
        clock=clock,
        reranker=None if reranker is None else SharedOutageReranker(reranker, clock=clock, random=random.random),
        usage=usage,
    )


def _index_in(directory: Path) -> Path:
    """Return the path of the database. Raises StorageError rather than let an empty one take the place of one that is open."""
    path = directory / "index.sqlite"
    if not path.exists() and (owner := owner_of(directory)) is not None and owner.index:
        raise StorageError(
            f"{path} was moved or deleted while {owner} has it open; stop that process, then put the file back or run "
            "`historian restore BACKUP`"
        )
    return path


def open_article_stores(settings: Settings, database: SqliteDatabase, ledger: Ledger) -> ArticleStores:
    """Return the stores of summaries and articles."""
    directory = data_directory(settings)
    keep = settings.cognitive.shortterm.revision_keep
    return ArticleStores(
        buffer=SqliteStateBuffer(database),
        summaries=JsonlSummaries(directory / "summaries"),
        articles=MarkdownArticles(directory / "chapters", ledger=ledger, revision_keep=keep),
        line_vectors=SqliteLineVectors(database),
    )


def usable_embedder(settings: Settings, events: EventStore, usage: UsageMeter | None = None) -> Embedder | None:
    """Return the configured embedder; None if there is none, or if the stored vectors were made by another model."""
    guard_models(settings.models)
    embedder = make_embedder(settings.models.embedding, usage)
    stored = events.fingerprint()
    if embedder is None or stored is None:
        return None if embedder is None else MatchingEmbedder(embedder, events)
    model, dimension = stored
    if embedder.model == model and embedder.dimension in (None, dimension):
        return MatchingEmbedder(embedder, events)
    log.warning(
        "the stored vectors were made by %s (%d dimensions), configured is %s: search uses keywords only, nothing is "
        "overwritten. Run `historian reembed` to switch, or configure the former model again",
        model,
        dimension,
        embedder.model,
    )
    return None


def open_vector_index(directory: Path) -> ChromaIndex:
    """Return the derived index of a data directory, for the owner only. It is opened at its first use."""
    return ChromaIndex(directory / "chromadb")
