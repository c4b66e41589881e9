"""Events as rows of the table `events`, with their words and vectors, and filters as SQL
conditions.

Each engine has a subclass of `EventRows` for the SQL that differs.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from operator import attrgetter
from typing import Any

from ....schema.event import Event, EventFilter
from ....schema.labels import metadata_json
from ....schema.protocols import Vector
from ....schema.scope import ASSERTED
from ....text.search_words import WORDS_VERSION
from ..engine import Database, Transaction

SCOPE_SHIFT = 32
MESSAGES = "messages"
"""The lock of messages.

It is shared by transactions that file messages or events derived from them, and exclusive for those
that delete messages.
"""

NAMES = [field.name for field in fields(Event)]
EVENT_COLUMNS = ", ".join(NAMES)
"""The fields of `Event` in their order."""
EVENT_COLUMNS_OF_E = ", ".join(f"e.{name}" for name in NAMES)
_ABSOLUTE, _METADATA = map(NAMES.index, ("is_absolute", "metadata"))
_TUPLES = [*map(NAMES.index, ("gate_reasons", "speakers", "times", "sources", "people", "tags"))]
_REPEATED = (
    "job_id kind user_id group_id request_type timestamp_local timezone user_name rewritten_by source"
    " handed_over said_by superseded_by corrected_by bot_name group_name version role"
)
"""The fields whose values many events have in common."""
_SHARED = [*map(NAMES.index, _REPEATED.split())]
_values_of = attrgetter(*NAMES)

_FIRST = f"((SELECT scope_number FROM scopes WHERE scope_key = %s) << {SCOPE_SHIFT})"
_LAST = f"{_FIRST} + {2**SCOPE_SHIFT - 1}"
ROWS_OF_SCOPE = f"BETWEEN {_FIRST} AND {_LAST}"
"""A condition on a row or sequence number, never true for an unknown scope. Both parameters are the
key of the scope."""
NEW_IN_SCOPE = f"BETWEEN {{greatest}}({_FIRST}, %s + 1) AND {_LAST}"
"""The same for numbers above a given one, the second of three parameters. It has a single lower
bound, since SQLite uses only one."""

EXPIRED = "SELECT x.row FROM events x WHERE x.expires_at <= %s"
"""A query for the rows of events that have expired at a time."""


class EventRows(ABC):
    """The rows of events in one database.

    Methods that change rows run in a transaction of the caller.
    """

    people: str
    """The condition that an event is of one of some people; the list is passed twice."""
    absolute: tuple[str, str]
    """The conditions on events that are not absolute, and that are.

    They have the same form as in the index of events that are not absolute.
    """
    greatest: str
    """The function that returns the greatest of its arguments."""
    not_embedded: str
    """The condition on events without a vector, in the same form as in their index."""
    among_speakers: str
    """The condition that the user id in column `user` is among the speakers of an event.

    `rows` and `known` are conditions on row and id of this event.
    """
    tagged: str
    """The condition that an event has all tags of a list (`as_list`)."""
    has_metadata: str
    """The condition that the metadata of an event has the keys and values of a JSON object."""
    rests_on: str
    """The condition that an event of the table `events` is derived from one of some messages."""
    profiles: str
    """The table in which profiles are indexed."""
    new_vectors: str
    """The part of a CREATE TABLE statement after the name, for an empty table of vectors."""
    empty: str
    """A statement that empties a table of vectors, without the name of the table."""
    hold: str
    """SQL that locks selected rows against changes, for an engine with concurrent writers.

    The lock lasts until the end of the transaction.
    """
    words_form = str(WORDS_VERSION)
    """The form of the indexed words. An index of another form is rebuilt."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @abstractmethod
    def as_list(self, values: Sequence[str]) -> Any:
        """Return a list as a value of a column."""

    @abstractmethod
    def of_list(self, value: Any) -> tuple[str, ...]:
        """Return the list in a value of a column."""

    def values(self, event: Event) -> tuple[Any, ...]:
        """Return the values of EVENT_COLUMNS, with NUL removed from texts."""
        return tuple(map(self._value, _values_of(event)))

    def _value(self, one: Any) -> Any:
        if isinstance(one, str):
            return without_nul(one)
        if isinstance(one, tuple):
            return self.as_list(one)
        return metadata_json(one) if isinstance(one, Mapping) else one

    def event(self, row: Sequence[Any]) -> Event:
        """Return the event in a row that begins with the values of EVENT_COLUMNS."""
        values = list(row[: len(NAMES)])
        values[_ABSOLUTE] = bool(values[_ABSOLUTE])
        values[_METADATA] = {} if values[_METADATA] == "{}" else json.loads(values[_METADATA])
        for n in _TUPLES:
            values[n] = self.of_list(values[n])
        return Event(*values)

    def alike(self, rows: Iterable[Sequence[Any]]) -> Iterator[Event]:
        """Return the events in rows like `event`, but with equal names and ids as one object."""
        same: dict[Any, Any] = {}
        for row in rows:
            values = list(row)
            for n in _SHARED:
                values[n] = same.setdefault(values[n], values[n])
            yield self.event(values)

    @abstractmethod
    def insert(self, transaction: Any, events: Sequence[Event], vectors: Sequence[Any]) -> None:
        """Insert new events with words and vectors, and count the additions.

        Vectors have the form of `Database.stored`; None if the event is embedded later.
        """

    @abstractmethod
    def add_words(self, transaction: Any, texts: Sequence[tuple[int, str]]) -> None:
        """Index (row, text) pairs."""

    @abstractmethod
    def remove_words(self, transaction: Any, rows: Sequence[int]) -> None:
        """Remove rows from the index of words. Rows that are not indexed are ignored."""

    @abstractmethod
    def empty_words(self, transaction: Any) -> None:
        """Empty the index of words, to fill it with words in the form of this version."""

    def arrived(self, transaction: Any) -> None:  # noqa: B027 - PostgreSQL alone needs it
        """Do the remaining work after all rows of another memory were copied into the tables."""

    def lock_scopes(self, transaction: Any, rows: Iterable[int]) -> None:  # noqa: B027 - PostgreSQL alone needs it
        """Lock the scopes of rows until the end of the transaction, if writers are concurrent."""

    def lock_scope_keys(self, transaction: Any, scope_keys: Iterable[str]) -> None:  # noqa: B027 - PostgreSQL alone needs it
        """Lock scopes by their keys like `lock_scopes`. New scopes may be created."""

    def lock_scopes_of(self, transaction: Any, event_ids: Iterable[str]) -> None:  # noqa: B027 - PostgreSQL alone needs it
        """Lock the scopes of events like `lock_scopes`."""

    def lock_messages(  # noqa: B027 - PostgreSQL alone needs it
        self, transaction: Any, job_ids: Iterable[str], scope_keys: Iterable[str] = ()
    ) -> None:
        """Lock scopes like `lock_scope_keys`, and those of the messages and events derived from
        them.
        """

    def delete(self, transaction: Transaction, rows: Sequence[int]) -> int:
        """Delete events by row number, with words and vectors, and count the removals.

        Return the number of deleted events.
        """
        self.lock_scopes(transaction, rows)
        # A concurrent writer may have deleted some of them meanwhile.
        there = transaction.rows("SELECT row FROM events WHERE row = ANY(%s)", (list(rows),))
        rows = [row for (row,) in there]
        self.remove_words(transaction, rows)
        self.remove_vectors(transaction, rows)
        # If both ends of a link are deleted, delete one by one: a trigger passes the link on to an
        # event that still exists.
        linked = transaction.rows(
            "SELECT o.row FROM events o JOIN events n ON n.event_id IN (o.superseded_by, o.corrected_by)"
            " WHERE o.row = ANY(%s) AND n.row = ANY(%s)",
            (rows, rows),
        )
        transaction.run_many("DELETE FROM events WHERE row = %s", sorted(set(linked)))
        transaction.run("DELETE FROM events WHERE row = ANY(%s)", (rows,))
        self.count_removals(transaction, rows, gone=True)
        return len(rows)

    def replace_text(self, transaction: Transaction, row: int, event: Event, vector: Any) -> None:
        """Give an event the text, the spans and the words of `event`, and a vector.

        Without `vector` it is embedded later. The scope must be locked.
        """
        spans = self.as_list(event.times), self.as_list(event.people)
        transaction.run(
            "UPDATE events SET text = %s, times = %s, people = %s, embedded = FALSE WHERE row = %s",
            (without_nul(event.text), *spans, row),
        )
        self.remove_words(transaction, [row])
        self.add_words(transaction, [(row, event.said)])
        self.remove_vectors(transaction, [row])
        if vector is not None:
            self.add_vectors(transaction, [(row, vector)])

    def withdraw(self, transaction: Transaction, job_ids: Sequence[str]) -> list[str]:
        """Delete messages and the events derived from them. Return the ids of the deleted events.

        The scopes must be locked (`lock_messages`).
        """
        if not job_ids:
            return []
        found = transaction.rows(
            "SELECT row, event_id FROM events WHERE job_id = ANY(%s)", (list(job_ids),)
        )
        found += self.resting(transaction, job_ids)
        self.delete(transaction, [row for row, _ in found])
        return [event_id for _, event_id in found]

    def resting(self, transaction: Transaction, job_ids: Iterable[str]) -> list[tuple[int, str]]:
        """Return (row, event id) of the events derived from one of these messages."""
        resting = f"SELECT row, event_id FROM events WHERE {self.rests_on} ORDER BY row"
        return [(row, event_id) for row, event_id in transaction.rows(resting, (list(job_ids),))]

    def add_vectors(self, transaction: Transaction, vectors: Iterable[tuple[int, Any]]) -> None:
        """Insert vectors for rows without one, in the order given, and count the additions."""
        for number, group in groupby(vectors, key=lambda item: item[0] >> SCOPE_SHIFT):
            items = list(group)
            (last,) = transaction.row(
                "UPDATE scopes SET last_vector = last_vector + %s, additions = additions + 1 WHERE scope_number = %s"
                " RETURNING last_vector",
                (len(items), number),
            )
            first = (number << SCOPE_SHIFT | last) - len(items) + 1
            transaction.run_many(
                "INSERT INTO event_vectors (sequence, row, vector) VALUES (%s, %s, %s)",
                [(first + i, row, vector) for i, (row, vector) in enumerate(items)],
            )
            rows = [row for row, _ in items]
            transaction.run(
                "UPDATE events SET embedded = TRUE WHERE row = ANY(%s) AND NOT embedded", (rows,)
            )

    def remove_vectors(self, transaction: Transaction, rows: Sequence[int]) -> None:
        """Remove all vectors of changed or deleted rows: current, next and kept ones."""
        for table in ("event_vectors", "next_event_vectors", "kept_event_vectors"):
            transaction.run(f"DELETE FROM {table} WHERE row = ANY(%s)", (list(rows),))

    def count_removals(
        self, transaction: Transaction, rows: Sequence[int], *, gone: bool = False
    ) -> None:
        """Count changed rows (with `gone`: deleted rows) in their scopes."""
        numbers = sorted(row >> SCOPE_SHIFT for row in rows)
        transaction.run_many(
            "UPDATE scopes SET removals = removals + %s, events = events - %s WHERE scope_number = %s",
            [
                (n, n if gone else 0, number)
                for number, n in ((key, len(list(group))) for key, group in groupby(numbers))
            ],
        )

    def conditions(self, where: EventFilter, *, column: str = "e.row") -> tuple[str, list[Any]]:
        """Return `where` as a condition on the table `events e`, with its parameters.

        This is the only place that converts a filter to SQL. The scope is a range of `column`
        (`e.row`, or the sequence number of a vector).
        """
        terms = ["1 = 1"]
        parameters: list[Any] = []

        def term(condition: str, *values: object) -> None:
            terms.append(condition)
            parameters.extend(values)

        if where.scope_key is not None:
            term(f"{column} {ROWS_OF_SCOPE}", where.scope_key, where.scope_key)
        for name, values in (
            ("user_id", where.user_ids),
            ("kind", where.kinds),
            ("source", where.sources),
            ("event_id", where.event_ids),
            ("request_type", where.request_types),
        ):
            if values:
                term(f"e.{name} = ANY(%s)", list(values))
        if where.people:
            term(self.people, list(where.people), list(where.people))
        if where.tags:
            term(self.tagged, self.as_list(where.tags))
        if where.metadata:
            term(self.has_metadata, metadata_json(where.metadata))
        if where.now is not None:  # there are only a few: expired events are deleted soon
            term(f"e.row NOT IN ({EXPIRED})", where.now)
        for condition, value in (
            ("e.timestamp >= %s", where.time_from),
            ("e.timestamp <= %s", where.time_to),
            ("coalesce(e.occurs_until, e.timestamp) >= %s", where.occurs_from),
            ("coalesce(e.occurs_from, e.timestamp) <= %s", where.occurs_to),
            ("(e.superseded_by = '' AND e.corrected_by = '') = %s", where.holds),
        ):
            if value is not None:
                term(condition, value)
        if where.is_absolute is not None:
            terms.append(self.absolute[where.is_absolute])
        return " AND ".join(terms), parameters

    def spoken_in(self, scope_key: str, user: str) -> tuple[str, list[Any]]:
        """Return the condition that the user id in the column `user` has spoken in a scope.

        Its parameters are returned too. Records whose id begins with ASSERTED do not count. The
        condition costs an index lookup per user; only such events, and events of several speakers,
        are read.
        """
        asserted, known = f"{ASSERTED}%", "NOT LIKE %s"
        return (
            f"(EXISTS (SELECT 1 FROM events e WHERE e.user_id = {user} AND e.row {ROWS_OF_SCOPE} AND e.event_id {known})"
            f" OR EXISTS (SELECT 1 FROM buffered_states b WHERE b.user_id = {user} AND b.scope_key = %s"
            f" AND b.entry_id {known}) OR {self.among_speakers.format(user=user, rows=ROWS_OF_SCOPE, known=known)})",
            [scope_key, scope_key, asserted, scope_key, asserted, scope_key, scope_key, asserted],
        )


class BesideEvents:
    """Base class of tables in the database of the events."""

    def __init__(self, events: EventRows) -> None:
        self._events = events
        self._database = events.database


def without_nul(text: str) -> str:
    """Return `text` without NUL, which PostgreSQL cannot store."""
    return text.replace("\0", "")


def sizes(vectors: Iterable[Vector | None]) -> list[int]:
    """Return the dimensions of all vectors that are not None."""
    return [len(vector) for vector in vectors if vector is not None]
