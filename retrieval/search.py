"""One search with nothing kept for the next: for commands that open the stores, ask and close."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..schema.event import EventFilter
from ..schema.hit import Hit
from ..schema.protocols import Embedder, EventStore
from ..schema.settings import QuerySettings
from .event_recall import EventRecall
from .everywhere import search_everywhere
from .request import make_request


async def search_events(
    query: str,
    where: EventFilter,
    *,
    events: EventStore,
    embedder: Embedder | None,
    settings: QuerySettings,
    top_k: int,
    clock: Callable[[], float] = time.time,
    timezone: str = "UTC",
) -> list[Hit]:
    """The `top_k` events that `where` admits and that fit best, best first. Where the embedder fails, keywords answer."""
    if where.scope_key is None:
        return await search_everywhere(query, where, events=events, embedder=embedder, index=None, settings=settings, top_k=top_k)
    recall = EventRecall(events, embedder, None, settings=lambda: settings, clock=clock)
    half_life = settings.time_decay_half_life_days_tools
    request = make_request(query, where, top_k=top_k, half_life_days=half_life, now=clock(), timezone=timezone)
    try:
        return await recall.search(request)
    finally:
        await recall.aclose()
