"""Reading of events: by id, condition, words and vectors, and the news for a cache."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ....schema.event import BorneName, Event, EventFilter, KnownPerson
from ....schema.protocols import Fingerprint, Matrix, Vector
from ....schema.scope import RESERVED_USER
from ..engine import Database
from ..fingerprint import read_fingerprint
from ..tombstones import corrected, is_buried
from .rows import (
    EVENT_COLUMNS,
    EVENT_COLUMNS_OF_E,
    NEW_IN_SCOPE,
    ROWS_OF_SCOPE,
    SCOPE_SHIFT,
    EventRows,
)

_ALL_THERE_ARE = 2**62


class ScopeNews(NamedTuple):
    """A consistent snapshot of new events and vectors.

    `rows` are the row numbers of `events`, in the order of filing. `words` are (row, number of
    words, indexed words). `embedded` are the row numbers of the events of `vectors`, and `sequence`
    is the number of the newest vector.
    """

    rows: list[int]
    events: list[Event]
    words: list[tuple[int, int, str]]
    embedded: list[int]
    vectors: Matrix
    sequence: int


class NewVectors(NamedTuple):
    """Embedded events with their vectors.

    `numbers` has the number of the last vector read, by scope number.
    """

    events: list[Event]
    vectors: list[Vector]
    numbers: dict[int, int]


class EventReading(ABC):
    """The reading methods for events with their words and vectors."""

    of_people: str
    """SQL after WHERE: ids or names of people contain a text (passed twice), order and limit."""
    _rows: EventRows
    _database: Database

    def is_filed(self, job_id: str) -> bool:
        return (
            self._database.row("SELECT 1 FROM filed_jobs WHERE job_id = %s", (job_id,)) is not None
        )

    def get(self, event_ids: Sequence[str]) -> list[Event]:
        """Return the events that exist, in the order of `event_ids`."""
        found = self._events(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE event_id = ANY(%s)", (list(event_ids),)
        )
        events = {event.event_id: event for event in found}
        return [events[event_id] for event_id in event_ids if event_id in events]

    def find(
        self, where: EventFilter, *, limit: int = 100, newest_first: bool = True
    ) -> list[Event]:
        """Return matching events ordered by time; events of the same time are in the order of
        filing.
        """
        direction = "DESC" if newest_first else "ASC"
        condition, parameters = self._rows.conditions(where)
        return self._events(
            f"SELECT {EVENT_COLUMNS_OF_E} FROM events e WHERE {condition}"
            f" ORDER BY e.timestamp {direction}, e.row {direction} LIMIT %s",
            (*parameters, max(limit, 0)),
        )

    @abstractmethod
    def search_keywords(
        self, query: str, where: EventFilter, limit: int
    ) -> list[tuple[str, float]]:
        """Return event ids with BM25 scores (higher is better), best first.

        The text of the query never causes an error.
        """

    def vectors(self, where: EventFilter) -> tuple[list[str], Matrix]:
        """Return ids and embeddings of matching embedded events; shape (0, 0) if there are none."""
        condition, parameters = self._rows.conditions(where, column="v.sequence")
        # With CROSS JOIN SQLite reads whole scopes in the order of the vectors; for narrower
        # filters it finds the events first.
        join = "," if where.narrows else "CROSS JOIN"
        found = self._database.rows(
            f"SELECT e.event_id, v.vector FROM event_vectors v {join} events e"
            f" WHERE e.row = v.row AND {condition} ORDER BY v.sequence",
            parameters,
        )
        return [row[0] for row in found], self._database.matrix([row[1] for row in found])

    def nearest(
        self, vector: Vector, where: EventFilter, limit: int
    ) -> list[tuple[str, float]] | None:
        """Return (event id, cosine) of the matching events whose vectors are most similar, best
        first.

        Exact. Returns None if the store would have to read all these vectors to compare them.
        """
        return None

    def news(
        self, scope_key: str, after_sequence: int, after_row: int, limit: int = -1
    ) -> ScopeNews:
        """Return a consistent snapshot of events after a row, and of vectors after a sequence
        number.

        With 0 and 0 it contains everything. An event that is embedded after it was filed gets a new
        sequence number then. `limit` (negative: none) is the maximum number of events, and of
        vectors. Vectors are returned only if no further event is left, so that the event of each
        vector is known.
        """
        most = limit if limit >= 0 else _ALL_THERE_ARE
        new = NEW_IN_SCOPE.format(greatest=self._rows.greatest)
        with self._database.reading() as transaction:
            found = transaction.rows(
                f"SELECT {EVENT_COLUMNS}, row FROM events WHERE row {new} ORDER BY row LIMIT %s",
                (scope_key, after_row, scope_key, most),
            )
            rows = [row[-1] for row in found]
            words = (
                transaction.rows(
                    "SELECT row, length, words FROM event_words WHERE row BETWEEN %s AND %s ORDER BY row",
                    (rows[0], rows[-1]),
                )
                if rows
                else []
            )
            vectors = transaction.rows(
                f"SELECT row, vector, sequence FROM event_vectors WHERE sequence {new} ORDER BY sequence LIMIT %s",
                (scope_key, after_sequence, scope_key, 0 if len(rows) == limit else most),
            )
        sequence = vectors[-1][2] if vectors else after_sequence
        events, embedded = list(self._rows.alike(found)), [row[0] for row in vectors]
        matrix = self._database.matrix([row[1] for row in vectors])
        return ScopeNews(rows, events, words, embedded, matrix, sequence)

    def change_number(self, scope_key: str) -> tuple[int, int]:
        """Return (additions, removals) of a scope since it was created.

        Caches are invalid if the second number has changed.
        """
        row = self._database.row(
            "SELECT additions, removals FROM scopes WHERE scope_key = %s", (scope_key,)
        )
        return (0, 0) if row is None else (row[0], row[1])

    def ended_by(self, event_id: str) -> list[Event]:
        """Return the events that are superseded or corrected by an event, oldest first."""
        return self._events(
            f"SELECT {EVENT_COLUMNS}, row FROM events WHERE superseded_by = %s AND superseded_by != ''"
            f" UNION SELECT {EVENT_COLUMNS}, row FROM events WHERE corrected_by = %s AND corrected_by != '' ORDER BY row",
            (event_id, event_id),
        )

    def resting_on(self, message_ids: Sequence[str]) -> list[Event]:
        """Return the events derived from one of some messages (given by `job_id`)."""
        if not message_ids:
            return []
        rests = f"SELECT {EVENT_COLUMNS} FROM events WHERE {self._rows.rests_on} ORDER BY row"
        return self._events(rests, (list(message_ids),))

    def known_messages(self, message_ids: Sequence[str]) -> set[str]:
        """Return the messages (by `job_id`) that are stored."""
        found = self._database.rows(
            "SELECT DISTINCT job_id FROM events WHERE job_id = ANY(%s)", (list(message_ids),)
        )
        return {job_id for (job_id,) in found}

    def names(self, scope_key: str) -> list[BorneName]:
        """Return all names that people have had in a scope, ordered by when each was last seen."""
        found = self._database.rows(
            "SELECT user_id, user_name, min(timestamp), max(timestamp) FROM events"
            f" WHERE row {ROWS_OF_SCOPE} AND user_name != '' GROUP BY user_id, user_name ORDER BY max(timestamp), max(row)",
            (scope_key, scope_key),
        )
        return [BorneName._make(row) for row in found]

    def are_corrected(self, events: Sequence[Event]) -> list[bool]:
        """Return a list of booleans: True if an event was corrected after it was said.

        See `ErasureTables.bury_words`.
        """
        if not events:
            return []
        with self._database.reading() as transaction:
            return corrected(transaction, events)

    def is_forgotten(
        self, job_id: str, entities: Iterable[str] = (), timestamp: float = 0.0
    ) -> bool:
        """Return True if a job was forgotten, or one of its entities at its time or later.

        `timestamp` is in seconds since the epoch.
        """
        with self._database.reading() as transaction:
            return is_buried(transaction, job_id, entities, timestamp)

    def has_spoken(self, scope_key: str, user_id: str) -> bool:
        """Return True if a scope has an event that `user_id` said, alone or with others."""
        condition, parameters = self._rows.spoken_in(scope_key, "u.id")
        query = f"SELECT 1 FROM (SELECT CAST(%s AS text) AS id) u WHERE {condition}"
        return self._database.row(query, (user_id, *parameters)) is not None

    def without_vector(self, limit: int) -> list[Event]:
        """Return events without an embedding, oldest first."""
        return self._events(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE {self._rows.not_embedded} ORDER BY timestamp, row LIMIT %s",
            (max(limit, 0),),
        )

    def waiting_vectors(self) -> tuple[int, float | None]:
        """Return the number of events without a vector, and the time of the oldest of them.

        The time is in seconds since the epoch; None if there is no such event.
        """
        count, oldest = self._database.row(
            f"SELECT count(*), min(timestamp) FROM events WHERE {self._rows.not_embedded}"
        )
        return int(count), oldest

    def embedded_count(self) -> int:
        """Return the number of events with a vector, the expected size of a derived index."""
        (count,) = self._database.row(
            "SELECT (SELECT coalesce(sum(events), 0) FROM scopes)"
            f" - (SELECT count(*) FROM events WHERE {self._rows.not_embedded})"
        )
        return int(count)

    def embedded_after(self, numbers: Mapping[int, int], limit: int) -> NewVectors:
        """Return at most `limit` events with vectors that are newer than `numbers`.

        `numbers` are the numbers of the last known vectors by scope number. A vector that replaces
        another one has a higher number. If `numbers` of the result is empty, nothing is left.
        """
        new = NewVectors([], [], {})
        listed = (
            f"SELECT {EVENT_COLUMNS_OF_E}, v.vector, v.sequence FROM event_vectors v JOIN events e ON e.row = v.row"
            " WHERE v.sequence > %s AND v.sequence < %s ORDER BY v.sequence LIMIT %s"
        )
        with self._database.reading() as transaction:
            for scope, last in transaction.rows(
                "SELECT scope_number, last_vector FROM scopes ORDER BY scope_number"
            ):
                left, first = limit - len(new.events), scope << SCOPE_SHIFT
                if not left or last == numbers.get(scope, 0):
                    continue
                after = numbers.get(scope, 0) if numbers.get(scope, 0) < last else 0
                found = transaction.rows(listed, (first + after, first + 2**SCOPE_SHIFT, left))
                new.events.extend(map(self._rows.event, found))
                new.vectors.extend(self._database.vector(row[-2]) for row in found)
                new.numbers[scope] = last if len(found) < left else found[-1][-1] - first
        return new

    def embedded_ids(self) -> list[str]:
        """Return the ids of all events with a vector."""
        found = self._database.rows(
            "SELECT e.event_id FROM event_vectors v JOIN events e ON e.row = v.row"
        )
        return [event_id for (event_id,) in found]

    def fingerprint(self) -> Fingerprint | None:
        """Return (model, dimension) of the stored vectors; None if there are none."""
        with self._database.reading() as transaction:
            return read_fingerprint(transaction)

    def count(self, where: EventFilter | None = None) -> int:
        if where is None or where == EventFilter(None):
            found = self._database.row("SELECT coalesce(sum(events), 0) FROM scopes")
        else:
            condition, parameters = self._rows.conditions(where)
            found = self._database.row(
                f"SELECT count(*) FROM events e WHERE {condition}", parameters
            )
        return int(found[0])

    def scopes(self) -> list[tuple[str, int]]:
        """Return (scope key, number of events) of each scope with events."""
        return self._database.rows(
            "SELECT scope_key, events FROM scopes WHERE events > 0 ORDER BY scope_number"
        )

    def people(self, *, after: str = "", text: str = "", limit: int = 50) -> list[KnownPerson]:
        """Return the people with events whose ids are above `after`, in the order of code points.

        The user of shared notes is omitted. With `text`, only people are returned whose id or name
        contains it, ignoring case.
        """
        found = self._database.rows(
            _PEOPLE + self.of_people, (after, RESERVED_USER, text, text, max(limit, 0))
        )
        return [KnownPerson._make(row) for row in found]

    def _events(self, statement: str, parameters: Sequence[Any]) -> list[Event]:
        return [self._rows.event(row) for row in self._database.rows(statement, parameters)]


# Steps from one id to the next in the index of users, without reading their events.
_PEOPLE = """
WITH RECURSIVE people(id) AS (
    SELECT min(user_id) FROM events WHERE user_id > %s
    UNION ALL SELECT (SELECT min(user_id) FROM events WHERE user_id > people.id) FROM people WHERE people.id IS NOT NULL
), named(id, name) AS (
    SELECT id, (SELECT user_name FROM events WHERE user_id = id ORDER BY row DESC LIMIT 1)
    FROM people WHERE id IS NOT NULL AND id != %s
)
SELECT id, name, (SELECT count(*) FROM events WHERE user_id = id) FROM named WHERE """
