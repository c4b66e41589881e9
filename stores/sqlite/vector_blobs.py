"""Vectors as blobs: little-endian float32."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...schema.protocols import Matrix, Vector
from ..filing import checked_vector


def vector_to_blob(vector: Vector) -> bytes:
    """Return `vector` as little-endian float32. Raises InvalidInput as `checked_vector`."""
    return checked_vector(vector).astype("<f4", copy=False).tobytes()


def blob_to_vector(blob: bytes) -> Vector:
    return np.frombuffer(blob, dtype="<f4").astype(np.float32, copy=False)


def blobs_to_matrix(blobs: Sequence[bytes]) -> Matrix:
    """Return the vectors as rows of one matrix; shape (0, 0) if there are none."""
    if not blobs:
        return np.empty((0, 0), dtype=np.float32)
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), -1).astype(np.float32, copy=False)
