"""The outbox of the derived vector index: events whose entry may be outdated, as rows of the table `event_outbox`.

A transaction that changes an event adds it to the outbox. After the derived index was updated, the entry is removed. An event
that changes in between gets a new version, and its entry stays.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence


class Outbox:
    """The outbox, and the versions handed out for indexing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handed: dict[str, int] = {}

    def hand_out(self, versions: Mapping[str, int]) -> None:
        """Record the versions of events that the caller is about to index."""
        with self._lock:
            self._handed.update(versions)

    def remove(self, connection: sqlite3.Connection, event_ids: Sequence[str]) -> None:
        """Remove entries, except those newer than the version handed out."""
        with self._lock:
            known = [(event_id, self._handed.pop(event_id, None)) for event_id in event_ids]
        connection.executemany("DELETE FROM event_outbox WHERE item_id = ? AND version <= ifnull(?, version)", known)


def add_to_outbox(connection: sqlite3.Connection, event_ids: Sequence[str]) -> None:
    """Add events, each with a new version."""
    connection.executemany("INSERT OR REPLACE INTO event_outbox (item_id) VALUES (?)", [(one,) for one in event_ids])


def fill_outbox(connection: sqlite3.Connection, select_ids: str) -> None:
    """Add every event returned by a SELECT of one column."""
    connection.execute(f"INSERT OR REPLACE INTO event_outbox (item_id) {select_ids}")
