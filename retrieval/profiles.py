"""Profiles as far as a scope may read them, and the search over them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from ..schema.errors import ModelError
from ..schema.hit import ProfileHit
from ..schema.profile import Profile, ProfileKey, ProfileLine
from ..schema.protocols import EventStore, JobQueue, ProfileIndex, ProfileStorage, Reranker, Vector
from ..schema.scope import EntityType, LayerRule, PublicLayer, Scope, layers_read
from ..schema.settings import QuerySettings
from ..text.profiles.lines import distinct
from .filters import profile_filter
from .fusion import completed, nearest, scores_of, weighted_sum

log = logging.getLogger(__name__)

CANDIDATES = 200
RERANK_SECONDS = 5.0
"""Time limit of a reranking."""
JOBS_READ = 20
"""Number of waiting jobs of a scope that are asked for their users."""

EmbedQuery = Callable[[str], Awaitable[Vector]]
ReadProfile = Callable[[EntityType, str, Scope], Profile | None]
"""Returns a profile as far as a scope may read it. Blocking; raises StorageError."""


def waiting_speakers(queue: JobQueue, scope: Scope) -> list[str]:
    """Return the users of the newest jobs of a scope that are not filed yet. Blocking; raises StorageError."""
    jobs = (job for job in queue.waiting(scope.key, JOBS_READ) if job.scope.key == scope.key and not job.scope.asserted)
    return list(dict.fromkeys(job.user_id for job in jobs))


def has_spoken(events: EventStore, queue: JobQueue, scope: Scope, user_id: str) -> bool:
    """Return True if a user has spoken in a scope, as far as events and waiting jobs tell. Blocking; raises StorageError."""
    return events.has_spoken(scope.key, user_id) or user_id in waiting_speakers(queue, scope)


def readable_profile(
    profiles: ProfileStorage,
    scope: Scope,
    entity_type: EntityType,
    entity_id: str,
    rule: LayerRule,
    *,
    has_spoken: bool = False,
) -> Profile | None:
    """Return the layers of a profile that `scope` may read, as one; name and revision are those of the most specific."""
    layers = [
        profile
        for layer in layers_read(scope, entity_type, entity_id, rule, has_spoken=has_spoken)
        if (profile := profiles.read(ProfileKey(entity_type, entity_id, layer))) is not None
    ]
    if not layers:
        return None
    last = layers[-1]
    name = next((profile.name for profile in reversed(layers) if profile.name), "")
    tags = tuple(dict.fromkeys(tag for profile in layers for tag in profile.tags))
    return replace(last, name=name, tags=tags, lines=distinct(line for profile in layers for line in profile.lines))


def holding(profile: Profile, now: float) -> Profile:
    """Return a profile without the lines that have ended at `now`, in seconds since the epoch."""
    moment = ProfileLine.until_moment(now)
    return replace(profile, lines=tuple(line for line in profile.lines if line.holds_at(moment)))


def readable_profiles(read: ReadProfile, scope: Scope, now: float) -> list[Profile]:
    """Return the profiles of a conversation, those of the speaker and of the group, with what holds at `now` (seconds since the
    epoch). Blocking; raises StorageError."""
    wanted: list[tuple[EntityType, str]] = [("user", scope.user_id)] if scope.user_id else []
    if scope.group_id:
        wanted.append(("group", scope.group_id))
    found = [read(kind, entity_id, scope) for kind, entity_id in wanted]
    return [holding(profile, now) for profile in found if profile is not None]


async def find_profiles(
    query: str,
    scope: Scope,
    *,
    read: ReadProfile,
    index: ProfileIndex,
    embed: EmbedQuery | None,
    reranker: Reranker | None = None,
    settings: QuerySettings,
    rule: LayerRule,
    public_layer: PublicLayer,
    speakers: Sequence[str],
    top_k: int,
    now: float,
) -> list[ProfileHit]:
    """Return the profiles that fit, with what holds at `now` (seconds since the epoch), best first; one hit per entity, its
    readable layers as one. Raises StorageError.

    A reranker orders `rerank_candidate_multiplier` times as many; where it fails or takes too long, the order before stands.
    """
    wanted = top_k if reranker is None else top_k * settings.rerank_candidate_multiplier
    where = profile_filter(scope, rule, public_layer, speakers)
    keywords = dict(await asyncio.to_thread(index.search_keywords, query, CANDIDATES, where))
    dense: dict[ProfileKey, float] = {}
    if embed is not None and query.strip():
        try:
            vector = await embed(query)
            dense = nearest(vector, *await asyncio.to_thread(index.vectors, where))
        except ModelError as error:
            log.warning("profiles are searched by keywords alone: %s", error)
    fused = weighted_sum([(completed(dense, keywords), settings.vector_weight), (keywords, settings.keyword_weight)])
    hits: dict[tuple[EntityType, str], ProfileHit] = {}
    for key in sorted(fused, key=lambda one: (-fused[one], one.index_id)):
        entity = (key.entity_type, key.entity_id)
        if entity in hits or len(hits) >= wanted:
            continue
        profile = await asyncio.to_thread(read, key.entity_type, key.entity_id, scope)
        if profile is not None:
            hits[entity] = ProfileHit(
                holding(profile, now), fused[key], scores_of(key, dense=dense, keyword=keywords, fused=fused)
            )
    found = list(hits.values())
    return (found if reranker is None else await _reranked(query, found, reranker))[:top_k]


async def _reranked(query: str, found: list[ProfileHit], reranker: Reranker) -> list[ProfileHit]:
    """Return the hits in the reranker's order; those that it leaves out stay behind, in the order before."""
    if not (found and query.strip()):
        return found
    texts = [f"{hit.profile.name}\n{hit.profile.summary}".strip() for hit in found]
    until = asyncio.get_running_loop().time() + RERANK_SECONDS
    try:
        async with asyncio.timeout_at(until):
            ranked = await reranker.rerank(query, texts, len(texts), until)
    except (TimeoutError, ModelError) as error:
        log.warning("profiles are not reranked: %s", str(error) or "out of time")
        return found
    first = [replace(found[n], score=score, scores={**found[n].scores, "rerank": score}) for n, score in ranked]
    judged = {n for n, _ in ranked}
    return [*first, *(hit for n, hit in enumerate(found) if n not in judged)]
