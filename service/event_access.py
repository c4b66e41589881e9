"""Access to events, with the method names of other memory libraries as aliases."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..retrieval.filters import Moment, conditioned
from ..schema.errors import InvalidInput
from ..schema.event import Event, EventKind
from ..schema.ids import told
from ..schema.scope import Scope, checked_scope
from .correcting import Correcting
from .recall.arguments import ReadingState
from .recall.reading import Reading
from .running.lifecycle import Lifecycle
from .timezones import configured_timezone

if TYPE_CHECKING:
    from .recall.timed import Recall


class EventAccess(Correcting, Reading):
    """The methods that list, correct and delete events.

    `get_all`, `update` and `delete` are aliases, as are `add` for `remember` and `search` for
    `search_events`.

    The methods that take the id of an event raise InvalidInput if there is no such event, or if a
    given `scope` may not change it: give a scope wherever users or models choose the id.
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
        """Return at most `limit` events of a conversation, newest first. The conditions are those
        of `search_events`.

        `source` is `job` (handed over by `enqueue_job`), `message`, `observation`, `summary`,
        `note` or `migrated`; default: all.
        """
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise InvalidInput(f"limit: expected a number from 1 on, got {told(limit)}")
        conditions = {
            **{"kind": kind, "user_id": user_id, "source": source, "is_absolute": is_absolute},
            **{
                "time_from": time_from,
                "time_to": time_to,
                "occurs_from": occurs_from,
                "occurs_to": occurs_to,
            },
            **{"tags": tags, "metadata": metadata},
        }
        opened, timezone = self.lifecycle.opened, self.lifecycle.settings.cognitive.timezone
        where = conditioned(
            checked_scope(scope), conditions, configured_timezone(timezone), self.lifecycle.clock()
        )
        return (
            []
            if opened is None
            else await asyncio.to_thread(opened.parts.events.find, where, limit=limit)
        )

    get_all = list_events
    update = Correcting.edit_event
    delete = Correcting.delete_event
