"""Vectors as blobs: little-endian float32."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...schema.errors import InvalidInput
from ...schema.protocols import Matrix, Vector


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


def dimensions(blobs: Iterable[bytes | None]) -> list[int]:
    """Return the dimensions of those that are vectors."""
    return [len(blob) // 4 for blob in blobs if blob is not None]
