"""Events by their ids, and the names that people who know other memories try first."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..retrieval.filters import Moment, conditioned
from ..schema.errors import InvalidInput
from ..schema.event import MESSAGE_STANDS, Event, EventKind
from ..schema.ids import told
from ..schema.job import check_size
from ..schema.scope import Scope, checked_scope
from ..text.redaction import redact
from .recall.arguments import ReadingState
from .recall.reading import Reading
from .running.lifecycle import Lifecycle
from .timezones import configured_timezone

if TYPE_CHECKING:
    from .components import Parts
    from .recall.timed import Recall


class EventAccess(Reading):
    """List, correct and remove events; withdraw messages.

    `get_all`, `update` and `delete` are other names, as `add` is of `remember` and `search` of `search_events`.

    The methods that take an event's id raise InvalidInput if there is no such event, or if it is not of `scope`, if one is given:
    give it wherever users or models choose the id.
    """

    lifecycle: Lifecycle

    async def _reading(self) -> Recall | None:
        if self.lifecycle.opened is None:
            self.lifecycle.tell_why_nothing_is_read()
            return None
        return self.lifecycle.opened.recall

    def reading_state(self) -> ReadingState:
        return self.lifecycle.reading_state()

    async def list_events(
        self,
        scope: Scope,
        *,
        limit: int = 100,
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
    ) -> list[Event]:
        """Return the events of a conversation, newest first, narrowed by conditions as in `search_events`.

        `source` is `job` (what was handed over), `message`, `observation`, `summary`, `note` or `migrated`; default: all.
        """
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise InvalidInput(f"limit: expected a number from 1 on, got {told(limit)}")
        conditions = {
            **{"kind": kind, "user_id": user_id, "source": source, "is_absolute": is_absolute},
            **{"time_from": time_from, "time_to": time_to, "occurs_from": occurs_from, "occurs_to": occurs_to},
            **{"tags": tags, "metadata": metadata},
        }
        opened, timezone = self.lifecycle.opened, self.lifecycle.settings.cognitive.timezone
        where = conditioned(checked_scope(scope), conditions, configured_timezone(timezone), self.lifecycle.clock())
        return [] if opened is None else await asyncio.to_thread(opened.parts.events.find, where, limit=limit)

    async def edit_event(self, event_id: str, text: str, *, scope: Scope | None = None) -> Event:
        """Replace the text of an event, redacted, and return it. It is found by its new words at once.

        A message stands as it was said: InvalidInput is raised for one. Hand its `id` over again with other words instead.
        """
        from ..models.embeddings.recorded import vectors_for

        parts = self.lifecycle.in_use().parts
        if not isinstance(text, str) or not text.strip():
            raise InvalidInput("text: empty; `delete_event` removes an event")
        check_size((text,), "text")
        event = await self._existing(parts, event_id, scope)
        if event.is_message:
            raise InvalidInput(MESSAGE_STANDS)
        written = await self.lifecycle.redacting(redact, text.strip(), self.lifecycle.settings.historian.redact_jobs)
        (vector,) = await vectors_for([written], parts.embedder, parts.events)
        await asyncio.to_thread(parts.events.edit, event_id, written, vector)
        return await self._existing(parts, event_id, scope)

    async def delete_event(self, event_id: str, *, scope: Scope | None = None) -> None:
        """Remove an event for good; of a message all parts, with what rests on it alone.

        What profiles and summaries took from it stays: `forget_user` removes everything.
        """
        parts = self.lifecycle.in_use().parts
        await self._existing(parts, event_id, scope)
        await asyncio.to_thread(parts.events.forget, [event_id])

    get_all = list_events
    update = edit_event
    delete = delete_event

    async def _existing(self, parts: Parts, event_id: str, scope: Scope | None) -> Event:
        found = await asyncio.to_thread(parts.events.get, [event_id]) if isinstance(event_id, str) else []
        if not found or (scope is not None and found[0].scope.key != checked_scope(scope).key):
            raise InvalidInput(f"event_id: there is no event {told(event_id)}; `list_events` shows those that are filed")
        return found[0]
