"""Unit vectors in half the memory: whole numbers of 16 bits with a scale for each vector.

A value is off by at most a 65,000th of the largest one of its vector, a cosine by about two millionths: the ten
nearest of 100,000 vectors are those of float32. Half precision (float16) takes the same memory, is less exact, and is
slow here: NumPy converts it one value at a time (100,000 vectors: 73 ms; 16-bit whole numbers 8.5; float32 7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...schema.protocols import Matrix, Vector
from .columns import with_room

Numbers = npt.NDArray[np.int16]
Scores = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]

BLOCK_ROWS = 4_096
"""Rows of a full block (3 MB with 384 dimensions). Growing copies the last block at most."""
AT_ONCE = 1_024
"""Rows that are converted to float32 at a time: 1.5 MB with 384 dimensions, which a processor's cache holds."""
LARGEST = 32_767.0


@dataclass(frozen=True, eq=False)
class PackedMatrix:
    """Rows of unit vectors, as `VectorRows` held them when it was asked. A row without a vector is undefined."""

    blocks: tuple[Numbers, ...]
    scales: Scores
    dimension: int

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.dimension

    def __len__(self) -> int:
        return len(self.scales)

    def __getitem__(self, rows: Rows) -> Matrix:
        """Return the vectors of `rows` (an array of row numbers) as float32, shape (rows, dimension)."""
        found = np.empty((len(rows), self.dimension), dtype=np.float32)
        block_of = rows // BLOCK_ROWS
        for number in np.unique(block_of).tolist() if self.dimension else ():
            here = block_of == number
            found[here] = self.blocks[number][rows[here] - number * BLOCK_ROWS]
        found *= self.scales[rows, np.newaxis]
        return found

    def dot(self, vector: Vector) -> Scores:
        """Return the product of every row with `vector`."""
        found = np.zeros(len(self), dtype=np.float32)
        if not self.dimension:
            return found
        part = np.empty((min(AT_ONCE, len(self)), self.dimension), dtype=np.float32)
        for start in range(0, len(self), AT_ONCE):
            end = min(start + AT_ONCE, len(self))
            offset = start % BLOCK_ROWS
            rows = part[: end - start]
            np.copyto(rows, self.blocks[start // BLOCK_ROWS][offset : offset + end - start])
            # Not `rows @ vector`: BLAS starts its threads for it, which wait for a processor where all are busy. (10,000
            # vectors beside ten busy processes on two cores: 28 ms against 0.3, p50.)
            np.vecdot(rows, vector, out=found[start:end])
        found *= self.scales
        return found


class VectorRows:
    """The growing matrix of one scope, in blocks: growing never copies more than one of them."""

    def __init__(self) -> None:
        self.dimension = 0
        self._blocks: list[Numbers] = []
        self._scales: Scores = np.zeros(0, dtype=np.float32)
        self._count = 0

    @property
    def nbytes(self) -> int:
        return int(self._scales.nbytes) + sum(int(block.nbytes) for block in self._blocks)

    def reserve(self, count: int, dimension: int) -> None:
        """Make room for `count` rows in all. A `dimension` other than 0 is that of all rows from now on."""
        if dimension != self.dimension:
            self._blocks, self.dimension = [], dimension
        if count > len(self._scales):
            former, is_first = self._scales, not len(self._scales)
            self._scales = np.zeros(count if is_first else with_room(count, len(former)), dtype=np.float32)
            self._scales[: len(former)] = former
        self._count = count
        if self.dimension:
            while (held := sum(map(len, self._blocks))) < count:
                self._add_room(count, held)

    def _add_room(self, count: int, held: int) -> None:
        last = self._blocks[-1] if self._blocks and len(self._blocks[-1]) < BLOCK_ROWS else None
        needed = count - held + (0 if last is None else len(last))
        room = min(with_room(needed, 0 if last is None else len(last)), BLOCK_ROWS)
        block = np.zeros((room, self.dimension), dtype=np.int16)
        if last is None:
            self._blocks.append(block)
        else:
            block[: len(last)] = last
            self._blocks[-1] = block

    def put(self, rows: Rows, vectors: Matrix) -> None:
        """Store vectors at rows that are reserved."""
        largest = np.maximum(np.abs(vectors).max(axis=1), np.float32(1e-12))
        numbers = np.rint(vectors * (LARGEST / largest)[:, np.newaxis]).astype(np.int16)
        block_of = rows // BLOCK_ROWS
        for number in np.unique(block_of).tolist():
            here = block_of == number
            self._blocks[number][rows[here] - number * BLOCK_ROWS] = numbers[here]
        self._scales[rows] = largest / np.float32(LARGEST)

    def view(self) -> PackedMatrix:
        """Return the rows as they are now; those that get a vector later are undefined in it."""
        return PackedMatrix(tuple(self._blocks), self._scales[: self._count], self.dimension)
