"""Which items of a derived index may differ from the truth.

Whatever changes the truth notes the item here in the same transaction; whoever has brought the derived index up to
date takes the note away. An item that changes again in between gets a new version, and its note stays.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from typing import Literal

EVENTS: Literal["event_outbox"] = "event_outbox"
PROFILES: Literal["profile_outbox"] = "profile_outbox"


class Outbox:
    """One table of notes, and the versions that were handed out to be indexed."""

    def __init__(self, table: Literal["event_outbox", "profile_outbox"]) -> None:
        self._table = table
        self._lock = threading.Lock()
        self._handed: dict[str, int] = {}

    def add(self, connection: sqlite3.Connection, item_ids: Sequence[str]) -> dict[str, int]:
        """Note the items, each with a new version; returns the versions."""
        versions = {}
        for item_id in item_ids:
            cursor = connection.execute(f"INSERT OR REPLACE INTO {self._table} (item_id) VALUES (?)", (item_id,))
            versions[item_id] = int(cursor.lastrowid or 0)
        return versions

    def fill(self, connection: sqlite3.Connection, select_ids: str) -> None:
        """Note every item that a SELECT of one column gives."""
        connection.execute(f"INSERT OR REPLACE INTO {self._table} (item_id) {select_ids}")

    def hand_out(self, versions: Mapping[str, int]) -> None:
        """Remember which version of an item the caller is about to index."""
        with self._lock:
            self._handed.update(versions)

    def remove(self, connection: sqlite3.Connection, item_ids: Sequence[str]) -> None:
        """Take notes away, but not those newer than what was handed out."""
        with self._lock:
            known = [(item_id, self._handed.pop(item_id, None)) for item_id in item_ids]
        connection.executemany(f"DELETE FROM {self._table} WHERE item_id = ? AND version <= ifnull(?, version)", known)
