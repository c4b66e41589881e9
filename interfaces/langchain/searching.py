"""The tools that search events and read profiles."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ...retrieval.filters import MOST_HITS
from ...retrieval.prompt_block.formatting import format_memories, format_profile_hits
from ...schema.event import EventKind
from ...schema.language import Language
from ...schema.scope import EntityType, Scope
from ...schema.settings import Settings
from ...service.recall.reading import MOST_NEIGHBOURS, Reading
from .correcting import MOST_TOKENS
from .texts import TEXTS, Texts
from .tool_arguments import TargetArguments

_ANSWERS: Texts = TEXTS["answers"]


class SearchEventsArguments(TargetArguments):
    """The arguments of `search_events`."""

    query: str
    top_k: int | None = None
    user_id: str | None = None
    kind: EventKind | None = None
    time_from: str | None = None
    time_to: str | None = None
    occurs_from: str | None = None
    occurs_to: str | None = None
    tags: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] | None = None
    neighbours: int | None = Field(default=None, ge=0, le=MOST_NEIGHBOURS)


class GetProfileArguments(TargetArguments):
    """The arguments of `get_profile`."""

    entity_type: EntityType | None = "user"
    entity_id: str | None = None


class SearchProfilesArguments(TargetArguments):
    """The arguments of `search_profiles`."""

    query: str
    top_k: int | None = None


async def search_events(
    memory: Reading,
    scope: Scope,
    asked: SearchEventsArguments,
    language: Language,
    *,
    here_alone: bool = False,
) -> str:
    other = {"query", "top_k", "neighbours", *TargetArguments.model_fields}
    conditions = asked.model_dump(exclude=other, exclude_none=True)
    match asked.target(scope):
        case "user", user_id:
            conditions.setdefault("user_id", user_id)
    everywhere = getattr(memory, "search_everywhere", None)
    if everywhere is not None and not here_alone and is_admin(memory.settings, scope):
        hits = await everywhere(asked.query, top_k=asked.top_k, **conditions)
    else:
        around = asked.neighbours or 0
        hits = await memory.search_events(
            asked.query, scope, top_k=asked.top_k, neighbours=around, **conditions
        )
    names = await memory.shown_names(scope, asked.query, language)
    shown = format_memories([], hits, language=language, max_tokens=MOST_TOKENS, names=names)
    return shown or _ANSWERS["nothing"][language]


async def get_profile(
    memory: Reading, scope: Scope, asked: GetProfileArguments, language: Language
) -> str:
    named = asked.target(scope)
    if asked.entity_id and not asked.target_user_id and not asked.target_group_id:
        named = asked.entity_type or "user", asked.entity_id
    profile = await memory.get_profile(*named, scope) if named else None
    if profile is None:
        return _ANSWERS["no_profile"][language]
    names = await memory.shown_names(scope, (), language)
    shown = format_memories([profile], [], language=language, max_tokens=MOST_TOKENS, names=names)
    return shown or _ANSWERS["no_profile"][language]


async def search_profiles(
    memory: Reading, scope: Scope, asked: SearchProfilesArguments, language: Language
) -> str:
    named = asked.target(scope) if asked.target_user_id or asked.target_group_id else None
    is_narrowed = named is not None or asked.entity_type is not None
    hits = await memory.search_profiles(
        asked.query, scope, top_k=MOST_HITS if is_narrowed else asked.top_k
    )
    keys = [(hit, hit.profile.key) for hit in hits]
    fitting = [
        hit
        for hit, key in keys
        if asked.entity_type in (None, key.entity_type)
        and named in (None, (key.entity_type, key.entity_id))
    ]
    hits = fitting[: asked.top_k or memory.settings.query.profile_top_k]
    names = await memory.shown_names(scope, asked.query, language)
    shown = format_profile_hits(hits, language=language, max_tokens=MOST_TOKENS, names=names)
    return shown or _ANSWERS["nothing"][language]


def is_admin(settings: Settings, scope: Scope) -> bool:
    """Return True if the speaker of `scope` is an administrator in a private chat.

    Such a speaker may search every conversation.
    """
    return scope.request_type == "private" and scope.user_id in settings.query.admin_user_ids
