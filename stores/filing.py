"""What every engine checks before it files or forgets events."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..schema.errors import InvalidInput
from ..schema.event import Event, EventFilter
from ..schema.protocols import Vector

SECONDS_OF_EVER = 2.0**62
"""The time until which a tombstone without an end holds, as seconds since the epoch."""


def check_job(job_id: str, events: Sequence[Event], vectors: Sequence[object]) -> None:
    """Raise InvalidInput unless these are different events of one job, with a vector or None for each."""
    if len(events) != len(vectors):
        raise InvalidInput(f"job {job_id!r}: {len(events)} events and {len(vectors)} vectors; give one vector or None an event")
    if len({event.event_id for event in events}) != len(events):
        raise InvalidInput(f"job {job_id!r}: two events with one event_id; ids are made as job_id:n")
    stranger = next((event for event in events if event.job_id != job_id), None)
    if stranger is not None:
        raise InvalidInput(f"job {job_id!r}: event {stranger.event_id!r} belongs to job {stranger.job_id!r}")


def check_to_forget(where: EventFilter) -> None:
    """Raise InvalidInput for a filter that matches everything."""
    if where == EventFilter(None):
        raise InvalidInput("forget: the filter is empty; give a scope, a user, a time or event ids")


def check_vectors(event_ids: Sequence[str], vectors: Sequence[object]) -> None:
    """Raise InvalidInput unless there is one vector an id."""
    if len(event_ids) != len(vectors):
        raise InvalidInput(f"set_vectors: {len(event_ids)} ids and {len(vectors)} vectors; give one vector an id")


def checked_vector(vector: Vector) -> Vector:
    """Return `vector` as float32. Raises InvalidInput if it is not one-dimensional or not finite."""
    values = np.ascontiguousarray(vector, dtype=np.float32)
    if values.ndim != 1 or not values.size:
        raise InvalidInput(f"vector: expected one dimension, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise InvalidInput("vector: contains NaN or infinity; check the embedding model and its settings")
    return values
