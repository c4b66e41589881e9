"""The interface that the retriever and the tools use: an open `CognitiveService` or a `MemoryReader` implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from ...schema.hit import Hit, ProfileHit
from ...schema.language import Language, LanguageChoice
from ...schema.profile import Profile
from ...schema.scope import EntityType, Scope
from ...schema.settings import Settings
from ...service.recall.arguments import ReadingState


@runtime_checkable
class EventSearch(Protocol):
    """A memory that the retriever can search."""

    async def search_events(
        self,
        query: str | Sequence[str],
        scope: Scope,
        *,
        top_k: int | None = None,
        context: Sequence[str] = (),
        **conditions: Any,
    ) -> list[Hit]: ...


@runtime_checkable
class Memory(EventSearch, Protocol):
    """A memory that the tools can read."""

    @property
    def settings(self) -> Settings: ...

    async def get_profile(self, entity_type: EntityType, entity_id: str, scope: Scope) -> Profile | None: ...

    async def search_profiles(self, query: str, scope: Scope, *, top_k: int | None = None) -> list[ProfileHit]: ...

    async def get_relevant_memories(
        self,
        user_input: str,
        user_id: str | int,
        scope: Scope | None = None,
        *,
        deep: bool = False,
        max_tokens: int | None = None,
        language: LanguageChoice | None = None,
    ) -> str: ...

    def reading_state(self) -> ReadingState: ...

    def language_of(
        self, scope: Scope | None, said: str | Sequence[str] = (), *, language: LanguageChoice | None = None
    ) -> Language: ...
