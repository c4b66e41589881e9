"""Events in `index.sqlite`: lists as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ....schema.event import Event
from ...tables.events.rows import EVENT_COLUMNS, SCOPE_SHIFT, EventRows
from ..database import SqliteTransaction
from ..index_outbox import add_to_outbox
from . import keywords as event_keywords

_INSERT = f"INSERT INTO events (row, {EVENT_COLUMNS}, embedded) VALUES ({', '.join('?' * (EVENT_COLUMNS.count(',') + 3))})"


class SqliteEventRows(EventRows):
    """The rows of events in one `index.sqlite`, with the outbox of the derived index."""

    people = (
        "(e.user_id = ANY(%s) OR e.row IN (SELECT o.row FROM events o, json_each(o.speakers) s"
        " WHERE o.speakers != '[]' AND s.value = ANY(%s)))"
    )
    absolute = ("e.is_absolute = 0", "e.is_absolute = 1")
    greatest = "max"
    not_embedded = "embedded = 0"
    among_speakers = "{user} IN (SELECT s.value FROM events o, json_each(o.speakers) s WHERE o.speakers != '[]' AND o.row {rows})"

    def as_list(self, values: Sequence[str]) -> str:
        return json.dumps(values, ensure_ascii=False)

    def of_list(self, value: str) -> tuple[str, ...]:
        return () if value == "[]" else tuple(json.loads(value))

    def insert(self, transaction: SqliteTransaction, events: Sequence[Event], vectors: Sequence[Any]) -> None:
        rows = [_new_row(transaction, event.scope.key) for event in events]
        each = list(zip(rows, events, vectors, strict=True))
        transaction.executemany(_INSERT, [(row, *self.values(event), vector is not None) for row, event, vector in each])
        self.add_words(transaction, [(row, event.text) for row, event, _ in each])
        self.add_vectors(transaction, [(row, vector) for row, _, vector in each if vector is not None])
        self.note_changed(transaction, [event.event_id for _, event, vector in each if vector is not None])

    def add_words(self, transaction: SqliteTransaction, texts: Sequence[tuple[int, str]]) -> None:
        event_keywords.add_words(transaction, texts)

    def remove_words(self, transaction: SqliteTransaction, rows: Sequence[int]) -> None:
        event_keywords.remove_words(transaction, rows)

    def note_changed(self, transaction: SqliteTransaction, event_ids: Sequence[str]) -> None:
        add_to_outbox(transaction, event_ids)


def _new_row(transaction: SqliteTransaction, scope_key: str) -> int:
    """Return the next row number of a scope and count the addition. Creates the scope if it is new."""
    count = (
        "UPDATE scopes SET last_row = last_row + 1, events = events + 1, additions = additions + 1 WHERE scope_key = ?"
        " RETURNING scope_number, last_row"
    )
    counted = transaction.execute(count, (scope_key,)).fetchone()
    if counted is None:
        # Not INSERT OR IGNORE beforehand: an ignored row uses up a scope number too.
        transaction.execute("INSERT INTO scopes (scope_key) VALUES (?)", (scope_key,))
        counted = transaction.execute(count, (scope_key,)).fetchone()
    number, row = counted
    return int(number) << SCOPE_SHIFT | int(row)
