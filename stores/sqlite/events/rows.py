"""Rows of events in `index.sqlite`. Lists are stored as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ....schema.event import Event
from ....text.search_words import FTS5_TOKENIZER, WORDS_VERSION, indexed_words
from ...tables.events.rows import EVENT_COLUMNS, SCOPE_SHIFT, EventRows
from ..transaction import SqliteTransaction

_INSERT = f"INSERT INTO events (row, {EVENT_COLUMNS}, embedded) VALUES ({', '.join('?' * (EVENT_COLUMNS.count(',') + 3))})"


class SqliteEventRows(EventRows):
    """The rows of events in `index.sqlite`."""

    people = (
        "(e.user_id = ANY(%s) OR e.row IN (SELECT o.row FROM events o, json_each(o.speakers) s"
        " WHERE o.speakers != '[]' AND s.value = ANY(%s)))"
    )
    absolute = ("e.is_absolute = 0", "e.is_absolute = 1")
    greatest = "max"
    not_embedded = "embedded = 0"
    profiles = "profiles"
    new_vectors = (
        "(sequence INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, vector BLOB NOT NULL)"
    )
    empty = "DELETE FROM"
    hold = ""
    tagged = (
        "e.tags != '[]' AND NOT EXISTS (SELECT 1 FROM json_each(%s) w"
        " WHERE w.value NOT IN (SELECT t.value FROM json_each(e.tags) t))"
    )
    has_metadata = (
        "e.metadata != '{}' AND NOT EXISTS (SELECT 1 FROM json_each(%s) w WHERE NOT EXISTS (SELECT 1"
        " FROM json_each(e.metadata) m WHERE m.key = w.key AND m.type = w.type AND m.value IS w.value))"
    )
    rests_on = (
        "sources != '[]' AND EXISTS (SELECT 1 FROM json_each(sources) s WHERE s.value = ANY(%s))"
    )
    words_form = f"{WORDS_VERSION} {FTS5_TOKENIZER}"
    among_speakers = (
        "{user} IN (SELECT s.value FROM events o, json_each(o.speakers) s WHERE o.speakers != '[]' AND o.row {rows}"
        " AND o.event_id {known})"
    )

    def as_list(self, values: Sequence[str]) -> str:
        return json.dumps(values, ensure_ascii=False)

    def of_list(self, value: str) -> tuple[str, ...]:
        return () if value == "[]" else tuple(json.loads(value))

    def insert(
        self, transaction: SqliteTransaction, events: Sequence[Event], vectors: Sequence[Any]
    ) -> None:
        rows = [_new_row(transaction, event.scope.key) for event in events]
        each = list(zip(rows, events, vectors, strict=True))
        transaction.executemany(
            _INSERT, [(row, *self.values(event), vector is not None) for row, event, vector in each]
        )
        self.add_words(transaction, [(row, event.said) for row, event, _ in each])
        self.add_vectors(
            transaction, [(row, vector) for row, _, vector in each if vector is not None]
        )

    def add_words(self, transaction: SqliteTransaction, texts: Sequence[tuple[int, str]]) -> None:
        rows = [(row, *indexed_words(text)) for row, text in texts]
        transaction.executemany(
            "INSERT INTO event_words (row, length, words) VALUES (?, ?, ?)", rows
        )
        transaction.executemany(
            "INSERT INTO event_keywords (rowid, words) VALUES (?, ?)",
            [(row, words) for row, _, words in rows],
        )

    def remove_words(self, transaction: SqliteTransaction, rows: Sequence[int]) -> None:
        transaction.run(
            "INSERT INTO event_keywords (event_keywords, rowid, words)"
            " SELECT 'delete', row, words FROM event_words WHERE row = ANY(%s)",
            (list(rows),),
        )
        transaction.run("DELETE FROM event_words WHERE row = ANY(%s)", (list(rows),))

    def empty_words(self, transaction: SqliteTransaction) -> None:
        transaction.execute("DROP TABLE event_keywords")
        transaction.execute("DELETE FROM event_words")
        transaction.execute(
            "CREATE VIRTUAL TABLE event_keywords USING fts5("
            f"words, content = 'event_words', content_rowid = 'row', tokenize = \"{FTS5_TOKENIZER}\")"
        )
        transaction.execute(
            "INSERT INTO event_keywords (event_keywords, rank) VALUES ('usermerge', 2)"
        )


def _new_row(transaction: SqliteTransaction, scope_key: str) -> int:
    """Return the next row number of a scope and count the addition.

    Creates the scope if it is new.
    """
    count = (
        "UPDATE scopes SET last_row = last_row + 1, events = events + 1, additions = additions + 1 WHERE scope_key = ?"
        " RETURNING scope_number, last_row"
    )
    counted = transaction.execute(count, (scope_key,)).fetchone()
    if counted is None:
        # INSERT OR IGNORE before the UPDATE is no alternative: an ignored row also uses up a scope
        # number.
        transaction.execute("INSERT INTO scopes (scope_key) VALUES (?)", (scope_key,))
        counted = transaction.execute(count, (scope_key,)).fetchone()
    number, row = counted
    return int(number) << SCOPE_SHIFT | int(row)
