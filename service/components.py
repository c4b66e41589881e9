"""The stores and models of a service, opened as the settings say."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from ..models.brought.given import GivenModels
from ..models.embeddings.wrapped import MatchingEmbedder
from ..models.secrets import guard_models
from ..models.usage import UsageMeter
from ..schema.errors import NotInstalled
from ..schema.graph_states.historian import HistorianContext
from ..schema.graph_states.reflection import ReflectionContext
from ..schema.protocols import ArticleStores, Backend, ChatModel, Embedder, EventStore, JobQueue, ProfileStorage, Reranker
from ..schema.settings import Settings
from ..stores.opening import open_backend
from ..stores.opening import open_queue as open_queue
from .data_directory import check_restored, data_directory
from .outages.models import SharedOutageEmbedder, SharedOutageReranker

log = logging.getLogger(__name__)

AS_CONFIGURED = GivenModels()
"""No model is given: the settings name all of them."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The stores and models of one memory: `backend` has all stores, of which the most used stand here too.

    `directory` is the data directory of this machine.
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
    """What embeddings and reranking cost; the chat model counts its own calls."""

    @property
    def finds_by_meaning(self) -> bool:
        """True if there is an embedder that is not known to be away; without one, searches go by words alone."""
        return self.embedder is not None and not (isinstance(self.embedder, SharedOutageEmbedder) and self.embedder.is_away)

    def context(self) -> HistorianContext:
        """Return the runtime context of the historian graph."""
        return HistorianContext(
            settings=self.settings,
            events=self.events,
            profiles=self.profiles,
            clock=self.clock,
            chat=self.chat,
            embedder=self.embedder,
            profile_index=self.backend.profile_index,
        )

    def reflection_context(self) -> ReflectionContext:
        """Return the runtime context of the reflection graph."""
        return ReflectionContext(
            settings=self.settings, events=self.events, article_stores=self.article_stores, clock=self.clock, chat=self.chat
        )

    async def aclose(self) -> None:
        """Close models and stores. An error of one does not keep the others open."""
        async with AsyncExitStack() as stack:
            stack.callback(self.backend.close)
            for model in (self.reranker, self.embedder, self.chat):
                if model is not None:
                    stack.push_async_callback(model.aclose)


def open_parts(settings: Settings, *, queue: JobQueue, clock: Callable[[], float], models: GivenModels = AS_CONFIGURED) -> Parts:
    """Open everything, with a queue of `open_queue`. `models` take the place of those that the settings name.

    Blocking; raises StorageError if the database cannot be used.
    """
    directory = data_directory(settings)
    check_restored(directory)
    stores = open_backend(settings, queue)
    try:
        usage = UsageMeter()
        embedder = usable_embedder(settings, stores.events, usage, models)
        reranker, chat = usable_reranker(settings, usage, models), models.chat_model(settings.models)
    except BaseException:
        stores.close()
        raise
    return Parts(
        settings=settings,
        directory=directory,
        backend=stores,
        queue=stores.queue,
        events=stores.events,
        profiles=stores.profiles,
        article_stores=stores.article_stores,
        chat=chat,
        embedder=None if embedder is None else SharedOutageEmbedder(embedder, clock=clock, random=random.random),
        clock=clock,
        reranker=None if reranker is None else SharedOutageReranker(reranker, clock=clock, random=random.random),
        usage=usage,
    )


def usable_reranker(settings: Settings, usage: UsageMeter, models: GivenModels) -> Reranker | None:
    """Return the reranker; None if there is none. Raises SettingsError."""
    return models.make_reranker(settings.models, usage)


def usable_embedder(
    settings: Settings, events: EventStore, usage: UsageMeter, models: GivenModels = AS_CONFIGURED
) -> Embedder | None:
    """Return the embedder; None if there is none, or if the stored vectors were made by another model.

    One that is configured and not installed is missed in the log, and stops nobody: search goes by words.
    """
    guard_models(settings.models)
    try:
        embedder = models.embedder(settings.models, usage)
    except NotInstalled as error:
        log.error("search goes by keywords only: %s", error)
        return None
    if embedder is None:
        return None
    model, dimension = events.fingerprint() or (embedder.model, embedder.dimension)
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
