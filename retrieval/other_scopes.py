"""Search in other conversations: in all of them, for the operator; and in the facts that a user
stated in groups, for the private chat with that user.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from ..schema.errors import HistorianError, ModelError
from ..schema.event import Event, EventFilter
from ..schema.hit import Hit
from ..schema.protocols import Embedder, Vector
from ..schema.scope import is_asserted
from ..schema.settings import QuerySettings
from ..stores.tables.events.store import EventStore
from ..text.messages.content import has_content
from .driver import MODEL_SECONDS
from .event_recall import EventRecall, RunInThread
from .fusion import completed, nearest, reciprocal_rank, scores_of, weighted_sum
from .request import RecallRequest

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
    """Return the `top_k` events of all scopes that fit the query best, best first. Uses only
    keywords if the embedder fails.
    """
    found, (vector, dense) = await asyncio.gather(
        asyncio.to_thread(events.search_keywords, query, where, CANDIDATES),
        _dense(query, where, events, embedder),
    )
    keywords = dict(found)
    farther = tuple(event_id for event_id in keywords if event_id not in dense)
    if vector is not None and dense and farther:
        ids, matrix = await asyncio.to_thread(events.vectors, EventFilter(None, event_ids=farther))
        dense |= nearest(vector, ids, matrix)
    fuse = weighted_sum if settings.fusion == "weighted" else reciprocal_rank
    fused = fuse(
        [(completed(dense, keywords), settings.vector_weight), (keywords, settings.keyword_weight)]
    )
    best = sorted(fused, key=lambda event_id: (-fused[event_id], event_id))[: top_k + CANDIDATES]
    return [
        Hit(
            event,
            fused[event.event_id],
            scores_of(event.event_id, dense=dense, keyword=keywords, fused=fused),
        )
        for event in await asyncio.to_thread(events.get, best)
        if (not event.is_message or has_content(event.text)) and not event.has_expired(where.now)
    ][:top_k]


async def _dense(
    query: str, where: EventFilter, events: EventStore, embedder: Embedder | None
) -> tuple[Vector | None, dict[str, float]]:
    """Return the vector of the query and the similarities of the nearest events. Return None and no
    events if the query is empty or the embedder is missing or fails.
    """
    if embedder is None or not query.strip():
        return None, {}
    try:
        vector = await embedder.embed_query(query)
        compared = await asyncio.to_thread(events.nearest, vector, where, CANDIDATES)
        if compared is not None:
            return vector, dict(compared)
        return vector, await asyncio.to_thread(
            lambda: nearest(vector, *events.vectors(where), CANDIDATES)
        )
    except HistorianError as error:
        log.warning("searching by keywords only: %s", error)
        return None, {}


MOST = 3
"""The maximum number of facts from groups. They come behind the first hits of the private chat
itself."""
OWN_CANDIDATES = 50


async def own_words(
    steps: EventRecall,
    request: RecallRequest,
    user_id: str,
    settings: QuerySettings,
    run: RunInThread,
    until: float | None = None,
) -> list[Hit]:
    """Return the facts that `user_id` stated in groups and that fit the queries best, each with the
    name of its group. Raises StorageError.

    Searches without vectors if the embedder fails or has not answered by `until`, a time of the
    running loop (None: after MODEL_SECONDS).
    """
    asked = request.where
    for allowed, value in (
        (asked.user_ids, user_id),
        (asked.kinds, "fact"),
        (asked.sources, "job"),
    ):
        if allowed and value not in allowed:
            return []
    where = replace(
        asked,
        scope_key=None,
        user_ids=(user_id,),
        kinds=("fact",),
        sources=("job",),
        request_types=("group",),
        holds=True if asked.holds is None else asked.holds,
    )
    vectors: Sequence[Vector] = ()
    now = asyncio.get_running_loop().time()
    until = now + MODEL_SECONDS if until is None else until
    if until > now:
        with suppress(
            ModelError, TimeoutError
        ):  # the search of the private chat itself reports this error
            async with asyncio.timeout_at(until):
                vectors = await steps.embed(request, until)
    return await run(_found, steps.events, request.queries, vectors, where, user_id, settings)


def beside(own: Sequence[Hit], groups: Sequence[Hit], first: int) -> list[Hit]:
    """Return the hits of a private chat, with the hits from groups inserted behind its `first`
    best.
    """
    return [*own[:first], *groups, *own[first:]]


def _found(
    events: EventStore,
    queries: Sequence[str],
    vectors: Sequence[Vector],
    where: EventFilter,
    user_id: str,
    settings: QuerySettings,
) -> list[Hit]:
    keywords: dict[str, float] = {}
    dense: dict[str, float] = {}
    for query in queries:
        for event_id, score in events.search_keywords(query, where, OWN_CANDIDATES):
            keywords[event_id] = max(score, keywords.get(event_id, score))
    if vectors:
        ids, matrix = events.vectors(where)
        for vector in vectors:
            for place, (event_id, score) in enumerate(nearest(vector, ids, matrix).items()):
                if place < OWN_CANDIDATES or event_id in keywords:
                    dense[event_id] = max(score, dense.get(event_id, score))
    fused = weighted_sum(
        [(completed(dense, keywords), settings.vector_weight), (keywords, settings.keyword_weight)]
    )
    best = sorted(fused, key=lambda event_id: (-fused[event_id], event_id))
    own = [event for event in events.get(best) if _is_own(event, user_id)][:MOST]
    return [
        Hit(
            event,
            fused[event.event_id],
            scores_of(event.event_id, dense=dense, keyword=keywords, fused=fused),
            group=event.group_name or event.group_id,
        )
        for event in own
    ]


def _is_own(event: Event, user_id: str) -> bool:
    return (
        event.request_type == "group"
        and event.user_id == user_id
        and event.kind == "fact"
        and event.source == "job"
        and event.said_by == user_id
        and not is_asserted(event.event_id)
        and set(event.speakers) <= {user_id}
    )
