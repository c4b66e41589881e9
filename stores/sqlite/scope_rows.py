"""Row and vector sequence numbers of scopes, and the counters that tell readers that a scope has changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import groupby

from .event_rows import AMONG, as_json
from .index_schema import SCOPE_SHIFT


def new_row(connection: sqlite3.Connection, scope_key: str) -> int:
    """Return the next row number of a scope and count the addition. Creates the scope if it is new."""
    count = (
        "UPDATE scopes SET last_row = last_row + 1, events = events + 1, additions = additions + 1 WHERE scope_key = ?"
        " RETURNING scope_number, last_row"
    )
    counted = connection.execute(count, (scope_key,)).fetchone()
    if counted is None:
        # Not INSERT OR IGNORE beforehand: an ignored row uses up a scope number too.
        connection.execute("INSERT INTO scopes (scope_key) VALUES (?)", (scope_key,))
        counted = connection.execute(count, (scope_key,)).fetchone()
    number, row = counted
    return int(number) << SCOPE_SHIFT | int(row)


def add_vectors(connection: sqlite3.Connection, vectors: Iterable[tuple[int, bytes]]) -> None:
    """Insert vectors of rows without one, in the order given, and count the additions."""
    for number, group in groupby(vectors, key=lambda item: item[0] >> SCOPE_SHIFT):
        items = list(group)
        (last,) = connection.execute(
            "UPDATE scopes SET last_vector = last_vector + ?, additions = additions + 1 WHERE scope_number = ?"
            " RETURNING last_vector",
            (len(items), number),
        ).fetchone()
        first = (number << SCOPE_SHIFT | last) - len(items) + 1
        connection.executemany(
            "INSERT INTO event_vectors (sequence, row, vector) VALUES (?, ?, ?)",
            [(first + i, row, blob) for i, (row, blob) in enumerate(items)],
        )
        connection.executemany("UPDATE events SET embedded = 1 WHERE row = ? AND embedded = 0", [(row,) for row, _ in items])


def remove_vectors(connection: sqlite3.Connection, rows: Sequence[int]) -> None:
    """Remove all vectors of changed or deleted rows: current, next and kept ones."""
    for table in ("event_vectors", "next_event_vectors", "kept_event_vectors"):
        connection.execute(f"DELETE FROM {table} WHERE row {AMONG}", (as_json(rows),))


def count_removals(connection: sqlite3.Connection, rows: Sequence[int], *, gone: bool = False) -> None:
    """Count changed rows (with `gone`: deleted rows) in their scopes."""
    connection.executemany(
        "UPDATE scopes SET removals = removals + ?, events = events - ? WHERE scope_number = ?",
        [
            (len(group), len(group) if gone else 0, number)
            for number, group in ((n, list(g)) for n, g in groupby(sorted(rows), key=lambda row: row >> SCOPE_SHIFT))
        ],
    )
