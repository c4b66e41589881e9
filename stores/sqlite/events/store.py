"""Events with vectors and keywords in `index.sqlite`: the primary data.

Other indexes are derived from them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....schema.event import Event, EventFilter
from ...tables.events.rows import EVENT_COLUMNS_OF_E, SCOPE_SHIFT
from ...tables.events.store import EventStore
from ..database import SqliteDatabase
from . import keywords as event_keywords
from .rows import SqliteEventRows

_PAGES_A_TIDY = 200
_LARGE_SCOPE = 2_000


class SqliteEventStore(EventStore):
    """The `EventStore` of one `index.sqlite`.

    The database may be shared with `LedgerTable` and `SqliteProfileIndex`; `close` closes it for
    all of them.
    """

    database: SqliteDatabase
    of_people = "instr(lower(id), lower(%s)) OR instr(lower(name), lower(%s)) LIMIT %s"

    def __init__(self, database: SqliteDatabase) -> None:
        self.database = database
        super().__init__(SqliteEventRows(database))

    def find(
        self, where: EventFilter, *, limit: int = 100, newest_first: bool = True
    ) -> list[Event]:
        """Return matching events ordered by time; events of the same time are in the order of
        filing.
        """
        direction = "DESC" if newest_first else "ASC"
        order = f"ORDER BY e.timestamp {direction}, e.row {direction}"
        condition, parameters = self.in_order_of_time(where)
        # Only row numbers are sorted: with texts it takes five times as long at 100,000 events.
        rows = f"SELECT e.row FROM events e {self._index_by_time(where)} WHERE {condition} {order} LIMIT %s"
        return self._events(
            f"SELECT {EVENT_COLUMNS_OF_E} FROM events e WHERE e.row IN ({rows}) {order}",
            (*parameters, max(limit, 0)),
        )

    def in_order_of_time(self, where: EventFilter) -> tuple[str, list[Any]]:
        """Return `where` as `conditions` does, in a form for the index by scope and time.

        If another index finds fewer rows, return it in the usual form.
        """
        if where.scope_key is None or where.event_ids or where.labels or where.is_absolute is False:
            return self._rows.conditions(where)
        condition, parameters = self._rows.conditions(replace(where, scope_key=None))
        # + removes the affinity, since the index has none
        number = "(SELECT +scope_number FROM scopes WHERE scope_key = %s)"
        return f"{condition} AND e.row >> {SCOPE_SHIFT} = {number}", [*parameters, where.scope_key]

    def _index_by_time(self, where: EventFilter) -> str:
        """Return the hint to use the index by time, or "".

        The hint is used if `where` names only a scope, with or without a time range, that holds a
        large part of all events. The index contains the row numbers, which show the scope, so that
        events of other scopes are not read: an entry costs a thirtieth of reading and sorting an
        event.
        """
        alone = EventFilter(
            where.scope_key, time_from=where.time_from, time_to=where.time_to, now=where.now
        )
        if where.scope_key is None or where != alone:
            return ""
        found = self.database.row(
            "SELECT events FROM scopes WHERE scope_key = %s", (where.scope_key,)
        )
        if found is None or found[0] < _LARGE_SCOPE:
            return ""
        (all_of_them,) = self.database.row("SELECT sum(events) FROM scopes")
        return "INDEXED BY events_by_time" if all_of_them < 30 * found[0] else ""

    def search_keywords(
        self, query: str, where: EventFilter, limit: int
    ) -> list[tuple[str, float]]:
        with self.database.reading() as connection:
            return event_keywords.search(connection, self._rows, query, where, limit)

    def tidy(self) -> bool:
        """Merge a part of the keyword index (about ten milliseconds).

        Return False if nothing is left to do.
        """
        with self.database.writing(durable=False) as connection:
            return event_keywords.merge_words(connection, _PAGES_A_TIDY)
