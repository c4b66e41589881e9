"""Which events of the derived vector index may differ from the truth, as rows of the table `event_outbox`.

Whoever changes an event notes it here in the same transaction. Whoever has brought the derived index up to date removes the
note. An event that changes again in between gets a new version, and its note stays.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence


class Outbox:
    """The notes, and the versions that were handed out to be indexed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handed: dict[str, int] = {}

    def add(self, connection: sqlite3.Connection, event_ids: Sequence[str]) -> dict[str, int]:
        """Note the events, each with a new version; returns the versions."""
        versions = {}
        for event_id in event_ids:
            cursor = connection.execute("INSERT OR REPLACE INTO event_outbox (item_id) VALUES (?)", (event_id,))
            versions[event_id] = int(cursor.lastrowid or 0)
        return versions

    def hand_out(self, versions: Mapping[str, int]) -> None:
        """Remember which version of an event the caller is about to index."""
        with self._lock:
            self._handed.update(versions)

    def remove(self, connection: sqlite3.Connection, event_ids: Sequence[str]) -> None:
        """Remove notes, except those newer than what was handed out."""
        with self._lock:
            known = [(event_id, self._handed.pop(event_id, None)) for event_id in event_ids]
        connection.executemany("DELETE FROM event_outbox WHERE item_id = ? AND version <= ifnull(?, version)", known)


def fill_outbox(connection: sqlite3.Connection, select_ids: str) -> None:
    """Note every event that a SELECT of one column gives."""
    connection.execute(f"INSERT OR REPLACE INTO event_outbox (item_id) {select_ids}")
