"""Events with vectors and keywords: the primary data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ....schema.errors import InvalidInput
from ....schema.event import MESSAGE, OBSERVATION, Event, EventLink
from ....schema.protocols import Vector
from ....text.messages.former import FormerTalk
from ..engine import Database, Transaction
from ..fingerprint import check_dimension, set_fingerprint
from ..meta import note, note_remains, noted
from ..tombstones import SAID, corrected, is_buried
from .links import clear_links, set_links
from .messages import MessageTables
from .rows import (
    EVENT_COLUMNS,
    MESSAGES,
    NAMES,
    EventRows,
    sizes,
)

_AT_ONCE = 1_000
_BECOMES = (
    *("kind", "source", "text", "role", "said_by", "user_name", "bot_name"),
    *("gate_reasons", "rewritten_by", "schema_version"),
)
"""The fields of an observation that change when it becomes a message."""


class EventStore(MessageTables):
    """Events with vectors and keywords: the primary data. One transaction per job.

    `close` closes the database for all stores that share it.
    """

    database: Database

    def __init__(self, rows: EventRows) -> None:
        self._rows = rows
        self._database = rows.database
        self._make_messages()
        self._bring_words_up_to_date()

    def _make_messages(self) -> None:
        """Convert conversation messages that former versions stored as observations, once.

        Words and vectors are not changed.
        """
        if noted(self._database, MESSAGES):
            return
        with self._database.writing() as transaction:
            transaction.lock_name(MESSAGES)
            if noted(transaction, MESSAGES):
                return
            update = (
                f"UPDATE events SET {', '.join(f'{name} = %s' for name in _BECOMES)} WHERE row = %s"
            )
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
        """Rebuild the index of words if it does not have the form of this version."""
        form = self._rows.words_form
        if noted(self._database, "words") == form:
            return
        with self._database.writing() as transaction:
            transaction.lock_name("words")
            if noted(transaction, "words") == form:
                return
            self._rows.empty_words(transaction)
            last, page = (
                -1,
                f"SELECT {EVENT_COLUMNS}, row FROM events WHERE row > %s ORDER BY row LIMIT %s",
            )
            while found := transaction.rows(page, (last, _AT_ONCE)):
                self._rows.add_words(
                    transaction, [(row[-1], self._rows.event(row).said) for row in found]
                )
                last = found[-1][-1]
            # Invalidates the caches of the former words in every process.
            transaction.run("UPDATE scopes SET removals = removals + 1")
            note(transaction, "words", form)

    def file_job(
        self, job_id: str, events: Sequence[Event], vectors: Sequence[Vector | None]
    ) -> bool:
        """Store all events of a job atomically.

        Return False and change nothing if the job is already filed or forgotten. An event is
        omitted if one of its sources was withdrawn or corrected, or if the event was corrected
        after it was said (`are_corrected`).

        Raises FingerprintMismatch if the dimension of a vector differs from the stored ones;
        nothing is written then.
        """
        stored = self._stored(vectors)
        entities = {entity for event in events for entity in event.entities}
        with self._database.writing() as transaction:
            transaction.lock_entities(entities)
            if any(event.sources for event in events):
                transaction.lock_name(MESSAGES, shared=True)
            if is_buried(
                transaction,
                job_id,
                entities,
                max((event.timestamp for event in events), default=0.0),
            ):
                return False
            if not transaction.run(
                "INSERT INTO filed_jobs (job_id) VALUES (%s) ON CONFLICT DO NOTHING", (job_id,)
            ):
                return False
            check_dimension(transaction, sizes(vectors))
            supported = self._supported(transaction, events)
            kept = [(one, vector) for one, vector in zip(supported, stored, strict=True) if one]
            events, stored = [one for one, _ in kept], [vector for _, vector in kept]
            ids = [event.event_id for event in events]
            taken = transaction.row(
                "SELECT event_id FROM events WHERE event_id = ANY(%s) LIMIT 1", (ids,)
            )
            if taken:
                raise InvalidInput(
                    f"event_id: {taken[0]!r} belongs to another job; ids are made as job_id:n"
                )
            self._rows.insert(transaction, events, stored)
        return True

    def file_new(self, events: Sequence[Event], vectors: Sequence[Vector | None]) -> list[str]:
        """Store the events whose ids are new, in one transaction. Return their ids.

        For events without a job, whose ids are derived from their content. Events of entities that
        were forgotten at the time of the event or later are not stored. Raises like `file_job`.

        A derived index is updated when the owner is idle.
        """
        each = zip(events, vectors, self._stored(vectors), strict=True)
        wanted = {event.event_id: (event, vector, stored) for event, vector, stored in each}
        with self._database.writing() as transaction:
            transaction.lock_entities({entity for event in events for entity in event.entities})
            # If two processes store the same content of a scope at once, the second one waits here,
            # and then finds it.
            self._rows.lock_scope_keys(transaction, [event.scope.key for event in events])
            for (known,) in transaction.rows(
                "SELECT event_id FROM events WHERE event_id = ANY(%s)", (list(wanted),)
            ):
                del wanted[known]
            new = [
                one
                for one in wanted.values()
                if not is_buried(transaction, one[0].job_id, one[0].entities, one[0].timestamp)
            ]
            check_dimension(transaction, sizes(vector for _, vector, _ in new))
            supported = self._supported(transaction, [event for event, _, _ in new])
            kept = [(event, one[2]) for event, one in zip(supported, new, strict=True) if event]
            self._rows.insert(
                transaction, [event for event, _ in kept], [vector for _, vector in kept]
            )
        return [event.event_id for event, _ in kept]

    def _supported(self, transaction: Transaction, events: Sequence[Event]) -> list[Event | None]:
        """Return the events, with None in place of those that must not be stored.

        Those are events with a withdrawn or corrected source, and events that were corrected after
        they were said. An event without an expiry expires with the first of its sources.
        """
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

    def supersede(self, links: Sequence[EventLink]) -> list[str]:
        """Store links by which events are superseded or corrected.

        Return the ids of changed events.

        Repeating a link changes nothing. A link is omitted if one of its events does not exist, if
        they are of different scopes, if the new event has the earlier time, if the old event is
        already superseded or corrected, or if the links would form a circle.
        """
        if not links:
            return []
        with self._database.writing() as transaction:
            return set_links(transaction, self._rows, links)

    def uphold(self, event_ids: Sequence[str]) -> int:
        """Make superseded or corrected events valid again. Return the number of changed events."""
        with self._database.writing() as transaction:
            return clear_links(transaction, self._rows, event_ids)

    def hide(self, event_ids: Sequence[str], correction_id: str) -> list[str]:
        """Mark events as corrected by a correction (`corrected_by`), so that recall omits them.

        Return the ids of events that were not marked before. Events derived from marked messages
        are not filed.
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
        """Remove the marks of `hide` for a correction. Return the number of changed events."""
        with self._database.writing() as transaction:
            hidden = "UPDATE events SET corrected_by = '' WHERE corrected_by = %s RETURNING row"
            found = transaction.rows(hidden, (correction_id,))
            self._rows.count_removals(transaction, [row for (row,) in found])
        return len(found)

    def edit(self, event_id: str, text: str, vector: Vector | None) -> bool:
        """Replace the text and vector of an event (None: to be embedded later).

        Return False if the event does not exist. The original input and the former texts are
        deleted, because they contain the error.
        """
        (stored,) = self._stored([vector])
        with self._database.writing() as transaction:
            check_dimension(transaction, sizes([vector]))
            self._rows.lock_scopes_of(transaction, [event_id])
            found = transaction.row(
                f"SELECT {EVENT_COLUMNS}, row FROM events WHERE event_id = %s", (event_id,)
            )
            if found is None:
                return False
            row, event = (
                int(found[-1]),
                replace(self._rows.event(found), text=text, times=(), people=()),
            )
            transaction.run(
                "UPDATE events SET rewritten_by = 'hand', handed_over = '' WHERE row = %s", (row,)
            )
            transaction.run("DELETE FROM event_revisions WHERE row = %s", (row,))
            self._rows.replace_text(transaction, row, event, stored)
            self._rows.count_removals(transaction, [row])
            note_remains(transaction, 1)
        return True

    def set_vectors(self, event_ids: Sequence[str], vectors: Sequence[Vector]) -> None:
        """Store embeddings of events. Events deleted meanwhile are skipped.

        Raises FingerprintMismatch if a dimension differs from the stored one; nothing is written
        then.
        """
        stored = dict(zip(event_ids, self._stored(vectors), strict=True))
        with self._database.writing() as transaction:
            check_dimension(transaction, sizes(vectors))
            self._rows.lock_scopes_of(transaction, stored)
            found = transaction.rows(
                "SELECT row, event_id, embedded FROM events WHERE event_id = ANY(%s) ORDER BY row",
                (list(stored),),
            )
            replaced = [row for row, _, embedded in found if embedded]
            self._rows.remove_vectors(transaction, replaced)
            self._rows.count_removals(transaction, replaced)
            self._rows.add_vectors(
                transaction, [(row, stored[event_id]) for row, event_id, _ in found]
            )

    def set_fingerprint(self, model: str, dimension: int) -> None:
        """Store the model and dimension. Raises FingerprintMismatch if others are stored."""
        if self.fingerprint() == (model, dimension):
            return
        with self._database.writing() as transaction:
            set_fingerprint(transaction, model, dimension)

    def tidy(self) -> bool:
        """Do a small amount of index maintenance. Return False if nothing is left to do."""
        return False

    def close(self) -> None:
        self._database.close()

    def _stored(self, vectors: Iterable[Vector | None]) -> list[Any]:
        return [None if vector is None else self._database.stored(vector) for vector in vectors]
