"""Events as rows of `index.sqlite`, vectors as blobs, filters as SQL conditions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

import numpy as np

from ...schema.errors import InvalidInput
from ...schema.event import Event, EventFilter
from ...schema.protocols import Matrix, Vector
from .index_schema import row_range

_NAMES = [field.name for field in fields(Event)]
EVENT_COLUMNS = ", ".join(_NAMES)
"""The fields of `Event` in their order; tuples are stored as JSON lists."""
EVENT_COLUMNS_OF_E = ", ".join(f"e.{name}" for name in _NAMES)
_ABSOLUTE, *_TUPLES = map(_NAMES.index, ("is_absolute", "gate_reasons", "speakers"))
_values_of = attrgetter(*_NAMES)

AMONG = "IN (SELECT value FROM json_each(?))"
"""A condition on a column: equal to one of any number of values, with the parameter made by `as_json`."""


def event_to_row(event: Event) -> tuple[Any, ...]:
    """Return the values of EVENT_COLUMNS."""
    return tuple(json.dumps(one, ensure_ascii=False) if isinstance(one, tuple) else one for one in _values_of(event))


def row_to_event(row: Sequence[Any]) -> Event:
    """Return the event whose EVENT_COLUMNS are the first values of `row`."""
    values = list(row[: len(_NAMES)])
    values[_ABSOLUTE] = bool(values[_ABSOLUTE])
    for n in _TUPLES:
        values[n] = () if values[n] == "[]" else tuple(json.loads(values[n]))
    return Event(*values)


def vector_to_blob(vector: Vector) -> bytes:
    """Return `vector` as little-endian float32. Raises InvalidInput if it is not one-dimensional or not finite."""
    values = np.ascontiguousarray(vector, dtype="<f4")
    if values.ndim != 1 or not values.size:
        raise InvalidInput(f"vector: expected one dimension, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise InvalidInput("vector: contains NaN or infinity; check the embedding model and its settings")
    return values.tobytes()


def blob_to_vector(blob: bytes) -> Vector:
    return np.frombuffer(blob, dtype="<f4").astype(np.float32, copy=False)


def blobs_to_matrix(blobs: Sequence[bytes]) -> Matrix:
    """Return the vectors as rows of one matrix; shape (0, 0) if there are none."""
    if not blobs:
        return np.empty((0, 0), dtype=np.float32)
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), -1).astype(np.float32, copy=False)


def as_json(values: Iterable[object]) -> str:
    """Return the parameter of AMONG."""
    return json.dumps(list(values), ensure_ascii=False)


def scope_number(connection: sqlite3.Connection, scope_key: str) -> int | None:
    """Return the number of a scope; None if nothing was ever filed in it."""
    row = connection.execute("SELECT scope_number FROM scopes WHERE scope_key = ?", (scope_key,)).fetchone()
    return None if row is None else int(row[0])


def conditions(connection: sqlite3.Connection, where: EventFilter, *, column: str = "e.row") -> tuple[str, list[Any]]:
    """Return `where` as a condition on the table `events e`, with its parameters.

    The only place that converts a filter to SQL. The scope is a range of `column` (`e.row`, or the sequence number of a
    vector); the condition for an unknown scope is always false.
    """
    terms = ["1"]
    parameters: list[Any] = []
    if where.scope_key is not None:
        number = scope_number(connection, where.scope_key)
        if number is None:
            return "0", []
        terms.append(f"{column} BETWEEN ? AND ?")
        parameters.extend(row_range(number))
    for name, values in (
        ("user_id", where.user_ids),
        ("kind", where.kinds),
        ("source", where.sources),
        ("event_id", where.event_ids),
        ("request_type", where.request_types),
    ):
        if values:
            terms.append(f"e.{name} {AMONG}")
            parameters.append(as_json(values))
    if where.people:
        terms.append(
            "(e.user_id IN (SELECT value FROM json_each(?)) OR e.row IN (SELECT o.row FROM events o, json_each(o.speakers) s"
            " WHERE o.speakers != '[]' AND s.value IN (SELECT value FROM json_each(?))))"
        )
        parameters.extend((as_json(where.people), as_json(where.people)))
    if where.time_from is not None:
        terms.append("e.timestamp >= ?")
        parameters.append(where.time_from)
    if where.time_to is not None:
        terms.append("e.timestamp <= ?")
        parameters.append(where.time_to)
    if where.occurs_from is not None:
        terms.append("ifnull(e.occurs_until, e.timestamp) >= ?")
        parameters.append(where.occurs_from)
    if where.occurs_to is not None:
        terms.append("ifnull(e.occurs_from, e.timestamp) <= ?")
        parameters.append(where.occurs_to)
    if where.holds is not None:
        terms.append("(e.superseded_by = '' AND e.corrected_by = '') = ?")
        parameters.append(where.holds)
    if where.is_absolute is not None:
        terms.append(f"e.is_absolute = {int(where.is_absolute)}")  # as in the index of those that are not
    return " AND ".join(terms), parameters


def spoken_in(connection: sqlite3.Connection, scope_key: str, user: str) -> tuple[str, list[Any]]:
    """Return, with its parameters, the condition that the user id in the column `user` has spoken in a scope.

    A look into an index for each user, whatever the scope holds; only summaries of several speakers are read, once.
    """
    number = scope_number(connection, scope_key)
    rows = (0, -1) if number is None else row_range(number)
    return (
        f"(EXISTS (SELECT 1 FROM events e WHERE e.user_id = {user} AND e.row BETWEEN ? AND ?)"
        f" OR EXISTS (SELECT 1 FROM buffered_states b WHERE b.user_id = {user} AND b.scope_key = ?)"
        f" OR {user} IN (SELECT s.value FROM events o, json_each(o.speakers) s"
        " WHERE o.speakers != '[]' AND o.row BETWEEN ? AND ?))",
        [*rows, scope_key, *rows],
    )
