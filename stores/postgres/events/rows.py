"""Rows of events in a schema. Lists are stored as arrays.

A transaction that changes events first locks the rows of their scopes, in the order of their
numbers. Two transactions that change the same scopes therefore wait for each other, and numbers are
in the order of commits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from ....schema.event import Event
from ....text.search_words import STEMMER, first_character, indexed_words
from ...tables.events.rows import EVENT_COLUMNS, SCOPE_SHIFT, EventRows, without_nul
from ..transaction import PostgresTransaction

MOST_BYTES = 2_000
"""Longer words are not indexed: a lexeme of PostgreSQL has at most 2,046 bytes."""

_SCOPE = "\ue001"
_NUMBERED = (
    ("scopes", "scope_number"),
    ("note_files", "file_number"),
    ("buffered_states", "sequence"),
    ("summaries", "number"),
)

_PLACES = ", ".join(["%s"] * (EVENT_COLUMNS.count(",") + 3))
_INSERT_EVENT = f"INSERT INTO events (row, {EVENT_COLUMNS}, embedded) VALUES ({_PLACES})"
_INSERT_WORDS = "INSERT INTO event_words (row, length, words, lexemes) VALUES (%s, %s, %s, array_to_tsvector(%s))"
_INSERT_VECTOR = "INSERT INTO event_vectors (sequence, row, vector) VALUES (%s, %s, %s)"
_COUNT = f"""
UPDATE scopes SET last_row = last_row + %(events)s, events = events + %(events)s, words = words + %(words)s,
 last_vector = last_vector + %(vectors)s, additions = additions + %(events)s + least(%(vectors)s, 1) WHERE scope_key = %(key)s
RETURNING scope_number << {SCOPE_SHIFT} | (last_row - %(events)s), scope_number << {SCOPE_SHIFT} | (last_vector - %(vectors)s)
"""


class PostgresEventRows(EventRows):
    """The rows of events in one schema."""

    people = "(e.user_id = ANY(%s) OR (e.speakers != '{}' AND e.speakers && %s::text[]))"
    absolute = ("NOT e.is_absolute", "e.is_absolute")
    greatest = "greatest"
    not_embedded = "NOT embedded"
    tagged = "e.tags != '{}' AND e.tags @> %s::text[]"
    has_metadata = "e.metadata != '{}' AND e.metadata::jsonb @> %s::jsonb"
    rests_on = "sources != '{}' AND sources && %s::text[]"
    profiles = "profile_index"
    new_vectors = "(LIKE event_vectors INCLUDING ALL)"
    empty = "TRUNCATE"
    hold = "FOR SHARE"
    among_speakers = (
        "EXISTS (SELECT 1 FROM events o WHERE o.speakers != '{{}}' AND o.speakers @> ARRAY[{user}] AND o.row {rows}"
        " AND o.event_id {known})"
    )

    def as_list(self, values: Sequence[str]) -> list[str]:
        return list(values)

    def of_list(self, value: Sequence[str]) -> tuple[str, ...]:
        return tuple(value)

    def insert(
        self, transaction: PostgresTransaction, events: Sequence[Event], vectors: Sequence[Any]
    ) -> None:
        by_scope: dict[str, list[int]] = {}
        for n, event in enumerate(events):
            by_scope.setdefault(event.scope.key, []).append(n)
        self.lock_scope_keys(transaction, by_scope)
        indexed = [_indexed(event.said) for event in events]
        rows = [0] * len(events)
        sequenced: list[tuple[int, int, Any]] = []
        for key, members in by_scope.items():
            embedded = [(n, vector) for n in members if (vector := vectors[n]) is not None]
            length = sum(indexed[n][0] for n in members)
            counts = {"key": key, "events": len(members), "words": length, "vectors": len(embedded)}
            row, sequence = transaction.row(_COUNT, counts) or (0, 0)
            for i, n in enumerate(members, 1):
                rows[n] = row + i
            sequenced += [
                (sequence + i, rows[n], vector) for i, (n, vector) in enumerate(embedded, 1)
            ]
        each = zip(rows, events, vectors, strict=True)
        with transaction.connection.pipeline():
            transaction.executemany(
                _INSERT_EVENT,
                [(row, *self.values(event), vector is not None) for row, event, vector in each],
            )
            transaction.executemany(
                _INSERT_WORDS,
                [_words_row(row, *one) for row, one in zip(rows, indexed, strict=True)],
            )
            transaction.executemany(_INSERT_VECTOR, sequenced)

    def add_words(self, transaction: PostgresTransaction, texts: Sequence[tuple[int, str]]) -> None:
        """Index (row, text) pairs: as words for the caches of readers, and as lexemes.

        One of the lexemes is the scope.
        """
        indexed = [(row, *_indexed(text)) for row, text in texts]
        transaction.executemany(_INSERT_WORDS, [_words_row(*one) for one in indexed])
        for number, group in groupby(indexed, key=lambda one: one[0] >> SCOPE_SHIFT):
            total = sum(length for _, length, _ in group)
            transaction.execute(
                "UPDATE scopes SET words = words + %s WHERE scope_number = %s", (total, number)
            )

    def remove_words(self, transaction: PostgresTransaction, rows: Sequence[int]) -> None:
        """Remove rows from the index, and subtract their words from the counts of their scopes."""
        transaction.execute(
            "WITH gone AS (DELETE FROM event_words WHERE row = ANY(%s) RETURNING row >> 32 AS number, length)"
            " UPDATE scopes SET words = words - g.total FROM (SELECT number, sum(length) AS total FROM gone GROUP BY number) g"
            " WHERE scope_number = g.number",
            (list(rows),),
        )

    def empty_words(self, transaction: PostgresTransaction) -> None:
        transaction.execute("LOCK TABLE event_words IN EXCLUSIVE MODE")
        transaction.execute("DELETE FROM event_words")
        transaction.execute("UPDATE scopes SET words = 0")

    def arrived(self, transaction: PostgresTransaction) -> None:
        """Number new rows after the moved ones, and update the statistics of the query planner."""
        for table, column in _NUMBERED:
            transaction.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column})) FROM {table} HAVING count(*) > 0"
            )
        transaction.execute("ANALYZE scopes, events, event_vectors, event_words")

    def lock_scope_keys(self, transaction: PostgresTransaction, scope_keys: Iterable[str]) -> None:
        keys = sorted(set(scope_keys))
        lock = "SELECT scope_key FROM scopes WHERE scope_key = ANY(%s) ORDER BY scope_number FOR UPDATE"
        # Only new scopes are inserted: an upsert that changes nothing uses up a scope number too.
        if new := set(keys) - {key for (key,) in transaction.rows(lock, (keys,))}:
            create = "INSERT INTO scopes (scope_key) VALUES (%s) ON CONFLICT DO NOTHING"
            transaction.executemany(create, [(key,) for key in sorted(new)])
            transaction.rows(lock, (keys,))

    def lock_scopes(self, transaction: PostgresTransaction, rows: Iterable[int]) -> None:
        numbers = {row >> SCOPE_SHIFT for row in rows}
        transaction.execute(
            "SELECT 1 FROM scopes WHERE scope_number = ANY(%s) ORDER BY scope_number FOR UPDATE",
            (list(numbers),),
        )

    def lock_scopes_of(self, transaction: PostgresTransaction, event_ids: Iterable[str]) -> None:
        found = transaction.rows(
            "SELECT row FROM events WHERE event_id = ANY(%s)", (list(event_ids),)
        )
        self.lock_scopes(transaction, [row for (row,) in found])

    def lock_messages(
        self,
        transaction: PostgresTransaction,
        job_ids: Iterable[str],
        scope_keys: Iterable[str] = (),
    ) -> None:
        ids = list(job_ids)
        found = transaction.rows(
            f"SELECT scope_key FROM scopes WHERE scope_number IN (SELECT row >> {SCOPE_SHIFT} FROM events"
            f" WHERE job_id = ANY(%s) UNION SELECT row >> {SCOPE_SHIFT} FROM events WHERE {self.rests_on})",
            (ids, ids),
        )
        self.lock_scope_keys(transaction, {*scope_keys, *(key for (key,) in found)})


def scope_lexeme(scope_number: int) -> str:
    """Return the lexeme of a scope. Its first character begins no word."""
    return f"{_SCOPE}{scope_number}"


def _indexed(text: str) -> tuple[int, str]:
    return indexed_words(without_nul(text))


def _words_row(row: int, length: int, words: str) -> tuple[int, int, str, list[str]]:
    return row, length, words, _lexemes(row >> SCOPE_SHIFT, words)


def _lexemes(scope_number: int, words: str) -> list[str]:
    """Return the stems of indexed words, with the first characters of pairs and the scope."""
    tokens = words.split(" ") if words else []
    stems = {*STEMMER.stems(tokens), *filter(None, map(first_character, tokens))}
    return [
        scope_lexeme(scope_number),
        *(one for one in stems if one and len(one.encode()) <= MOST_BYTES and one[0] != _SCOPE),
    ]
