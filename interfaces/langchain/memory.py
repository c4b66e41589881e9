"""What the retriever and the tools ask of a memory: an open `CognitiveService`, or a `MemoryReader`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from ...schema.hit import Hit, ProfileHit
from ...schema.profile import Profile
from ...schema.scope import EntityType, Scope
from ...schema.settings import Settings
from ...text.language import Language


@runtime_checkable
class EventSearch(Protocol):
    """A memory that a retriever searches."""

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
    """A memory that the tools read."""

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
        language: Language | None = None,
    ) -> str: ...
