"""The reading methods that `CognitiveService` and `MemoryReader` share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from ...retrieval.request import MOST_QUERIES, bounded_query
from ...schema.errors import InvalidInput
from ...schema.hit import Hit, ProfileHit
from ...schema.ids import told
from ...schema.language import Language
from ...schema.profile import Profile
from ...schema.scope import EntityType, Scope, checked_scope
from .arguments import checked_query, count, texts

if TYPE_CHECKING:
    from .timed import Recall


class Reading:
    """Reading methods over `_reading()`. They return nothing where that gives None: memory is off, or there is none yet."""

    async def _reading(self) -> Recall | None:
        raise NotImplementedError

    async def search_events(
        self,
        query: str | Sequence[str],
        scope: Scope,
        *,
        top_k: int | None = None,
        context: Sequence[str] = (),
        **conditions: Any,
    ) -> list[Hit]:
        """Return the events of a scope that fit `query`, best first; what waits to be filed is marked `pending`.

        `conditions` narrow the search: `user_id`, `sender_id`, `kind`, `source`, `time_from`, `time_to` (when it was
        said: ISO 8601, dates or seconds since the epoch; a reversed range is swapped), `occurs_from`, `occurs_to` (the time
        that it tells of), `is_absolute`, and the fields of `EventFilter` but its scope.
        `top_k` is at least 1; more than 500 count as 500. Raises InvalidInput that names the argument, StorageError.
        """
        checked_query(query)
        checked_scope(scope)
        recall = await self._reading()
        return [] if recall is None else await recall.search(query, scope, top_k=top_k, context=context, **conditions)

    async def get_profile(self, entity_type: EntityType, entity_id: str | int, scope: Scope) -> Profile | None:
        """Return the profile of a user or group as far as `scope` may read it, its layers as one; None if there is none.

        Raises InvalidInput, StorageError.
        """
        if entity_type not in get_args(EntityType):
            raise InvalidInput(f"entity_type: {told(entity_type)} is not one of {', '.join(get_args(EntityType))}")
        checked_scope(scope)
        recall = await self._reading()
        return None if recall is None else await recall.profile(entity_type, str(entity_id), scope)

    async def search_profiles(self, query: str, scope: Scope, *, top_k: int | None = None) -> list[ProfileHit]:
        """Return the profiles that fit `query` and may be read in `scope`, best first. Raises InvalidInput, StorageError."""
        checked_query(query)
        checked_scope(scope)
        recall = await self._reading()
        return [] if recall is None else await recall.search_profiles(query, scope, top_k=top_k)

    async def get_relevant_memories(
        self,
        user_input: str,
        user_id: str | int,
        scope: Scope | None = None,
        *,
        deep: bool = False,
        max_tokens: int | None = None,
        language: Language | None = None,
    ) -> str:
        """Return the assistant's article about `user_id` and the summaries, newest first, as one quoted block; "" for none.

        Summaries that the article has taken in come last, if there is room. Nothing is searched by default. With `deep`,
        everything of the conversation is: events (as `search_events` finds them), talk that waits to be summarised, summaries
        and the chapter Dynamic; what fits `user_input` best comes first. `scope` as in `update_memory`.
        Never takes longer than `recall_timeout_seconds`, and never raises once the memory is open.
        """
        recall = await self._reading()
        if recall is None:
            return ""
        from .articles import relevant_memories  # with `timed`, which memory that is switched off does not import

        said = "\n".join(filter(None, map(bounded_query, texts(user_input)[-MOST_QUERIES:])))
        return await relevant_memories(
            recall, said, str(user_id), scope, deep=deep, max_tokens=count(max_tokens), language=language
        )
