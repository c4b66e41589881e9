"""The model and dimension of the stored vectors, as a row of the table `meta`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from ...schema.errors import FingerprintMismatch

Fingerprint = tuple[str, int]
"""(model, dimension)."""


def read_fingerprint(connection: sqlite3.Connection, name: str = "fingerprint") -> Fingerprint | None:
    """Return the model ("" if not known yet) and its dimension; None if there are no vectors."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    if row is None:
        return None
    model, dimension = json.loads(row[0])
    return str(model), int(dimension)


def set_fingerprint(connection: sqlite3.Connection, model: str, dimension: int) -> None:
    """Store the model. Raises FingerprintMismatch if another model or dimension is stored."""
    known = read_fingerprint(connection)
    if known == (model, dimension):
        return
    if known is not None and known != ("", dimension):
        raise FingerprintMismatch(
            f"the stored vectors were made by {known[0]!r} with {known[1]} dimensions, the settings name {model!r} "
            f"with {dimension}; run `historian reembed`, or set models.embedding back"
        )
    write_fingerprint(connection, (model, dimension))


def write_fingerprint(connection: sqlite3.Connection, made_by: Fingerprint, name: str = "fingerprint") -> None:
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, json.dumps(made_by)))


def check_dimension(connection: sqlite3.Connection, blobs: Iterable[bytes | None]) -> None:
    """Raise FingerprintMismatch unless vectors (float32 blobs) have the stored dimension.

    The first vectors set the dimension; `set_fingerprint` sets the model.
    """
    sizes = {len(blob) // 4 for blob in blobs if blob is not None}
    if not sizes:
        return
    known = read_fingerprint(connection)
    expected = known[1] if known else min(sizes)
    if sizes != {expected}:
        raise FingerprintMismatch(
            f"vectors of {', '.join(map(str, sorted(sizes)))} dimensions given, the stored ones have {expected}; "
            "set models.embedding back, or run `historian reembed`"
        )
    if known is None:
        set_fingerprint(connection, "", expected)
