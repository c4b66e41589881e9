"""Tombstones of forgotten jobs and entities, which must not be filed again.

A tombstone holds a job id, or the key of a user or group, and nothing else of the forgotten data.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from .engine import Transaction

SECONDS_OF_EVER = 2.0**62
"""The time until which a tombstone without an end holds, as seconds since the epoch."""


def add_tombstones(transaction: Transaction, kind: Literal["job", "entity"], values: Iterable[str], until: float) -> None:
    """Add tombstones for `values` up to the time `until` (seconds since the epoch). The latest time is kept."""
    transaction.run_many(
        "INSERT INTO tombstones (kind, value, until) VALUES (%s, %s, %s)"
        " ON CONFLICT (kind, value) DO UPDATE SET until = excluded.until WHERE tombstones.until < excluded.until",
        [(kind, value, until) for value in sorted(set(values))],
    )


def all_tombstones(transaction: Transaction) -> list[tuple[Literal["job", "entity"], str, float]]:
    """Return (kind, value, until) of every tombstone."""
    return transaction.rows("SELECT kind, value, until FROM tombstones ORDER BY kind, value")


def is_buried(transaction: Transaction, job_id: str, entities: Iterable[str], timestamp: float) -> bool:
    """Return True if the job was forgotten, or one of its entities at the time of the job or later."""
    found = transaction.row(
        "SELECT 1 FROM tombstones WHERE kind = 'job' AND value = %s"
        " UNION ALL SELECT 1 FROM tombstones WHERE kind = 'entity' AND until >= %s AND value = ANY(%s)",
        (job_id, timestamp, list(entities)),
    )
    return found is not None
