"""Search without a scope, for the operator: by the derived index where this process owns it, else by a scan."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import numpy as np

from ..schema.errors import HistorianError, StorageError
from ..schema.event import EventFilter
from ..schema.hit import Hit
from ..schema.protocols import Embedder, EventStore, Matrix, Vector, VectorIndex
from ..schema.settings import QuerySettings
from .fusion import reciprocal_rank, weighted_sum

log = logging.getLogger(__name__)

CANDIDATES = 100
"""Taken from each list before the fusion."""
MOST_WAITING = 1_000
"""Events that the index may lack; with more, all vectors are scanned instead."""


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
                found = await asyncio.to_thread(_indexed, vector, events, index)
            except StorageError as error:
                log.warning("the vectors are scanned: %s", error)
            else:
                if found is not None:
                    return found
        return await asyncio.to_thread(lambda: _nearest(vector, *events.vectors(where)))
    except HistorianError as error:
        log.warning("search by keywords alone: %s", error)
        return []


def _indexed(vector: Vector, events: EventStore, index: VectorIndex) -> list[tuple[str, float]] | None:
    """What the index finds, corrected by what it has not been told yet; None where that is so much that a scan is better.

    The outbox is read first: what is told to the index meanwhile is found twice, and taken from the outbox.
    """
    waiting, ids, matrix = events.unindexed_vectors(MOST_WAITING + 1)
    if len(waiting) > MOST_WAITING:
        return None
    stale = set(waiting)
    known = [one for one in index.query(vector, CANDIDATES + len(stale)) if one[0] not in stale]
    return sorted([*known, *_nearest(vector, ids, matrix)], key=lambda one: -one[1])[:CANDIDATES]


def _nearest(vector: Vector, ids: Sequence[str], matrix: Matrix) -> list[tuple[str, float]]:
    if not ids or matrix.shape[1] != vector.shape[0]:
        return []
    similarities = matrix @ vector
    order = np.argsort(-similarities, kind="stable")[:CANDIDATES]
    return [(ids[n], float(similarities[n])) for n in order]
