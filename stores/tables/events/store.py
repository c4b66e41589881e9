"""Events with vectors and keywords: the primary data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ....schema.errors import InvalidInput
from ....schema.event import MESSAGE, OBSERVATION, BorneName, Event, EventFilter, EventLink, KnownPerson
from ....schema.protocols import Fingerprint, Matrix, Vector
from ....schema.scope import RESERVED_USER
from ....text.former_messages import FormerTalk
from ..engine import Database, Transaction
from ..fingerprint import check_dimension, read_fingerprint, set_fingerprint
from ..meta import note, note_remains, noted
from ..tombstones import SAID, SECONDS_OF_EVER, add_tombstones, corrected, is_buried
from .links import clear_links, set_links
from .rows import (
    EVENT_COLUMNS,
    EVENT_COLUMNS_OF_E,
    MESSAGES,
    NAMES,
    NEW_IN_SCOPE,
    ROWS_OF_SCOPE,
    SCOPE_SHIFT,
    EventRows,
    sizes,
    without_nul,
)

_ALL_THERE_ARE = 2**62
_RETURNED = f"source = '{OBSERVATION}' OR role = 'tool'"
"""The condition on what tools returned, as `is_raw` has it."""
_DUE = (
    "row IN (SELECT row FROM events WHERE expires_at <= %s"
    f" UNION ALL SELECT row FROM events WHERE timestamp < %s AND ({_RETURNED})"
    f" UNION ALL SELECT row FROM events WHERE timestamp < %s AND kind = '{MESSAGE}')"
)
"""The condition on what is to leave: expired, returned by a tool before a time, said before a time."""
_AT_ONCE = 1_000
_BECOMES = (
    *("kind", "source", "text", "role", "said_by", "user_name", "bot_name"),
    *("gate_reasons", "rewritten_by", "schema_version"),
)
"""What of an observation changes that becomes a message."""


class ScopeNews(NamedTuple):
    """A consistent snapshot of new events: their row numbers, in the order of filing, and the events themselves, words (row,
    number of words, words as indexed), and new vectors with the row numbers of their events, `embedded`.

    `sequence` is the number of the newest vector.
    """

    rows: list[int]
    events: list[Event]
    words: list[tuple[int, int, str]]
    embedded: list[int]
    vectors: Matrix
    sequence: int


class NewVectors(NamedTuple):
    """Embedded events with their vectors, and the number of the last vector read of each scope, by scope number."""

    events: list[Event]
    vectors: list[Vector]
    numbers: dict[int, int]


class EventStore(ABC):
    """Events with vectors and keywords: the primary data. One transaction per job.

    `close` closes the database for all that share it.
    """

    database: Database

    of_people: str
    """The condition on ids and names of people that they contain a text, given twice, with their order and number."""

    def __init__(self, rows: EventRows) -> None:
        self._rows = rows
        self._database = rows.database
        self._make_messages()
        self._bring_words_up_to_date()

    def _make_messages(self) -> None:
        """Make messages of the talk that former versions kept as observations, once. Words and vectors stay as they are."""
        if noted(self._database, MESSAGES):
            return
        with self._database.writing() as transaction:
            transaction.lock_name(MESSAGES)
            if noted(transaction, MESSAGES):
                return
            update = f"UPDATE events SET {', '.join(f'{name} = %s' for name in _BECOMES)} WHERE row = %s"
            last, talk = -1, FormerTalk()
            page = f"SELECT {EVENT_COLUMNS}, row FROM events WHERE row > %s AND source = %s ORDER BY row LIMIT %s"
            while found := transaction.rows(page, (last, OBSERVATION, _AT_ONCE)):
                made: list[tuple[Any, ...]] = []
                for row in found:
                    event = self._rows.event(row)
                    message = talk.message(event)
                    if message.is_message:
                        values = dict(zip(NAMES, self._rows.values(message), strict=True))
                        made.append((*(values[name] for name in _BECOMES), row[-1]))
                transaction.run_many(update, made)
                last = found[-1][-1]
            transaction.run("UPDATE scopes SET removals = removals + 1")
            note(transaction, MESSAGES, "1")

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
        """Store all events of a job atomically. Return False and change nothing if the job is already filed or forgotten.

        An event of which a source was withdrawn or corrected is left out, and so is what was corrected after it was said
        (`are_corrected`).

        Raises FingerprintMismatch if the dimension of a vector differs from the stored ones; nothing is written then.
        """
        stored = self._stored(vectors)
        entities = {entity for event in events for entity in event.entities}
        with self._database.writing() as transaction:
            transaction.lock_entities(entities)
            if any(event.sources for event in events):
                transaction.lock_name(MESSAGES, shared=True)
            if is_buried(transaction, job_id, entities, max((event.timestamp for event in events), default=0.0)):
                return False
            if not transaction.run("INSERT INTO filed_jobs (job_id) VALUES (%s) ON CONFLICT DO NOTHING", (job_id,)):
                return False
            check_dimension(transaction, sizes(vectors))
            supported = self._supported(transaction, events)
            kept = [(one, vector) for one, vector in zip(supported, stored, strict=True) if one]
            events, stored = [one for one, _ in kept], [vector for _, vector in kept]
            ids = [event.event_id for event in events]
            taken = transaction.row("SELECT event_id FROM events WHERE event_id = ANY(%s) LIMIT 1", (ids,))
            if taken:
                raise InvalidInput(f"event_id: {taken[0]!r} belongs to another job; ids are made as job_id:n")
            self._rows.insert(transaction, events, stored)
        return True

    def file_new(self, events: Sequence[Event], vectors: Sequence[Vector | None]) -> list[str]:
        """Store, in one transaction, the events whose ids (derived from the content) are new. Return these ids.

        Events of entities that were forgotten at the time of the event or later are not stored.

        For events without a job, whose ids are derived from their content. Raises as `file_job`.

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
            supported = self._supported(transaction, [event for event, _, _ in new])
            kept = [(event, one[2]) for event, one in zip(supported, new, strict=True) if event]
            self._rows.insert(transaction, [event for event, _ in kept], [vector for _, vector in kept])
        return [event.event_id for event, _ in kept]

    def _supported(self, transaction: Transaction, events: Sequence[Event]) -> list[Event | None]:
        """Return the events; None for one of which a source was withdrawn or corrected, and for what was corrected after it was
        said. They expire with the first of their sources."""
        transaction.lock_name(SAID, shared=True)
        wrong = corrected(transaction, events)
        gone: set[str] = set()
        expiry: dict[str, float | None] = {}
        if sources := sorted({source for event in events for source in event.sources}):
            buried = (
                "SELECT value FROM tombstones WHERE kind = 'job' AND value = ANY(%s)"
                f" UNION SELECT job_id FROM events WHERE kind = '{MESSAGE}' AND corrected_by != '' AND job_id = ANY(%s)"
            )
            gone = {value for (value,) in transaction.rows(buried, (sources, sources))}
            expires = "SELECT job_id, expires_at FROM events WHERE job_id = ANY(%s)"
            expiry = dict(transaction.rows(expires, (sources,)))
        found: list[Event | None] = []
        for event, is_wrong in zip(events, wrong, strict=True):
            expires_at = event.expires_at
            if expires_at is None:
                ends = (expiry.get(one) for one in event.sources)
                expires_at = min((one for one in ends if one is not None), default=None)
            stands = gone.isdisjoint(event.sources) and not is_wrong
            found.append(replace(event, expires_at=expires_at) if stands else None)
        return found

    def file_messages(self, messages: Sequence[Sequence[Event]]) -> list[str]:
        """Store messages, each given as its parts, in one transaction. Return the ids of the events that are new.

        Of a message with a known `job_id` and the same words nothing changes, nor by words that are older
        (`worded_at`). Other words replace it at its former time, and
        events that rest on it go; of a message that is given twice the later words count. One that was withdrawn, or
        whose entities were forgotten when it was said or later, is not stored. Raises InvalidInput for a `job_id` of a message
        of another scope.
        """
        wanted: dict[str, list[Event]] = {}
        for parts in filter(None, messages):
            first = wanted.get(parts[0].job_id)
            if first is None:
                wanted[parts[0].job_id] = list(parts)
            elif parts[0].worded_at >= first[0].worded_at:
                wanted[parts[0].job_id] = _in_place_of(first[0], parts)
        if not wanted:
            return []
        with self._database.writing() as transaction:
            self._lock_messages(transaction, wanted)
            known: dict[str, list[Event]] = {}
            same = f"SELECT {EVENT_COLUMNS} FROM events WHERE job_id = ANY(%s) ORDER BY row"
            for event in map(self._rows.event, transaction.rows(same, (list(wanted),))):
                known.setdefault(event.job_id, []).append(event)
            new: list[Event] = []
            edited: list[str] = []
            for job_id, parts in wanted.items():
                former = known.get(job_id, [])
                if [one.text for one in former] == [without_nul(one.text) for one in parts]:
                    continue
                if former and former[0].scope.key != parts[0].scope.key:
                    raise InvalidInput(
                        f"job_id: {job_id!r} is a message of {former[0].scope.key}, not of "
                        f"{parts[0].scope.key}; make its name of the scope it was said in"
                    )
                if former and parts[0].worded_at < former[0].worded_at:
                    continue
                # An edited message was said when it was said, and may be forgotten since.
                parts = _in_place_of(former[0], parts) if former else parts
                entities = {one for event in (*former, *parts) for one in event.entities}
                if is_buried(transaction, job_id, entities, parts[0].timestamp):
                    continue
                edited += [job_id] if former else []
                new += parts
            self._rows.withdraw(transaction, edited)
            self._rows.insert(transaction, new, [None] * len(new))
            note_remains(transaction, len(edited))
        return [event.event_id for event in new]

    def _lock_messages(self, transaction: Transaction, wanted: Mapping[str, Sequence[Event]]) -> None:
        """Lock the entities and scopes of messages, and the scopes of what rests on them, in the order of all writers."""
        events = [event for parts in wanted.values() for event in parts]
        transaction.lock_entities({entity for event in events for entity in event.entities})
        transaction.lock_name(MESSAGES, shared=True)
        self._rows.lock_messages(transaction, wanted, {event.scope.key for event in events})

    def withdraw(self, message_ids: Sequence[str]) -> list[str]:
        """Delete messages (given by `job_id`) for good, with the events that rest on them; they are never filed again.

        Return the ids of the events that are gone. Where their words stood is overwritten later (`ErasureTables.overwrite`).
        """
        with self._database.writing() as transaction:
            # What is being filed is waited for; what is filed later finds the tombstones.
            transaction.lock_name(MESSAGES)
            add_tombstones(transaction, "job", message_ids, SECONDS_OF_EVER)
            self._rows.lock_messages(transaction, message_ids)
            gone = self._rows.withdraw(transaction, message_ids)
            note_remains(transaction, len(gone))
        return gone

    def expire(
        self,
        limit: int,
        *,
        now: float,
        returned_before: float,
        said_before: float | None = None,
        most_messages: int = 0,
    ) -> int:
        """Delete the records of at most `limit` jobs or messages, the oldest first. Return how many records.

        What has expired leaves (`Event.expires_at`, at `now`), what tools returned if it is older than `returned_before`, a
        message if it is older than `said_before` (all in seconds since the epoch; None: never), or is one of more than
        `most_messages` of its scope (0: no bound). Messages leave whole. What rests on them stays, unless it expires too, and
        they may be filed again. Where the words of what had expired stood is overwritten later (`ErasureTables.overwrite`).
        """
        with self._database.reading() as transaction:
            due = [now, returned_before, -SECONDS_OF_EVER if said_before is None else said_before]
            found = transaction.rows(
                f"SELECT job_id FROM events WHERE {_DUE} GROUP BY job_id ORDER BY min(timestamp), min(row) LIMIT %s",
                (*due, limit),
            )
            beyond = self._beyond(transaction, most_messages, limit - len(found)) if most_messages else []
        if not found and not beyond:
            return 0
        with self._database.writing() as transaction:
            gone = transaction.rows(
                f"SELECT event_id, expires_at FROM events WHERE job_id = ANY(%s) AND {_DUE}"
                " UNION ALL SELECT event_id, expires_at FROM events WHERE job_id = ANY(%s)",
                ([job_id for (job_id,) in found], *due, beyond),
            )
            note_remains(transaction, sum(at is not None and at <= now for _, at in gone))
            return self._delete(transaction, [event_id for event_id, _ in gone])

    def _beyond(self, transaction: Transaction, most: int, limit: int) -> list[str]:
        """Return the `job_id`s of the oldest messages that scopes hold beyond `most`."""
        oldest: list[str] = []
        large = "SELECT scope_number << %s, scope_number + 1 << %s FROM scopes WHERE events > %s ORDER BY scope_number"
        for first, end in transaction.rows(large, (SCOPE_SHIFT, SCOPE_SHIFT, most)):
            messages = f"FROM events WHERE row > %s AND row < %s AND kind = '{MESSAGE}'"
            (count,) = transaction.row(f"SELECT count(DISTINCT job_id) {messages}", (first, end))
            found = transaction.rows(
                f"SELECT job_id {messages} GROUP BY job_id ORDER BY min(timestamp), min(row) LIMIT %s",
                (first, end, max(min(count - most, limit - len(oldest)), 0)),
            )
            oldest += [job_id for (job_id,) in found]
        return oldest

    def resting_on(self, message_ids: Sequence[str]) -> list[Event]:
        """Return the events that rest on one of some messages (by `job_id`)."""
        if not message_ids:
            return []
        rests = f"SELECT {EVENT_COLUMNS} FROM events WHERE {self._rows.rests_on} ORDER BY row"
        return self._events(rests, (list(message_ids),))

    def known_messages(self, message_ids: Sequence[str]) -> set[str]:
        """Return which messages (by `job_id`) are stored."""
        found = self._database.rows("SELECT DISTINCT job_id FROM events WHERE job_id = ANY(%s)", (list(message_ids),))
        return {job_id for (job_id,) in found}

    def names(self, scope_key: str) -> list[BorneName]:
        """Return every name that the people of a scope have borne there, by when it was seen last, the newest at the end."""
        found = self._database.rows(
            "SELECT user_id, user_name, min(timestamp), max(timestamp) FROM events"
            f" WHERE row {ROWS_OF_SCOPE} AND user_name != '' GROUP BY user_id, user_name ORDER BY max(timestamp), max(row)",
            (scope_key, scope_key),
        )
        return [BorneName._make(row) for row in found]

    def is_filed(self, job_id: str) -> bool:
        return self._database.row("SELECT 1 FROM filed_jobs WHERE job_id = %s", (job_id,)) is not None

    def get(self, event_ids: Sequence[str]) -> list[Event]:
        """Return the events that exist, in the order of `event_ids`."""
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
        """Return ids and embeddings of the matching embedded events; shape (0, 0) if there are none."""
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
        """Return a consistent snapshot of what is newer than a cache: events after a row, vectors after a sequence number.

        0 and 0 give everything. An event that is embedded later than filed gets a new sequence number then. With `limit`
        (negative: none), at most so many events, and vectors (at most so many) only where no further event is left: each of
        them has its event then.
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
        """Return (additions, removals) of a scope since it was created. A changed second number invalidates caches."""
        row = self._database.row("SELECT additions, removals FROM scopes WHERE scope_key = %s", (scope_key,))
        return (0, 0) if row is None else (row[0], row[1])

    def supersede(self, links: Sequence[EventLink]) -> list[str]:
        """Note that events are over. Return the ids of those that changed; the same links again change nothing.

        A link is left out if one of its events does not exist, if they are of different scopes or the new one is the earlier
        by time, if the old one is over already, or if the links would form a circle.
        """
        if not links:
            return []
        with self._database.writing() as transaction:
            return set_links(transaction, self._rows, links)

    def ended_by(self, event_id: str) -> list[Event]:
        """Return the events that are superseded or corrected by an event, oldest first."""
        return self._events(
            f"SELECT {EVENT_COLUMNS}, row FROM events WHERE superseded_by = %s AND superseded_by != ''"
            f" UNION SELECT {EVENT_COLUMNS}, row FROM events WHERE corrected_by = %s AND corrected_by != '' ORDER BY row",
            (event_id, event_id),
        )

    def uphold(self, event_ids: Sequence[str]) -> int:
        """Let events hold again that were superseded or corrected. Return how many changed."""
        with self._database.writing() as transaction:
            return clear_links(transaction, self._rows, event_ids)

    def hide(self, event_ids: Sequence[str], correction_id: str) -> list[str]:
        """Mark events as corrected (`corrected_by`) by a correction: recall leaves them out. Return those that were not before.

        What would be filed on such messages is left out.
        """
        with self._database.writing() as transaction:
            self._rows.lock_scopes_of(transaction, event_ids)
            found = transaction.rows(
                "UPDATE events SET corrected_by = %s WHERE event_id = ANY(%s) AND corrected_by = '' RETURNING event_id, row",
                (correction_id, list(event_ids)),
            )
            self._rows.count_removals(transaction, [row for _, row in found])
        return [event_id for event_id, _ in found]

    def reveal(self, correction_id: str) -> int:
        """Let the events that a correction has hidden be found again. Return how many."""
        with self._database.writing() as transaction:
            hidden = "UPDATE events SET corrected_by = '' WHERE corrected_by = %s RETURNING row"
            found = transaction.rows(hidden, (correction_id,))
            self._rows.count_removals(transaction, [row for (row,) in found])
        return len(found)

    def are_corrected(self, events: Sequence[Event]) -> list[bool]:
        """Return for each event whether its words were corrected after it was said (`ErasureTables.bury_words`)."""
        if not events:
            return []
        with self._database.reading() as transaction:
            return corrected(transaction, events)

    def edit(self, event_id: str, text: str, vector: Vector | None) -> bool:
        """Replace the text and vector of an event (None: to be embedded later). Return False if it does not exist.

        The words as they were handed over and the former texts go: they say what was wrong.
        """
        (stored,) = self._stored([vector])
        with self._database.writing() as transaction:
            check_dimension(transaction, sizes([vector]))
            self._rows.lock_scopes_of(transaction, [event_id])
            found = transaction.row(f"SELECT {EVENT_COLUMNS}, row FROM events WHERE event_id = %s", (event_id,))
            if found is None:
                return False
            row, event = int(found[-1]), replace(self._rows.event(found), text=text, times=(), people=())
            transaction.run("UPDATE events SET rewritten_by = 'hand', handed_over = '' WHERE row = %s", (row,))
            transaction.run("DELETE FROM event_revisions WHERE row = %s", (row,))
            self._rows.replace_text(transaction, row, event, stored)
            self._rows.count_removals(transaction, [row])
            note_remains(transaction, 1)
        return True

    def delete(self, event_ids: Sequence[str]) -> int:
        with self._database.writing() as transaction:
            return self._delete(transaction, event_ids)

    def forget(self, event_ids: Sequence[str]) -> int:
        """Permanently delete events, and withdraw the messages among them. Return how many events are gone.

        Where their words stood is overwritten later (`ErasureTables.overwrite`).
        """
        with self._database.writing() as transaction:
            transaction.lock_name(MESSAGES)
            named = "SELECT job_id, kind FROM events WHERE event_id = ANY(%s)"
            found = transaction.rows(named, (list(event_ids),))
            self._rows.lock_messages(transaction, {job_id for job_id, _ in found})
            messages = sorted({job_id for job_id, kind in found if kind == MESSAGE})
            add_tombstones(transaction, "job", messages, SECONDS_OF_EVER)
            gone = self._rows.withdraw(transaction, messages)
            deleted = len(gone) + self._delete(transaction, event_ids)
            note_remains(transaction, deleted)
        return deleted

    def is_forgotten(self, job_id: str, entities: Iterable[str] = (), timestamp: float = 0.0) -> bool:
        """Return True if a job, or one of its entities at its time (seconds since the epoch), was forgotten."""
        with self._database.reading() as transaction:
            return is_buried(transaction, job_id, entities, timestamp)

    def without_vector(self, limit: int) -> list[Event]:
        """Return events without an embedding, oldest first."""
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

    def waiting_vectors(self) -> tuple[int, float | None]:
        """Return how many events have no vector, and the time of the oldest of them (seconds since the epoch)."""
        count, oldest = self._database.row(f"SELECT count(*), min(timestamp) FROM events WHERE {self._rows.not_embedded}")
        return int(count), oldest

    def embedded_count(self) -> int:
        """Return the number of events with a vector, which is the expected size of a derived index."""
        (count,) = self._database.row(
            "SELECT (SELECT coalesce(sum(events), 0) FROM scopes)"
            f" - (SELECT count(*) FROM events WHERE {self._rows.not_embedded})"
        )
        return int(count)

    def embedded_after(self, numbers: Mapping[int, int], limit: int) -> NewVectors:
        """Return the events, at most `limit`, whose vectors have higher numbers than `numbers` says of their scopes.

        A vector that replaces another one has a higher number. Without `numbers` in the result nothing is left.
        """
        new = NewVectors([], [], {})
        listed = (
            f"SELECT {EVENT_COLUMNS_OF_E}, v.vector, v.sequence FROM event_vectors v JOIN events e ON e.row = v.row"
            " WHERE v.sequence > %s AND v.sequence < %s ORDER BY v.sequence LIMIT %s"
        )
        with self._database.reading() as transaction:
            for scope, last in transaction.rows("SELECT scope_number, last_vector FROM scopes ORDER BY scope_number"):
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
        found = self._database.rows("SELECT e.event_id FROM event_vectors v JOIN events e ON e.row = v.row")
        return [event_id for (event_id,) in found]

    def fingerprint(self) -> Fingerprint | None:
        """Return (model, dimension) of the stored vectors; None if there are none."""
        with self._database.reading() as transaction:
            return read_fingerprint(transaction)

    def set_fingerprint(self, model: str, dimension: int) -> None:
        """Store the model. Raises FingerprintMismatch if another one is stored."""
        if self.fingerprint() == (model, dimension):
            return
        with self._database.writing() as transaction:
            set_fingerprint(transaction, model, dimension)

    def has_spoken(self, scope_key: str, user_id: str) -> bool:
        """Return True if something that `user_id` said, or that was said with them, is stored in a scope."""
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
        """Scope keys and how many events each holds."""
        return self._database.rows("SELECT scope_key, events FROM scopes WHERE events > 0 ORDER BY scope_number")

    def people(self, *, after: str = "", text: str = "", limit: int = 50) -> list[KnownPerson]:
        """Return whose events are stored, in the order of code points, behind the id `after`; without the user of shared notes.

        With `text`, those in whose id or name it stands, whatever its case.
        """
        found = self._database.rows(_PEOPLE + self.of_people, (after, RESERVED_USER, text, text, max(limit, 0)))
        return [KnownPerson._make(row) for row in found]

    @abstractmethod
    def search_keywords(self, query: str, where: EventFilter, limit: int) -> list[tuple[str, float]]:
        """Return event ids with BM25 scores (higher is better), best first. Never raises because of the query text."""

    @abstractmethod
    def nearest(self, vector: Vector, where: EventFilter, limit: int) -> list[tuple[str, float]] | None:
        """Return ids with the cosines of the matching events whose vectors are most like `vector`, best first.

        Exact. None where the store would have to read all these vectors to compare them.
        """

    @abstractmethod
    def tidy(self) -> bool:
        """Do a small amount of index maintenance. Return False if nothing is left to do."""

    @abstractmethod
    def checkpoint(self) -> bool:
        """Idle work: bring what was written last into its final place on disk; False where that must wait."""

    def close(self) -> None:
        self._database.close()

    def _events(self, statement: str, parameters: Sequence[Any]) -> list[Event]:
        return [self._rows.event(row) for row in self._database.rows(statement, parameters)]

    def _stored(self, vectors: Iterable[Vector | None]) -> list[Any]:
        return [None if vector is None else self._database.stored(vector) for vector in vectors]

    def _delete(self, transaction: Transaction, event_ids: Sequence[str]) -> int:
        found = transaction.rows("SELECT row FROM events WHERE event_id = ANY(%s)", (list(event_ids),))
        return self._rows.delete(transaction, [row for (row,) in found])


def _in_place_of(former: Event, parts: Sequence[Event]) -> list[Event]:
    """Return the parts of an edited message: said when `former` was, and in answer to what that answered.

    The labels and the expiry of `former` stay where the edit brings none.
    """
    at = former.timestamp, former.timestamp_local, former.timezone
    return [
        replace(
            one,
            timestamp=at[0],
            timestamp_local=at[1],
            timezone=at[2],
            reply_to=one.reply_to or former.reply_to,
            tags=one.tags or former.tags,
            metadata=one.metadata or former.metadata,
            expires_at=former.expires_at if one.expires_at is None else one.expires_at,
        )
        for one in parts
    ]


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
