"""What every engine files and forgets by."""

from __future__ import annotations

import numpy as np

from ..schema.errors import InvalidInput
from ..schema.protocols import Vector

SECONDS_OF_EVER = 2.0**62
"""The time until which a tombstone without an end holds, as seconds since the epoch."""


def checked_vector(vector: Vector) -> Vector:
    """Return `vector` as float32. Raises InvalidInput if it is not one-dimensional or not finite."""
    values = np.ascontiguousarray(vector, dtype=np.float32)
    if values.ndim != 1 or not values.size:
        raise InvalidInput(f"vector: expected one dimension, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise InvalidInput("vector: contains NaN or infinity; check the embedding model and its settings")
    return values
