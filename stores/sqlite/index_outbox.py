"""The outbox of the derived vector index: events whose entry may be outdated, as rows of the table `event_outbox`.

A transaction that changes an event adds it to the outbox. After the derived index was updated, the entry is removed. An event
that changes in between gets a new version, and its entry stays.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence


def add_to_outbox(connection: sqlite3.Connection, event_ids: Sequence[str]) -> None:
    """Add events, each with a new version."""
    connection.executemany("INSERT OR REPLACE INTO event_outbox (item_id) VALUES (?)", [(one,) for one in event_ids])


def fill_outbox(connection: sqlite3.Connection, select_ids: str) -> None:
    """Add every event returned by a SELECT of one column."""
    connection.execute(f"INSERT OR REPLACE INTO event_outbox (item_id) {select_ids}")
