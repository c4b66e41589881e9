"""What a user told in groups, for the private chat with that very user: off by default (`query.own_words_from_groups`).

Other conversations are searched here, so the rules are narrow: facts of the user's own, in words that are known to be theirs,
never what others said or may have said, what was observed, notes or summaries, and no profile of a group.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from ..schema.errors import ModelError
from ..schema.event import Event, EventFilter
from ..schema.hit import Hit
from ..schema.protocols import Vector
from ..schema.scope import is_asserted
from ..schema.settings import QuerySettings
from ..stores.tables.events.store import EventStore
from .driver import MODEL_SECONDS
from .event_recall import EventRecall, RunInThread
from .fusion import completed, nearest, scores_of, weighted_sum
from .request import RecallRequest

MOST = 3
"""So many facts are brought from groups at most; they stand behind the first ones of the private chat itself."""
CANDIDATES = 50


async def own_words(
    steps: EventRecall,
    request: RecallRequest,
    user_id: str,
    settings: QuerySettings,
    run: RunInThread,
    until: float | None = None,
) -> list[Hit]:
    """Return what `user_id` told in groups that fits best, each with the name of its group. Raises StorageError.

    Without vectors, where the embedder fails or gives no answer by `until`, a time of the running loop (None: in MODEL_SECONDS).
    """
    asked = request.where
    for allowed, value in ((asked.user_ids, user_id), (asked.kinds, "fact"), (asked.sources, "job")):
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
        with suppress(ModelError, TimeoutError):  # told by the search of the private chat itself
            async with asyncio.timeout_at(until):
                vectors = await steps.embed(request, until)
    return await run(_found, steps.events, request.queries, vectors, where, user_id, settings)


def beside(own: Sequence[Hit], groups: Sequence[Hit], first: int) -> list[Hit]:
    """Return the hits of a private chat with those from groups behind its `first` best."""
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
        for event_id, score in events.search_keywords(query, where, CANDIDATES):
            keywords[event_id] = max(score, keywords.get(event_id, score))
    if vectors:
        ids, matrix = events.vectors(where)
        for vector in vectors:
            for place, (event_id, score) in enumerate(nearest(vector, ids, matrix).items()):
                if place < CANDIDATES or event_id in keywords:
                    dense[event_id] = max(score, dense.get(event_id, score))
    fused = weighted_sum([(completed(dense, keywords), settings.vector_weight), (keywords, settings.keyword_weight)])
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
