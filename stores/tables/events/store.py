"""Events with vectors and keywords: the primary data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ....schema.errors import InvalidInput
from ....schema.event import BorneName, Event, EventFilter, EventLink, KnownPerson
from ....schema.protocols import Matrix, ScopeNews, Vector
from ....schema.scope import RESERVED_USER
from ..engine import Transaction
from ..fingerprint import check_dimension, read_fingerprint, set_fingerprint
from ..meta import note, noted
from ..tombstones import SECONDS_OF_EVER, add_tombstones, is_buried
from .links import clear_links, set_links
from .rows import EVENT_COLUMNS, EVENT_COLUMNS_OF_E, NEW_IN_SCOPE, ROWS_OF_SCOPE, EventRows, sizes

_ALL_THERE_ARE = 2**62
_AT_ONCE = 1_000


class EventTables:
    """What is alike in the `EventStore` of every engine. `close` closes the database for all that share it."""

    of_people: str
    """The condition on ids and names of people that they contain a text, given twice, with their order and number."""

    def __init__(self, rows: EventRows) -> None:
        self._rows = rows
        self._database = rows.database
        self._bring_words_up_to_date()

    def _bring_words_up_to_date(self) -> None:
        """Index all events anew if the form of indexed words is another one than that of the index."""
        form = self._rows.words_form
        if noted(self._database, "words") == form:
            return
        with self._database.writing() as transaction:
            transaction.lock_name("words")
            if noted(transaction, "words") == form:
                return
            self._rows.empty_words(transaction)
            last, page = -1, f"SELECT {EVENT_COLUMNS}, row FROM events WHERE row > %s ORDER BY row LIMIT %s"
            while found := transaction.rows(page, (last, _AT_ONCE)):
                self._rows.add_words(transaction, [(row[-1], self._rows.event(row).said) for row in found])
                last = found[-1][-1]
            # Readers in every process drop what they hold of the former words.
            transaction.run("UPDATE scopes SET removals = removals + 1")
            note(transaction, "words", form)

    def file_job(self, job_id: str, events: Sequence[Event], vectors: Sequence[Vector | None]) -> bool:
        """See `EventStore.file_job`.

        Raises FingerprintMismatch if the dimension of a vector differs from the stored ones; nothing is written then.
        """
        stored = self._stored(vectors)
        entities = {entity for event in events for entity in event.entities}
        sources = {source for event in events for source in event.sources}
        with self._database.writing() as transaction:
            transaction.lock_entities(entities)
            if is_buried(transaction, job_id, entities, max((event.timestamp for event in events), default=0.0)):
                return False
            if sources:  # whoever withdraws one of these messages has the lock of its scope
                self._rows.lock_scope_keys(transaction, [event.scope.key for event in events])
            if any(is_buried(transaction, source, (), 0.0) for source in sources):
                return False
            if not transaction.run("INSERT INTO filed_jobs (job_id) VALUES (%s) ON CONFLICT DO NOTHING", (job_id,)):
                return False
            check_dimension(transaction, sizes(vectors))
            ids = [event.event_id for event in events]
            taken = transaction.row("SELECT event_id FROM events WHERE event_id = ANY(%s) LIMIT 1", (ids,))
            if taken:
                raise InvalidInput(f"event_id: {taken[0]!r} belongs to another job; ids are made as job_id:n")
            self._rows.insert(transaction, events, stored)
        return True

    def file_new(self, events: Sequence[Event], vectors: Sequence[Vector | None]) -> list[str]:
        """See `EventStore.file_new`. For events without a job, whose ids are derived from their content. Raises as `file_job`.

        A derived index is updated when the owner is idle.
        """
        each = zip(events, vectors, self._stored(vectors), strict=True)
        wanted = {event.event_id: (event, vector, stored) for event, vector, stored in each}
        with self._database.writing() as transaction:
            transaction.lock_entities({entity for event in events for entity in event.entities})
            # Two that store the same content of a scope at once: the second waits here, and finds it.
            self._rows.lock_scope_keys(transaction, [event.scope.key for event in events])
            for (known,) in transaction.rows("SELECT event_id FROM events WHERE event_id = ANY(%s)", (list(wanted),)):
                del wanted[known]
            new = [one for one in wanted.values() if not is_buried(transaction, one[0].job_id, one[0].entities, one[0].timestamp)]
            check_dimension(transaction, sizes(vector for _, vector, _ in new))
            self._rows.insert(transaction, [event for event, _, _ in new], [stored for _, _, stored in new])
        return [event.event_id for event, _, _ in new]

    def file_messages(self, messages: Sequence[Sequence[Event]]) -> list[str]:
        """See `EventStore.file_messages`."""
        wanted = {parts[0].job_id: list(parts) for parts in messages if parts}
        with self._database.writing() as transaction:
            transaction.lock_entities({entity for parts in wanted.values() for event in parts for entity in event.entities})
            self._rows.lock_scope_keys(transaction, [parts[0].scope.key for parts in wanted.values()])
            known: dict[str, list[Event]] = {}
            same = f"SELECT {EVENT_COLUMNS} FROM events WHERE job_id = ANY(%s) ORDER BY row"
            for row in transaction.rows(same, (list(wanted),)):
                event = self._rows.event(row)
                known.setdefault(event.job_id, []).append(event)
            new: list[Event] = []
            edited: list[str] = []
            for job_id, parts in wanted.items():
                former, first = known.get(job_id, []), parts[0]
                if [one.text for one in former] == [one.text for one in parts]:
                    continue
                if former and first.worded_at < former[0].worded_at:
                    continue
                if is_buried(transaction, job_id, first.entities, first.timestamp):
                    continue
                if former:  # an edited message was said when it was said
                    edited.append(job_id)
                    at, local = former[0].timestamp, former[0].timestamp_local
                    parts = [replace(one, timestamp=at, timestamp_local=local) for one in parts]
                new += parts
            self._withdraw(transaction, edited)
            self._rows.insert(transaction, new, [None] * len(new))
            if edited:
                self._scrub_words(transaction)
        return [event.event_id for event in new]

    def withdraw(self, message_ids: Sequence[str], scope_key: str = "") -> list[str]:
        """See `EventStore.withdraw`."""
        with self._database.writing() as transaction:
            if scope_key:
                self._rows.lock_scope_keys(transaction, [scope_key])
            add_tombstones(transaction, "job", message_ids, SECONDS_OF_EVER)
            gone = self._withdraw(transaction, message_ids)
            self._scrub_words(transaction)
        self._database.truncate_log()
        return gone

    def _withdraw(self, transaction: Transaction, message_ids: Sequence[str]) -> list[str]:
        """Delete messages, and the events that rest on none that is left. Return the ids of what is gone."""
        if not message_ids:
            return []
        gone = [one for (one,) in transaction.rows("SELECT event_id FROM events WHERE job_id = ANY(%s)", (list(message_ids),))]
        resting = f"SELECT {EVENT_COLUMNS} FROM events WHERE {self._rows.rests_on}"
        for event in map(self._rows.event, transaction.rows(resting, (list(message_ids),))):
            others = list(set(event.sources).difference(message_ids))
            if not others or transaction.row("SELECT 1 FROM events WHERE job_id = ANY(%s) LIMIT 1", (others,)) is None:
                gone.append(event.event_id)
        self._delete(transaction, gone)
        return gone

    def resting_on(self, message_ids: Sequence[str]) -> list[Event]:
        """See `EventStore.resting_on`."""
        if not message_ids:
            return []
        rests = f"SELECT {EVENT_COLUMNS} FROM events WHERE {self._rows.rests_on} ORDER BY row"
        return self._events(rests, (list(message_ids),))

    def known_messages(self, message_ids: Sequence[str]) -> set[str]:
        """See `EventStore.known_messages`."""
        found = self._database.rows("SELECT DISTINCT job_id FROM events WHERE job_id = ANY(%s)", (list(message_ids),))
        return {job_id for (job_id,) in found}

    def names(self, scope_key: str) -> list[BorneName]:
        """See `EventStore.names`."""
        found = self._database.rows(
            "SELECT user_id, user_name, min(timestamp), max(timestamp) FROM events"
            f" WHERE row {ROWS_OF_SCOPE} AND user_name != '' GROUP BY user_id, user_name ORDER BY max(timestamp), user_name",
            (scope_key, scope_key),
        )
        return [BorneName._make(row) for row in found]

    def is_filed(self, job_id: str) -> bool:
        return self._database.row("SELECT 1 FROM filed_jobs WHERE job_id = %s", (job_id,)) is not None

    def get(self, event_ids: Sequence[str]) -> list[Event]:
        found = self._events(f"SELECT {EVENT_COLUMNS} FROM events WHERE event_id = ANY(%s)", (list(event_ids),))
        events = {event.event_id: event for event in found}
        return [events[event_id] for event_id in event_ids if event_id in events]

    def find(self, where: EventFilter, *, limit: int = 100, newest_first: bool = True) -> list[Event]:
        """Return matching events ordered by time, events of the same time in the order of filing."""
        direction = "DESC" if newest_first else "ASC"
        condition, parameters = self._rows.conditions(where)
        return self._events(
            f"SELECT {EVENT_COLUMNS_OF_E} FROM events e WHERE {condition}"
            f" ORDER BY e.timestamp {direction}, e.row {direction} LIMIT %s",
            (*parameters, max(limit, 0)),
        )

    def vectors(self, where: EventFilter) -> tuple[list[str], Matrix]:
        condition, parameters = self._rows.conditions(where, column="v.sequence")
        # SQLite reads whole scopes in the order of the vectors; for narrower filters it finds the events first.
        join = "," if where.narrows else "CROSS JOIN"
        found = self._database.rows(
            f"SELECT e.event_id, v.vector FROM event_vectors v {join} events e"
            f" WHERE e.row = v.row AND {condition} ORDER BY v.sequence",
            parameters,
        )
        return [row[0] for row in found], self._database.matrix([row[1] for row in found])

    def news(self, scope_key: str, after_sequence: int, after_row: int, limit: int = -1) -> ScopeNews:
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
                "SELECT e.event_id, v.vector, v.sequence FROM event_vectors v CROSS JOIN events e WHERE e.row = v.row"
                f" AND v.sequence {new} ORDER BY v.sequence LIMIT %s",
                (scope_key, after_sequence, scope_key, 0 if len(rows) == limit else most),
            )
        sequence = vectors[-1][2] if vectors else after_sequence
        events, ids, matrix = list(self._rows.alike(found)), [row[0] for row in vectors], [row[1] for row in vectors]
        return ScopeNews(rows, events, words, ids, self._database.matrix(matrix), sequence)

    def change_number(self, scope_key: str) -> tuple[int, int]:
        row = self._database.row("SELECT additions, removals FROM scopes WHERE scope_key = %s", (scope_key,))
        return (0, 0) if row is None else (row[0], row[1])

    def supersede(self, links: Sequence[EventLink]) -> list[str]:
        if not links:
            return []
        with self._database.writing() as transaction:
            return set_links(transaction, self._rows, links)

    def ended_by(self, event_id: str) -> list[Event]:
        return self._events(
            f"SELECT {EVENT_COLUMNS}, row FROM events WHERE superseded_by = %s AND superseded_by != ''"
            f" UNION SELECT {EVENT_COLUMNS}, row FROM events WHERE corrected_by = %s AND corrected_by != '' ORDER BY row",
            (event_id, event_id),
        )

    def uphold(self, event_ids: Sequence[str]) -> int:
        with self._database.writing() as transaction:
            return clear_links(transaction, self._rows, event_ids)

    def edit(self, event_id: str, text: str, vector: Vector | None) -> bool:
        """Replace the text and vector of an event (None: to be embedded later). Return False if it does not exist."""
        (stored,) = self._stored([vector])
        with self._database.writing() as transaction:
            found = transaction.row("SELECT row FROM events WHERE event_id = %s", (event_id,))
            if found is None:
                return False
            row = int(found[0])
            check_dimension(transaction, sizes([vector]))
            self._rows.lock_scopes(transaction, [row])
            transaction.run("UPDATE events SET rewritten_by = 'hand' WHERE row = %s", (row,))
            self._rows.replace_text(transaction, row, event_id, text, stored)
            self._rows.count_removals(transaction, [row])
        return True

    def delete(self, event_ids: Sequence[str]) -> int:
        with self._database.writing() as transaction:
            return self._delete(transaction, event_ids)

    def forget(self, event_ids: Sequence[str]) -> int:
        """Permanently delete events. Where the files are ours, texts are overwritten in them, in the keyword index and in the
        write-ahead log. Return how many.
        """
        with self._database.writing() as transaction:
            deleted = self._delete(transaction, event_ids)
            self._scrub_words(transaction)
        self._database.truncate_log()
        return deleted

    def _scrub_words(self, transaction: Any) -> None:
        """Overwrite the words of deleted events in an index that keeps them."""

    def is_forgotten(self, job_id: str, entities: Iterable[str] = (), timestamp: float = 0.0) -> bool:
        """Return True if a job, or one of its entities at its time (seconds since the epoch), was forgotten."""
        with self._database.reading() as transaction:
            return is_buried(transaction, job_id, entities, timestamp)

    def without_vector(self, limit: int) -> list[Event]:
        return self._events(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE {self._rows.not_embedded} ORDER BY timestamp, row LIMIT %s",
            (max(limit, 0),),
        )

    def set_vectors(self, event_ids: Sequence[str], vectors: Sequence[Vector]) -> None:
        """Store embeddings of events. Events deleted meanwhile are skipped.

        Raises FingerprintMismatch if a dimension differs from the stored one; nothing is written then.
        """
        stored = dict(zip(event_ids, self._stored(vectors), strict=True))
        with self._database.writing() as transaction:
            check_dimension(transaction, sizes(vectors))
            self._rows.lock_scopes_of(transaction, stored)
            found = transaction.rows(
                "SELECT row, event_id, embedded FROM events WHERE event_id = ANY(%s) ORDER BY row", (list(stored),)
            )
            replaced = [row for row, _, embedded in found if embedded]
            self._rows.remove_vectors(transaction, replaced)
            self._rows.count_removals(transaction, replaced)
            self._rows.add_vectors(transaction, [(row, stored[event_id]) for row, event_id, _ in found])
            self._rows.note_changed(transaction, [event_id for _, event_id, _ in found])

    def embedded_count(self) -> int:
        """Return the number of events with a vector, which is the expected size of a derived index."""
        (count,) = self._database.row(
            "SELECT (SELECT coalesce(sum(events), 0) FROM scopes)"
            f" - (SELECT count(*) FROM events WHERE {self._rows.not_embedded})"
        )
        return int(count)

    def fingerprint(self) -> tuple[str, int] | None:
        with self._database.reading() as transaction:
            return read_fingerprint(transaction)

    def set_fingerprint(self, model: str, dimension: int) -> None:
        if self.fingerprint() == (model, dimension):
            return
        with self._database.writing() as transaction:
            set_fingerprint(transaction, model, dimension)

    def has_spoken(self, scope_key: str, user_id: str) -> bool:
        condition, parameters = self._rows.spoken_in(scope_key, "u.id")
        query = f"SELECT 1 FROM (SELECT CAST(%s AS text) AS id) u WHERE {condition}"
        return self._database.row(query, (user_id, *parameters)) is not None

    def count(self, where: EventFilter | None = None) -> int:
        if where is None or where == EventFilter(None):
            found = self._database.row("SELECT coalesce(sum(events), 0) FROM scopes")
        else:
            condition, parameters = self._rows.conditions(where)
            found = self._database.row(f"SELECT count(*) FROM events e WHERE {condition}", parameters)
        return int(found[0])

    def scopes(self) -> list[tuple[str, int]]:
        return self._database.rows("SELECT scope_key, events FROM scopes WHERE events > 0 ORDER BY scope_number")

    def people(self, *, after: str = "", text: str = "", limit: int = 50) -> list[KnownPerson]:
        found = self._database.rows(_PEOPLE + self.of_people, (after, RESERVED_USER, text, text, max(limit, 0)))
        return [KnownPerson._make(row) for row in found]

    def close(self) -> None:
        self._database.close()

    def _events(self, statement: str, parameters: Sequence[Any]) -> list[Event]:
        return [self._rows.event(row) for row in self._database.rows(statement, parameters)]

    def _stored(self, vectors: Iterable[Vector | None]) -> list[Any]:
        return [None if vector is None else self._database.stored(vector) for vector in vectors]

    def _delete(self, transaction: Transaction, event_ids: Sequence[str]) -> int:
        found = transaction.rows("SELECT row, event_id FROM events WHERE event_id = ANY(%s)", (list(event_ids),))
        self._rows.delete(transaction, [row for row, _ in found])
        self._rows.note_changed(transaction, [event_id for _, event_id in found])
        return len(found)


# From one id to the next by the index of users: what each of them has said is not read.
_PEOPLE = """
WITH RECURSIVE people(id) AS (
    SELECT min(user_id) FROM events WHERE user_id > %s
    UNION ALL SELECT (SELECT min(user_id) FROM events WHERE user_id > people.id) FROM people WHERE people.id IS NOT NULL
), named(id, name) AS (
    SELECT id, (SELECT user_name FROM events WHERE user_id = id ORDER BY row DESC LIMIT 1)
    FROM people WHERE id IS NOT NULL AND id != %s
)
SELECT id, name, (SELECT count(*) FROM events WHERE user_id = id) FROM named WHERE """
