"""The dependencies of the nodes of the write graph and of the reflection graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..schema.protocols import Embedder, Judged, StructuredChat, not_judged
from ..schema.settings import Settings
from .tables.articles import ArticleStores
from .tables.events.store import EventStore
from .tables.profile_index import ProfileIndex
from .tables.profiles import ProfileStorage


@dataclass(frozen=True, slots=True)
class HistorianContext:
    """Dependencies of the nodes of both graphs.

    `chat`, `embedder` and `profile_index` are None if unavailable. A node that verifies an answer
    calls `judged("extract", taken=3, refused=1)` with the numbers of items that it accepted and
    refused.
    """

    settings: Settings
    events: EventStore
    profiles: ProfileStorage
    article_stores: ArticleStores
    clock: Callable[[], float]
    chat: StructuredChat | None = None
    judged: Judged = not_judged
    embedder: Embedder | None = None
    profile_index: ProfileIndex | None = None

    @property
    def asks_a_model(self) -> bool:
        """True if a model writes the events of conversations.

        Jobs of messages then wait until their conversation is silent.
        """
        return self.chat is not None and self.settings.historian.rewrite_mode != "rules"
