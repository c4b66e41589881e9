"""Search without a scope, for the operator: the server compares the vectors, or they are scanned."""

from __future__ import annotations

import asyncio
import logging

from ..schema.errors import HistorianError
from ..schema.event import EventFilter
from ..schema.hit import Hit
from ..schema.protocols import Embedder, Vector
from ..schema.settings import QuerySettings
from ..stores.tables.events.store import EventStore
from ..text.content import has_content
from .fusion import completed, nearest, reciprocal_rank, scores_of, weighted_sum

log = logging.getLogger(__name__)

CANDIDATES = 100
"""Number of results taken from each list before the fusion."""


async def search_everywhere(
    query: str,
    where: EventFilter,
    *,
    events: EventStore,
    embedder: Embedder | None,
    settings: QuerySettings,
    top_k: int,
) -> list[Hit]:
    """Return the `top_k` events of any scope that fit best, best first. Uses keywords alone if the embedder fails."""
    found, (vector, dense) = await asyncio.gather(
        asyncio.to_thread(events.search_keywords, query, where, CANDIDATES), _dense(query, where, events, embedder)
    )
    keywords = dict(found)
    farther = tuple(event_id for event_id in keywords if event_id not in dense)
    if vector is not None and dense and farther:
        ids, matrix = await asyncio.to_thread(events.vectors, EventFilter(None, event_ids=farther))
        dense |= nearest(vector, ids, matrix)
    fuse = weighted_sum if settings.fusion == "weighted" else reciprocal_rank
    fused = fuse([(completed(dense, keywords), settings.vector_weight), (keywords, settings.keyword_weight)])
    best = sorted(fused, key=lambda event_id: (-fused[event_id], event_id))[: top_k + CANDIDATES]
    return [
        Hit(event, fused[event.event_id], scores_of(event.event_id, dense=dense, keyword=keywords, fused=fused))
        for event in await asyncio.to_thread(events.get, best)
        if (not event.is_message or has_content(event.text)) and not event.has_expired(where.now)
    ][:top_k]


async def _dense(
    query: str, where: EventFilter, events: EventStore, embedder: Embedder | None
) -> tuple[Vector | None, dict[str, float]]:
    """Return the vector of the query and the nearest events; None and nothing if the query has none."""
    if embedder is None or not query.strip():
        return None, {}
    try:
        vector = await embedder.embed_query(query)
        compared = await asyncio.to_thread(events.nearest, vector, where, CANDIDATES)
        if compared is not None:
            return vector, dict(compared)
        return vector, await asyncio.to_thread(lambda: nearest(vector, *events.vectors(where), CANDIDATES))
    except HistorianError as error:
        log.warning("search by keywords alone: %s", error)
        return None, {}
