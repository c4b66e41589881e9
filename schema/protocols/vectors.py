"""Embeddings as arrays: the types shared by models and stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]
    """One embedding, shape (dimension,), length 1."""
    Matrix = npt.NDArray[np.float32]
    """Several embeddings, shape (n, dimension), rows of length 1."""
else:
    # numpy is imported only where it is used: disabled memory does not need it.
    Vector = Matrix = Any
