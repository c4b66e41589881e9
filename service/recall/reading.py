"""The reading methods that `CognitiveService` and `MemoryReader` share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from ...retrieval.filters import Moment, checked_conditions
from ...retrieval.request import MOST_QUERIES, bounded_query
from ...schema.errors import InvalidInput
from ...schema.event import EventKind
from ...schema.hit import Hit, ProfileHit
from ...schema.ids import told
from ...schema.language import Language, LanguageChoice
from ...schema.profile import Profile
from ...schema.scope import EntityType, Scope, checked_scope
from ...schema.settings import Settings
from ...text.speakers.shown_names import AS_BORNE, ShownNames
from ..languages import Languages
from .arguments import ReadingState, checked_query, count, is_conversation, texts

if TYPE_CHECKING:
    from .timed import Recall

MOST_NEIGHBOURS = 20
"""The most messages before a hit, and the most after it."""


class Reading:
    """Reading methods over `_reading()`. They return nothing where that gives None: memory is off, or there is none yet."""

    _languages: Languages

    async def _reading(self) -> Recall | None:
        raise NotImplementedError

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        raise NotImplementedError

    def reading_state(self) -> ReadingState:
        """Return what can be read now, and why no more: "open", "keywords" (no embedder, or it is away), "unreadable" (the
        database), "closed" or "off".
        """
        raise NotImplementedError

    def language_of(
        self, scope: Scope | None, said: str | Sequence[str] = (), *, language: LanguageChoice | None = None
    ) -> Language:
        """Return the language to write in for a conversation.

        A given `language` is returned as it is. "auto" is the language of what people last said in the conversation as far as
        this process heard it (in `build_context`, `remember` and the like), otherwise that of `said`, else the configured one
        (`cognitive.language`). None is the configured one, else that of the conversation. Where nothing tells, it is Chinese.
        """
        return self._languages.choose(language, scope.key if is_conversation(scope) else "", texts(said))

    async def search_events(
        self,
        query: str | Sequence[str],
        scope: Scope,
        *,
        top_k: int | None = None,
        context: Sequence[str] = (),
        kind: EventKind | None = None,
        user_id: str | None = None,
        source: str | None = None,
        time_from: Moment | None = None,
        time_to: Moment | None = None,
        occurs_from: Moment | None = None,
        occurs_to: Moment | None = None,
        is_absolute: bool | None = None,
        tags: Sequence[str] | str = (),
        metadata: Mapping[str, Any] | None = None,
        neighbours: int = 0,
        **more: Any,
    ) -> list[Hit]:
        """Return the messages and events of a scope that fit `query`, best first; what waits to be filed is marked `pending`.

        - `top_k`: how many, at least 1; more than 500 count as 500. `context`: what was said before, for short queries.
        - `kind`: `message` (what was said), `action` (what the bot did) or `fact` (what it learnt). `user_id`: whose records.
        - `source`: `message`, `job` (what was handed over), `observation`, `summary`, `note` or `migrated`.
        - `time_from`, `time_to`: when it was said, as ISO 8601, date or seconds since the epoch; a reversed range is swapped.
          `occurs_from`, `occurs_to`: the time that it tells of.
        - `tags`: all of them must be there. `metadata`: keys with the value that each must have, a text, number, true, false or
          null. Both as they were handed over (`enqueue_job`, `remember`).
        - `neighbours`: how many messages before and after it each message brings along (`Hit.before`, `Hit.after`), 0 to 20.
        - `more`: `sender_id`, `kinds`, `user_ids`, `sources`, `event_ids`, `timezone`.

        Raises InvalidInput that names the argument, StorageError.
        """
        checked_query(query)
        named = {
            **{"kind": kind, "user_id": user_id, "source": source, "is_absolute": is_absolute},
            **{"time_from": time_from, "time_to": time_to, "occurs_from": occurs_from, "occurs_to": occurs_to},
            **{"tags": tags or None, "metadata": metadata},
        }
        conditions = {**more, **{name: value for name, value in named.items() if value is not None}}
        checked_conditions(conditions)
        checked_scope(scope)
        if isinstance(neighbours, bool) or not isinstance(neighbours, int) or not 0 <= neighbours <= MOST_NEIGHBOURS:
            raise InvalidInput(f"neighbours: expected a whole number from 0 to {MOST_NEIGHBOURS}, got {told(neighbours)}")
        recall = await self._reading()
        how: dict[str, Any] = {"top_k": top_k, "context": context, "neighbours": neighbours}
        return [] if recall is None else await recall.search(query, scope, **how, **conditions)

    search = search_events

    async def shown_names(self, scope: Scope | None, told: str | Sequence[str] = (), language: Language = "zh") -> ShownNames:
        """Return how people are shown in an answer to `told` in `scope`: by today's names of conversations in memory."""
        recall = await self._reading()
        return AS_BORNE if recall is None else recall.shown_names(scope, told, language)

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
        language: LanguageChoice | None = None,
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
            recall,
            said,
            str(user_id),
            scope,
            deep=deep,
            max_tokens=count(max_tokens),
            language=self.language_of(scope, said, language=language),
        )
