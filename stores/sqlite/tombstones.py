"""Tombstones of forgotten jobs and entities, which must not be filed again, as rows of the table `tombstones`.

A tombstone holds a job id, or the key of a user or group, and nothing else of the forgotten data.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Literal

from .event_rows import AMONG, as_json


def add_tombstones(connection: sqlite3.Connection, kind: Literal["job", "entity"], values: Iterable[str], until: float) -> None:
    """Add tombstones for `values` up to the time `until` (seconds since the epoch). The latest time is kept."""
    connection.executemany(
        "INSERT INTO tombstones (kind, value, until) VALUES (?, ?, ?)"
        " ON CONFLICT (kind, value) DO UPDATE SET until = max(until, excluded.until)",
        [(kind, value, until) for value in values],
    )


def all_tombstones(connection: sqlite3.Connection) -> list[tuple[Literal["job", "entity"], str, float]]:
    """Return (kind, value, until) of every tombstone."""
    return connection.execute("SELECT kind, value, until FROM tombstones ORDER BY kind, value").fetchall()


def is_buried(connection: sqlite3.Connection, job_id: str, entities: Iterable[str], timestamp: float) -> bool:
    """Return True if the job was forgotten, or one of its entities at the time of the job or later."""
    return (
        connection.execute(
            "SELECT 1 FROM tombstones WHERE kind = 'job' AND value = ?"
            " UNION ALL SELECT 1 FROM tombstones WHERE kind = 'entity' AND until >= ?"
            f" AND value {AMONG}",
            (job_id, timestamp, as_json(entities)),
        ).fetchone()
        is not None
    )
