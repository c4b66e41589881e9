"""Inserting and deleting events in `index.sqlite`, in a transaction of the caller."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ...schema.event import Event
from . import event_keywords
from .event_rows import AMONG, EVENT_COLUMNS, as_json, event_to_row
from .scope_rows import add_vectors, count_removals, new_row, remove_vectors

_INSERT_EVENT = f"INSERT INTO events (row, {EVENT_COLUMNS}, embedded) VALUES ({', '.join('?' * (EVENT_COLUMNS.count(',') + 3))})"


def insert_events(connection: sqlite3.Connection, events: Sequence[Event], blobs: Sequence[bytes | None]) -> None:
    """Insert new events with words and vectors (None: to be embedded later), and count the additions."""
    rows = [new_row(connection, event.scope.key) for event in events]
    connection.executemany(
        _INSERT_EVENT,
        [(row, *event_to_row(event), blob is not None) for row, event, blob in zip(rows, events, blobs, strict=True)],
    )
    event_keywords.add_words(connection, [(row, event.text) for row, event in zip(rows, events, strict=True)])
    add_vectors(connection, [(row, blob) for row, blob in zip(rows, blobs, strict=True) if blob is not None])


def delete_events(connection: sqlite3.Connection, rows: Sequence[int]) -> None:
    """Delete events by row number, with words and vectors, and count the removals."""
    event_keywords.remove_words(connection, rows)
    remove_vectors(connection, rows)
    connection.execute(f"DELETE FROM events WHERE row {AMONG}", (as_json(rows),))
    count_removals(connection, rows, gone=True)
