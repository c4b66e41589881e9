"""The mean of the vectors of a scope, updated while the scope grows without summing all vectors
again.
"""

from __future__ import annotations

import numpy as np

from ...models.embeddings.general_means import nearest_means
from ...schema.protocols import Matrix, Vector

PRIOR_EVENTS = 8.0
"""The mean of a scope is computed as if it had this many more events at the general mean of the
model, or at the origin if that is unknown: the mean of two or three vectors is unreliable."""


class VectorSum:
    """The sum of the vectors of a table, and the sum of the general means of their languages
    (`means`, None if not known).
    """

    def __init__(self, means: Matrix | None) -> None:
        self._means = means
        self._total = np.zeros(0)
        self._general = np.zeros(0)
        self.count = 0

    def add(self, vectors: Matrix, times: int = 1) -> None:
        """Add vectors; with `times` -1 subtract them."""
        if not len(vectors):
            return
        if self._total.shape != vectors.shape[1:]:
            self._total, self._general, self.count = (
                np.zeros(vectors.shape[1]),
                np.zeros(vectors.shape[1]),
                0,
            )
        self._total += times * vectors.sum(axis=0, dtype=np.float64)
        self.count += times * len(vectors)
        if self._means is not None and self._means.shape[1:] == vectors.shape[1:]:
            self._general += times * nearest_means(vectors, self._means).sum(
                axis=0, dtype=np.float64
            )

    def mean(self, dimension: int) -> Vector:
        """Return the mean, including PRIOR_EVENTS."""
        if not self.count:
            return np.zeros(dimension, dtype=np.float32)
        total = self._total + self._general * (PRIOR_EVENTS / self.count)
        return np.asarray(total / (self.count + PRIOR_EVENTS), dtype=np.float32)
