"""Checks and normalises the output of an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...schema.errors import ModelAnswerUnusable
from ...schema.protocols import Matrix


def unit_rows(
    raw: Sequence[Any] | Matrix, *, count: int, dimension: int | None, source: str
) -> Matrix:
    """Return `raw` as float32 rows of length 1, shape (count, dimension).

    Raises ModelAnswerUnusable if the number of rows is not `count`, if their length is not
    `dimension` (None: any), or if a row holds NaN or infinity or is all zeros: similarities to such
    a vector are meaningless.
    """
    if len(raw) != count:
        raise ModelAnswerUnusable(f"{source} gave {len(raw)} vectors for {count} texts.")
    try:
        rows = np.asarray(raw, dtype=np.float64)
    except (ValueError, TypeError):
        raise ModelAnswerUnusable(
            f"{source} returned vectors of different lengths, or values that are not vectors."
        ) from None
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ModelAnswerUnusable(f"{source} did not return a list of vectors.")
    if dimension is not None and rows.shape[1] != dimension:
        raise ModelAnswerUnusable(
            f"{source} gave vectors of {rows.shape[1]} dimensions, but {dimension} were expected: "
            "check whether the model was changed."
        )
    lengths = np.linalg.norm(rows, axis=1)
    wrong = np.flatnonzero(~np.isfinite(lengths) | (lengths < 1e-12))
    if wrong.size:
        raise ModelAnswerUnusable(
            f"{source} gave no usable vector for {wrong.size} of {count} texts (NaN, infinite or all zeros; "
            f"the first is number {int(wrong[0]) + 1})."
        )
    return np.ascontiguousarray(rows / lengths[:, np.newaxis], dtype=np.float32)
