"""Tombstones of forgotten jobs and entities, which must not be filed again.

A tombstone contains a job id, the key of a user or group, or the digest of a corrected statement,
and no other forgotten data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from ...schema.correction import corrected_digest
from ...schema.event import Event
from ...text.profiles.lines import plain_words
from .engine import Transaction

TombstoneKind = Literal["job", "entity", "said"]
SAID: Literal["said"] = "said"
"""The kind of tombstones of statements, and the lock that transactions share when they file events.
"""
SECONDS_OF_EVER = 2.0**62
"""The end of a tombstone that never ends, in seconds since the epoch."""


def add_tombstones(
    transaction: Transaction, kind: TombstoneKind, values: Iterable[str], until: float
) -> None:
    """Add tombstones for `values` up to the time `until` (seconds since the epoch).

    The latest time is kept.
    """
    transaction.run_many(
        "INSERT INTO tombstones (kind, value, until) VALUES (%s, %s, %s)"
        " ON CONFLICT (kind, value) DO UPDATE SET until = excluded.until WHERE tombstones.until < excluded.until",
        [(kind, value, until) for value in sorted(set(values))],
    )


def all_tombstones(transaction: Transaction) -> list[tuple[TombstoneKind, str, float]]:
    """Return (kind, value, until) of every tombstone."""
    return transaction.rows("SELECT kind, value, until FROM tombstones ORDER BY kind, value")


def is_buried(
    transaction: Transaction, job_id: str, entities: Iterable[str], timestamp: float
) -> bool:
    """Return True if the job was forgotten, or one of its entities at `timestamp` or later."""
    found = transaction.row(
        "SELECT 1 FROM tombstones WHERE kind = 'job' AND value = %s"
        " UNION ALL SELECT 1 FROM tombstones WHERE kind = 'entity' AND until >= %s AND value = ANY(%s)",
        (job_id, timestamp, list(entities)),
    )
    return found is not None


def corrected(transaction: Transaction, events: Sequence[Event]) -> list[bool]:
    """Return a list of booleans: True if the words of an event were corrected after it was said."""
    digests = [digest_of(event) for event in events]
    known = "SELECT value, until FROM tombstones WHERE kind = 'said' AND value = ANY(%s)"
    until = dict(transaction.rows(known, (sorted(set(digests)),)))
    never = float("-inf")
    return [
        event.timestamp <= until.get(digest, never)
        for event, digest in zip(events, digests, strict=True)
    ]


def digest_of(event: Event) -> str:
    """Return the `corrected_digest` of an event; for a message it includes the speaker."""
    speaker = event.teller if event.is_message else ""
    return corrected_digest(event.scope.key, plain_words(event.text), speaker)
