"""Portraits as a scope may read them, and search over them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from ..schema.errors import ModelError
from ..schema.hit import ProfileHit
from ..schema.profile import Profile, ProfileKey
from ..schema.protocols import Embedder, ProfileIndex, ProfileStorage
from ..schema.scope import EntityType, LayerRule, Scope, layers_read
from ..schema.settings import QuerySettings
from .fusion import weighted_sum

CANDIDATES = 200


def readable_profile(
    profiles: ProfileStorage, scope: Scope, entity_type: EntityType, entity_id: str, rule: LayerRule
) -> Profile | None:
    """The layers of a portrait that may be read in `scope`, as one: the most specific gives name and revision."""
    layers = [
        profile
        for layer in layers_read(scope, entity_type, entity_id, rule)
        if (profile := profiles.read(ProfileKey(entity_type, entity_id, layer))) is not None
    ]
    if not layers:
        return None
    last = layers[-1]
    name = next((profile.name for profile in reversed(layers) if profile.name), "")
    tags = tuple(dict.fromkeys(tag for profile in layers for tag in profile.tags))
    return replace(last, name=name, tags=tags, summary="\n\n".join(p.summary for p in layers if p.summary))


def may_read(scope: Scope, key: ProfileKey, rule: LayerRule) -> bool:
    """Whether one layer of a portrait may be read in `scope`."""
    return key.layer in layers_read(scope, key.entity_type, key.entity_id, rule)


async def search_portraits(
    query: str,
    scope: Scope,
    *,
    profiles: ProfileStorage,
    index: ProfileIndex,
    embedder: Embedder | None,
    settings: QuerySettings,
    rule: LayerRule,
    top_k: int,
) -> list[ProfileHit]:
    """Portraits that fit, best first; one hit an entity, its readable layers as one."""
    keywords = dict(await asyncio.to_thread(index.search_keywords, query, CANDIDATES))
    dense: dict[ProfileKey, float] = {}
    if embedder is not None and query.strip():
        try:
            vector = await embedder.embed_query(query)
            keys, matrix = await asyncio.to_thread(index.vectors)
            if keys and matrix.shape[1] == vector.shape[0]:
                dense = dict(zip(keys, map(float, matrix @ vector), strict=True))
        except ModelError:
            dense = {}
    readable = {key for key in {*keywords, *dense} if may_read(scope, key, rule)}
    scores = {
        name: {key: score for key, score in found.items() if key in readable}
        for name, found in (("dense", dense), ("keyword", keywords))
    }
    fused = weighted_sum([(scores["dense"], settings.vector_weight), (scores["keyword"], settings.keyword_weight)])
    hits: dict[tuple[EntityType, str], ProfileHit] = {}
    for key in sorted(readable, key=lambda one: -fused.get(one, 0.0)):
        entity = (key.entity_type, key.entity_id)
        if entity in hits or len(hits) >= top_k:
            continue
        profile = await asyncio.to_thread(readable_profile, profiles, scope, key.entity_type, key.entity_id, rule)
        if profile is not None:
            steps = {name: found[key] for name, found in scores.items() if key in found}
            hits[entity] = ProfileHit(profile, fused[key], {**steps, "fused": fused[key]})
    return list(hits.values())
