"""The stores and models of a service, opened according to the settings."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from ..models.embeddings.wrapped import MatchingEmbedder
from ..models.given import GivenModels
from ..models.secrets import guard_models
from ..models.usage import UsageMeter
from ..schema.errors import NotInstalled
from ..schema.protocols import ChatModel, Embedder, JobQueue, Reranker, not_judged
from ..schema.settings import Settings
from ..stores.backend import Backend
from ..stores.historian_context import HistorianContext
from ..stores.opening import open_backend
from ..stores.opening import open_queue as open_queue
from ..stores.tables.articles import ArticleStores
from ..stores.tables.events.store import EventStore
from ..stores.tables.profiles import ProfileStorage
from .data_directory import check_restored, data_directory
from .outages.models import SharedOutageEmbedder, SharedOutageReranker

log = logging.getLogger(__name__)

AS_CONFIGURED = GivenModels()
"""No model objects are given: all models are made from the settings."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The stores and models of one memory.

    `backend` has all stores; the most used ones are also fields of this class. `directory` is the
    data directory on this machine.
    """

    settings: Settings
    directory: Path
    backend: Backend
    queue: JobQueue
    events: EventStore
    profiles: ProfileStorage
    article_stores: ArticleStores
    chat: ChatModel | None
    embedder: Embedder | None
    clock: Callable[[], float]
    reranker: Reranker | None = None
    usage: UsageMeter = field(default_factory=UsageMeter)
    """The usage of the embedder and the reranker. The chat model counts its own calls."""
    owns_queue: bool = False

    @property
    def finds_by_meaning(self) -> bool:
        """True if there is an embedder and it is not known to be unavailable. Otherwise searches
        use words only."""
        return self.embedder is not None and not (
            isinstance(self.embedder, SharedOutageEmbedder) and self.embedder.is_away
        )

    def context(self) -> HistorianContext:
        """Return the runtime context of both graphs."""
        return HistorianContext(
            settings=self.settings,
            events=self.events,
            profiles=self.profiles,
            article_stores=self.article_stores,
            clock=self.clock,
            chat=self.chat,
            embedder=self.embedder,
            profile_index=self.backend.profile_index,
            judged=not_judged if self.chat is None else self.chat.judged,
        )

    async def aclose(self) -> None:
        """Close models and stores, and the queue if it was opened with them. If closing one part
        fails, the others are still closed."""
        async with AsyncExitStack() as stack:
            if self.owns_queue:
                stack.callback(self.queue.close)
            stack.callback(self.backend.close)
            for model in (self.reranker, self.embedder, self.chat):
                if model is not None:
                    stack.push_async_callback(model.aclose)


def open_parts(
    settings: Settings,
    *,
    clock: Callable[[], float],
    queue: JobQueue | None = None,
    models: GivenModels = AS_CONFIGURED,
) -> Parts:
    """Open the stores and models. `Parts.aclose` does not close a given `queue`. The given `models`
    replace those that the settings name.

    Blocking; raises StorageError if the database cannot be used.
    """
    directory = data_directory(settings)
    check_restored(directory)
    with ExitStack() as opened:
        if owns_queue := queue is None:
            queue = open_queue(settings, clock)
            opened.callback(queue.close)
        stores = open_backend(settings, queue)
        opened.callback(stores.close)
        usage = UsageMeter()
        embedder = usable_embedder(settings, stores.events, usage, models)
        reranker, chat = (
            usable_reranker(settings, usage, models),
            models.chat_model(settings.models),
        )
        opened.pop_all()
    return Parts(
        settings=settings,
        directory=directory,
        backend=stores,
        queue=stores.queue,
        owns_queue=owns_queue,
        events=stores.events,
        profiles=stores.profiles,
        article_stores=stores.article_stores,
        chat=chat,
        embedder=None if embedder is None else SharedOutageEmbedder(embedder, clock=clock),
        clock=clock,
        reranker=None if reranker is None else SharedOutageReranker(reranker, clock=clock),
        usage=usage,
    )


def usable_reranker(settings: Settings, usage: UsageMeter, models: GivenModels) -> Reranker | None:
    """Return the reranker; None if none is configured or given. Raises SettingsError."""
    return models.make_reranker(settings.models, usage)


def usable_embedder(
    settings: Settings, events: EventStore, usage: UsageMeter, models: GivenModels = AS_CONFIGURED
) -> Embedder | None:
    """Return the embedder; None if there is none, or if another model made the stored vectors.

    If the embedder is configured but not installed, this is logged, and None is returned: searches
    then use words only.
    """
    guard_models(settings.models)
    try:
        embedder = models.embedder(settings.models, usage)
    except NotInstalled as error:
        log.error("search uses keywords only: %s", error)
        return None
    if embedder is None:
        return None
    model, dimension = events.fingerprint() or (embedder.model, embedder.dimension)
    if embedder.model == model and embedder.dimension in (None, dimension):
        return MatchingEmbedder(embedder, events)
    log.warning(
        "the stored vectors are from %s (%d dimensions), but the configured model is %s: search "
        "uses keywords only, and no vector is overwritten. Run `historian reembed` to switch, or "
        "configure the former model again",
        model,
        dimension,
        embedder.model,
    )
    return None
