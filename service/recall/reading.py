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
"""Maximum number of messages before a hit, and of messages after it."""


class Reading:
    """The reading methods, which use the `Recall` that `_reading()` returns. If it returns None
    (memory is off or does not exist yet), they return empty results."""

    _languages: Languages

    async def _reading(self) -> Recall | None:
        raise NotImplementedError

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        raise NotImplementedError

    def reading_state(self) -> ReadingState:
        """Return the state of the memory: "open", "keywords" (there is no embedder, or it is
        unavailable), "unreadable" (the database cannot be read), "closed" or "off".
        """
        raise NotImplementedError

    def language_of(
        self,
        scope: Scope | None,
        said: str | Sequence[str] = (),
        *,
        language: LanguageChoice | None = None,
    ) -> Language:
        """Return the language to write in for a conversation.

        "zh" or "en" as `language` is returned unchanged. "auto" selects the language of the latest
        messages from people that this process received in the conversation (by `build_context`,
        `remember` and others), else the language of `said`, else the configured one
        (`cognitive.language`). None selects the configured language, else the language as for
        "auto". If no language is known, Chinese is returned.
        """
        return self._languages.choose(
            language, scope.key if is_conversation(scope) else "", texts(said)
        )

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
        """Return the messages and events of a scope that match `query`, best first. Texts that are
        not filed yet are marked `pending`.

        - `top_k`: maximum number of hits, at least 1; values over 500 count as 500. `context`:
          earlier messages, used for short queries.
        - `kind`: `message` (a message in its own words), `action` (an action of the bot) or `fact`
          (a statement that the bot learnt). `user_id`: the user to whom the records belong.
        - `source`: `message`, `job` (handed over by `enqueue_job`), `observation`, `summary`,
          `note` or `migrated`.
        - `time_from`, `time_to`: bounds of the time at which the text was said, as ISO 8601, date
          or seconds since the epoch; a reversed range is swapped. `occurs_from`, `occurs_to`:
          bounds of the time that the text is about.
        - `tags`: tags that a record must have, all of them. `metadata`: keys and values that a
          record must have, all of them; a value is a text, number, true, false or null. Both are
          set by `enqueue_job` and `remember`.
        - `neighbours`: number of messages before and after each found message to return with it
          (`Hit.before`, `Hit.after`), 0 to 20.
        - `more`: `sender_id`, `kinds`, `user_ids`, `sources`, `event_ids`, `timezone`.

        Raises InvalidInput that names the argument, StorageError.
        """
        checked_query(query)
        named = {
            **{"kind": kind, "user_id": user_id, "source": source, "is_absolute": is_absolute},
            **{
                "time_from": time_from,
                "time_to": time_to,
                "occurs_from": occurs_from,
                "occurs_to": occurs_to,
            },
            **{"tags": tags or None, "metadata": metadata},
        }
        conditions = {**more, **{name: value for name, value in named.items() if value is not None}}
        checked_conditions(conditions)
        checked_scope(scope)
        if (
            isinstance(neighbours, bool)
            or not isinstance(neighbours, int)
            or not 0 <= neighbours <= MOST_NEIGHBOURS
        ):
            raise InvalidInput(
                f"neighbours: expected a whole number from 0 to {MOST_NEIGHBOURS}, got {told(neighbours)}"
            )
        recall = await self._reading()
        how: dict[str, Any] = {"top_k": top_k, "context": context, "neighbours": neighbours}
        return [] if recall is None else await recall.search(query, scope, **how, **conditions)

    search = search_events

    async def shown_names(
        self, scope: Scope | None, told: str | Sequence[str] = (), language: Language = "zh"
    ) -> ShownNames:
        """Return the names by which people are shown in an answer to `told` in `scope`. They are
        current names for conversations that are loaded in memory."""
        recall = await self._reading()
        return AS_BORNE if recall is None else recall.shown_names(scope, told, language)

    async def get_profile(
        self, entity_type: EntityType, entity_id: str | int, scope: Scope
    ) -> Profile | None:
        """Return the profile of a user or group, with the layers that `scope` may read merged into
        one; None if there is none.

        Raises InvalidInput, StorageError.
        """
        if entity_type not in get_args(EntityType):
            raise InvalidInput(
                f"entity_type: {told(entity_type)} is not one of {', '.join(get_args(EntityType))}"
            )
        checked_scope(scope)
        recall = await self._reading()
        return None if recall is None else await recall.profile(entity_type, str(entity_id), scope)

    async def search_profiles(
        self, query: str, scope: Scope, *, top_k: int | None = None
    ) -> list[ProfileHit]:
        """Return the profiles that match `query` and may be read in `scope`, best first.

        Raises InvalidInput, StorageError.
        """
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
        """Return the assistant's article about `user_id` and the summaries, newest first, as one
        quoted block; "" if there are none.

        Summaries whose content is already in the article come last, if there is room. By default
        nothing is searched. With `deep` the conversation is searched: its events (as by
        `search_events`), the messages that wait to be summarised, the summaries and the chapter
        Dynamic; the best matches for `user_input` come first. `scope` is as in `update_memory`. The
        call never takes longer than `recall_timeout_seconds`. It never raises while the memory is
        open.
        """
        recall = await self._reading()
        if recall is None:
            return ""
        from .articles import relevant_memories  # imports `timed`, not needed while memory is off

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
