"""Filing, editing, deletion and expiry of messages, and of the events derived from them.

An event is derived from a message that is among its `sources`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ....schema.errors import InvalidInput
from ....schema.event import MESSAGE, OBSERVATION, Event
from ..engine import Transaction
from ..meta import note_remains
from ..tombstones import SECONDS_OF_EVER, add_tombstones, is_buried
from .reading import EventReading
from .rows import (
    EVENT_COLUMNS,
    MESSAGES,
    SCOPE_SHIFT,
    without_nul,
)

_RETURNED = f"source = '{OBSERVATION}' OR role = 'tool'"
"""The condition on results of tools, equivalent to `is_raw`."""
_DUE = (
    "row IN (SELECT row FROM events WHERE expires_at <= %s"
    f" UNION ALL SELECT row FROM events WHERE timestamp < %s AND ({_RETURNED})"
    f" UNION ALL SELECT row FROM events WHERE timestamp < %s AND kind = '{MESSAGE}')"
)
"""The condition on records to delete: expired, tool results before a time, messages before a time.
"""


class MessageTables(EventReading):
    """Messages and their deletion."""

    def file_messages(self, messages: Sequence[Sequence[Event]]) -> list[str]:
        """Store messages, each given as its parts, in one transaction.

        Return the ids of the new events.

        A message with a known `job_id` is not changed if its words are the same, or older than the
        stored ones (`worded_at`). Otherwise the new words replace it; its time is not changed, and
        the events derived from it are deleted. If a message is given twice, the later words are
        used. A message is not stored if it was withdrawn, or if one of its entities was forgotten
        at its time or later. Raises InvalidInput if the `job_id` belongs to a message of another
        scope.
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
                        f"{parts[0].scope.key}; derive it from the scope of the message"
                    )
                if former and parts[0].worded_at < former[0].worded_at:
                    continue
                # The time of an edited message is not changed; it may be forgotten since.
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

    def _lock_messages(
        self, transaction: Transaction, wanted: Mapping[str, Sequence[Event]]
    ) -> None:
        """Lock the entities and scopes of messages, and the scopes of events derived from them.

        All writers take the locks in this order.
        """
        events = [event for parts in wanted.values() for event in parts]
        transaction.lock_entities({entity for event in events for entity in event.entities})
        transaction.lock_name(MESSAGES, shared=True)
        self._rows.lock_messages(transaction, wanted, {event.scope.key for event in events})

    def withdraw(self, message_ids: Sequence[str]) -> list[str]:
        """Permanently delete messages (given by `job_id`) and the events derived from them.

        They are never filed again. Return the ids of the deleted events. Their words are
        overwritten on the disk later (`ErasureTables.overwrite`).
        """
        with self._database.writing() as transaction:
            # Waits for open filings; later ones find the tombstones.
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
        """Delete the records of at most `limit` jobs or messages, the oldest first.

        Return their number.

        The method deletes records that have expired at `now` (`Event.expires_at`), results of tools
        that are older than `returned_before`, messages that are older than `said_before` (all in
        seconds since the epoch; None: never), and the oldest messages beyond `most_messages` per
        scope (0: no limit).

        Messages are deleted with all their parts, and may be filed again. Events derived from them
        are not deleted unless they expire too. The words of expired records are overwritten on the
        disk later (`ErasureTables.overwrite`).
        """
        with self._database.reading() as transaction:
            due = [now, returned_before, -SECONDS_OF_EVER if said_before is None else said_before]
            found = transaction.rows(
                f"SELECT job_id FROM events WHERE {_DUE} GROUP BY job_id ORDER BY min(timestamp), min(row) LIMIT %s",
                (*due, limit),
            )
            beyond = (
                self._beyond(transaction, most_messages, limit - len(found))
                if most_messages
                else []
            )
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
        """Return the `job_id`s of the oldest messages beyond `most` per scope, at most `limit`."""
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

    def forget(self, event_ids: Sequence[str]) -> int:
        """Permanently delete events, and withdraw the messages among them.

        Return the number of deleted events. Their words are overwritten on the disk later
        (`ErasureTables.overwrite`).
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

    def delete(self, event_ids: Sequence[str]) -> int:
        with self._database.writing() as transaction:
            return self._delete(transaction, event_ids)

    def _delete(self, transaction: Transaction, event_ids: Sequence[str]) -> int:
        found = transaction.rows(
            "SELECT row FROM events WHERE event_id = ANY(%s)", (list(event_ids),)
        )
        return self._rows.delete(transaction, [row for (row,) in found])


def _in_place_of(former: Event, parts: Sequence[Event]) -> list[Event]:
    """Return the parts of an edited message with the time of `former`.

    `reply_to`, labels and expiry of `former` are used if the edit has none.
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
