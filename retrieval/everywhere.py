"""Search without a scope, for the operator: by the derived index where this process owns it, else by a scan."""

from __future__ import annotations

import asyncio
import logging

import numpy as np

from ..schema.errors import HistorianError, StorageError
from ..schema.event import EventFilter
from ..schema.hit import Hit
from ..schema.protocols import Embedder, EventStore, VectorIndex
from ..schema.settings import QuerySettings
from .fusion import reciprocal_rank, weighted_sum

log = logging.getLogger(__name__)

CANDIDATES = 100
"""Taken from each list before the fusion."""


async def search_everywhere(
    query: str,
    where: EventFilter,
    *,
    events: EventStore,
    embedder: Embedder | None,
    index: VectorIndex | None,
    settings: QuerySettings,
    top_k: int,
) -> list[Hit]:
    """The `top_k` events of any scope that fit best, best first. Where the embedder fails, keywords alone answer.

    `index` is the owner's; it answers only what nothing but a query narrows, all else is scanned.
    """
    keyword_scores, dense_scores = await asyncio.gather(
        asyncio.to_thread(events.search_keywords, query, where, CANDIDATES), _dense(query, where, events, embedder, index)
    )
    keywords, dense = dict(keyword_scores), dict(dense_scores)
    fuse = weighted_sum if settings.fusion == "weighted" else reciprocal_rank
    fused = fuse([(dense, settings.vector_weight), (keywords, settings.keyword_weight)])
    best = sorted(fused, key=lambda event_id: (-fused[event_id], event_id))[:top_k]
    steps = (("dense", dense), ("keyword", keywords), ("fused", fused))
    return [
        Hit(
            event,
            fused[event.event_id],
            {name: scores[event.event_id] for name, scores in steps if event.event_id in scores},
        )
        for event in await asyncio.to_thread(events.get, best)
    ]


async def _dense(
    query: str, where: EventFilter, events: EventStore, embedder: Embedder | None, index: VectorIndex | None
) -> list[tuple[str, float]]:
    if embedder is None or not query.strip():
        return []
    try:
        vector = await embedder.embed_query(query)
        if index is not None and not where.narrows and where.scope_key is None:
            try:
                return await asyncio.to_thread(index.query, vector, CANDIDATES)
            except StorageError as error:
                log.warning("the vectors are scanned: %s", error)
        ids, matrix = await asyncio.to_thread(events.vectors, where)
    except HistorianError as error:
        log.warning("search by keywords alone: %s", error)
        return []
    if not ids or matrix.shape[1] != vector.shape[0]:
        return []
    similarities = matrix @ vector
    order = np.argsort(-similarities, kind="stable")[:CANDIDATES]
    return [(ids[n], float(similarities[n])) for n in order]
