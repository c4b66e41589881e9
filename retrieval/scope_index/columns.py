"""Arrays that grow at their end while searches read what was there before."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Column:
    """A growing array with one row an event. Rows that a `view` shows are not changed by growing."""

    def __init__(self, kind: npt.DTypeLike, *widths: int) -> None:
        self._values: Array = np.empty((0, *widths), dtype=kind)
        self._count = 0

    @property
    def nbytes(self) -> int:
        return int(self._values.nbytes)

    def extend(self, values: npt.ArrayLike) -> None:
        """Add rows. The first ones take no more room than they need, later ones leave room for others."""
        added = np.asarray(values, dtype=self._values.dtype)
        if not len(added):
            return
        needed = self._count + len(added)
        if needed > len(self._values):
            former = self._values
            self._values = np.empty((with_room(needed, len(former)), *former.shape[1:]), dtype=former.dtype)
            self._values[: self._count] = former[: self._count]
        self._values[self._count : needed] = added
        self._count = needed

    def copy(self) -> Column:
        """Return another column with the same rows."""
        copied = Column(self._values.dtype, *self._values.shape[1:])
        copied._values, copied._count = self._values.copy(), self._count
        return copied

    def view(self) -> Array:
        """Return the rows that are there now."""
        return self._values[: self._count]


def with_room(needed: int, capacity: int) -> int:
    """Return the number of rows to reserve for `needed` ones where there was room for `capacity`."""
    return needed if not capacity else max(needed, capacity + capacity // 4 + 16)
