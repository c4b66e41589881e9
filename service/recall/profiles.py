"""Reading and searching of the profiles that a conversation may read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...retrieval.event_recall import EventRecall
from ...retrieval.filters import bounded_top_k, profile_filter
from ...retrieval.fusion import completed, nearest, scores_of, weighted_sum
from ...schema.errors import ModelError
from ...schema.hit import ProfileHit
from ...schema.profile import Profile, ProfileKey, ProfileLine
from ...schema.protocols import Reranker
from ...schema.scope import EntityType, Scope, layers_read
from ...schema.settings import Settings
from ...text.profiles.lines import distinct
from ..components import Parts

log = logging.getLogger(__name__)

CANDIDATES = 200
RERANK_SECONDS = 5.0
"""Time limit in seconds of a reranking."""
JOBS_READ = 20
"""Maximum number of waiting jobs of a scope that are read for their users."""
MOST_NAMED = 3
"""Maximum number of people named in a question whose profiles are shown."""


class ProfileRecall:
    """Reads and searches profiles. Its synchronous methods are blocking; all raise StorageError."""

    def __init__(self, parts: Parts, settings: Callable[[], Settings], events: EventRecall) -> None:
        self._parts = parts
        self._settings = settings
        self._events = events

    def read(self, entity_type: EntityType, entity_id: str, scope: Scope) -> Profile | None:
        """Return the layers of a profile that `scope` may read, merged into one; None if there are
        none.

        The revision is that of the most specific layer, the name that of the most specific layer
        with a name.
        """
        # The speaker of `scope` needs no check here, unless a request alone asserts who speaks.
        asked = entity_type == "user" and (entity_id != scope.user_id or scope.speaker_is_asserted)
        limits = self._settings().cognitive.profile
        spoken = asked and (
            limits.public_layer == "everywhere" or self._has_spoken(scope, entity_id)
        )
        read = layers_read(scope, entity_type, entity_id, limits.profile_layers, has_spoken=spoken)
        keys = [ProfileKey(entity_type, entity_id, layer) for layer in read]
        layers = [
            profile for key in keys if (profile := self._parts.profiles.read(key)) is not None
        ]
        if not layers:
            return None
        name = next((profile.name for profile in reversed(layers) if profile.name), "")
        tags = tuple(dict.fromkeys(tag for profile in layers for tag in profile.tags))
        lines = distinct(line for profile in layers for line in profile.lines)
        return replace(layers[-1], name=name, tags=tags, lines=lines)

    def of_conversation(self, scope: Scope) -> list[Profile]:
        """Return the profiles of the speaker and of the group, without lines that have ended."""
        wanted: list[tuple[EntityType, str]] = [("user", scope.user_id), ("group", scope.group_id)]
        found = [self.read(kind, entity_id, scope) for kind, entity_id in wanted if entity_id]
        return [self._holding(profile) for profile in found if profile is not None]

    def named_in(self, said: Sequence[str], scope: Scope) -> list[Profile]:
        """Return the profiles of other members of a group that a question names, at most
        MOST_NAMED, without lines that have ended."""
        names = self._events.tables.names(scope.key)
        people = dict.fromkeys(
            who for text in said for who in names.named_in(text) if who != scope.user_id
        )
        found = [self.read("user", who, scope) for who in list(people)[:MOST_NAMED]]
        return [self._holding(profile) for profile in found if profile is not None]

    async def search(self, query: str, scope: Scope, top_k: int | None) -> list[ProfileHit]:
        """Return the profiles that match, best first, without lines that have ended.

        There is one hit per entity, with its readable layers merged. A reranker, if there is one,
        orders `rerank_candidate_multiplier` times as many hits. If it fails or takes too long, the
        order is unchanged.
        """
        settings, limits, index = (
            self._settings().query,
            self._settings().cognitive.profile,
            self._parts.backend.profile_index,
        )
        most, reranker = bounded_top_k(top_k, settings.profile_top_k), self._events.reranker
        wanted = most if reranker is None else most * settings.rerank_candidate_multiplier
        speakers = await asyncio.to_thread(self._waiting_speakers, scope)
        where = profile_filter(scope, limits.profile_layers, limits.public_layer, speakers)
        keywords = dict(await asyncio.to_thread(index.search_keywords, query, CANDIDATES, where))
        dense: dict[ProfileKey, float] = {}
        if self._events.vectors is not None and query.strip():
            try:
                vector = await self._events.vectors.get(query)
                dense = nearest(vector, *await asyncio.to_thread(index.vectors, where))
            except ModelError as error:
                log.warning("profiles are searched by keywords alone: %s", error)
        fused = weighted_sum(
            [
                (completed(dense, keywords), settings.vector_weight),
                (keywords, settings.keyword_weight),
            ]
        )
        hits: dict[tuple[EntityType, str], ProfileHit] = {}
        for key in sorted(fused, key=lambda one: (-fused[one], one.index_id)):
            entity = (key.entity_type, key.entity_id)
            if entity in hits or len(hits) >= wanted:
                continue
            profile = await asyncio.to_thread(self.read, key.entity_type, key.entity_id, scope)
            if profile is not None:
                scores = scores_of(key, dense=dense, keyword=keywords, fused=fused)
                hits[entity] = ProfileHit(self._holding(profile), fused[key], scores)
        found = list(hits.values())
        return (found if reranker is None else await _reranked(query, found, reranker))[:most]

    def _has_spoken(self, scope: Scope, user_id: str) -> bool:
        """Return True if events or waiting jobs show that a user has spoken in a scope."""
        return self._parts.events.has_spoken(
            scope.key, user_id
        ) or user_id in self._waiting_speakers(scope)

    def _waiting_speakers(self, scope: Scope) -> list[str]:
        """Return the users of the newest jobs of a scope that are not filed yet. Users that are
        only asserted are left out."""
        waiting = self._parts.queue.waiting(scope.key, JOBS_READ)
        jobs = (job for job in waiting if job.scope.key == scope.key and not job.scope.asserted)
        return list(dict.fromkeys(job.user_id for job in jobs))

    def _holding(self, profile: Profile) -> Profile:
        """Return a profile without the lines that have ended."""
        moment = ProfileLine.until_moment(self._parts.clock())
        return replace(
            profile, lines=tuple(line for line in profile.lines if line.holds_at(moment))
        )


async def _reranked(query: str, found: list[ProfileHit], reranker: Reranker) -> list[ProfileHit]:
    """Return the hits in the reranker's order. Hits that the reranker left out follow in their
    former order."""
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
    first = [
        replace(found[n], score=score, scores={**found[n].scores, "rerank": score})
        for n, score in ranked
    ]
    judged = {n for n, _ in ranked}
    return [*first, *(hit for n, hit in enumerate(found) if n not in judged)]
