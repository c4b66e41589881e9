"""Hybrid search over events: exact dense search and keywords in the same scope, fused."""

from __future__ import annotations

import asyncio
import logging

from ..schema.errors import HistorianError
from ..schema.event import EventFilter
from ..schema.hit import Hit
from ..schema.protocols import Embedder, EventStore
from ..schema.settings import QuerySettings
from .fusion import reciprocal_rank, weighted_sum

log = logging.getLogger(__name__)

CANDIDATES = 100
"""Taken from each list before the fusion."""


async def search_events(
    query: str,
    where: EventFilter,
    *,
    events: EventStore,
    embedder: Embedder | None,
    settings: QuerySettings,
    top_k: int,
) -> list[Hit]:
    """The `top_k` events that fit best, best first. Where the embedder fails, keywords alone answer."""
    keyword_scores, dense_scores = await asyncio.gather(
        asyncio.to_thread(events.search_keywords, query, where, CANDIDATES), _dense(query, where, events, embedder)
    )
    keywords, dense = dict(keyword_scores), dict(dense_scores)
    fuse = weighted_sum if settings.fusion == "weighted" else reciprocal_rank
    fused = fuse([(dense, settings.vector_weight), (keywords, settings.keyword_weight)])
    best = sorted(fused, key=lambda event_id: (-fused[event_id], event_id))[:top_k]
    return [
        Hit(
            event,
            fused[event.event_id],
            {
                name: scores[event.event_id]
                for name, scores in (("dense", dense), ("keyword", keywords), ("fused", fused))
                if event.event_id in scores
            },
        )
        for event in await asyncio.to_thread(events.get, best)
    ]


async def _dense(query: str, where: EventFilter, events: EventStore, embedder: Embedder | None) -> list[tuple[str, float]]:
    if embedder is None or not query.strip():
        return []
    try:
        vector = await embedder.embed_query(query)
        ids, matrix = await asyncio.to_thread(events.vectors, where)
    except HistorianError as error:
        log.warning("recall by keywords alone: %s", error)
        return []
    if not ids or matrix.shape[1] != vector.shape[0]:
        return []
    similarities = matrix @ vector
    order = similarities.argsort()[::-1][:CANDIDATES]
    return [(ids[n], float(similarities[n])) for n in order]
