"""The vectors of the items of a LangGraph store that are kept in memory, whatever engine stores them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..schema.protocols import Matrix
from ..schema.protocols.items import Rows


class ItemVectors(NamedTuple):
    """The vectors of a model after the change `number`, by id in ascending order, with the rows of their items."""

    model: str = ""
    dimension: int = 0
    number: int = -1
    ids: Rows = np.empty(0, np.int64)
    rows: Rows = np.empty(0, np.int64)
    matrix: Matrix = np.empty((0, 0), np.float32)

    def last_id(self, model: str, dimension: int) -> int:
        """Return the id after which the vectors of a model are not held here; 0 if these are of another one."""
        return int(self.ids[-1]) if self._are_of(model, dimension) and len(self.ids) else 0

    def brought_up(self, model: str, dimension: int, number: int, listed: object, added: Matrix) -> ItemVectors:
        """Return the vectors after the change `number`: those held here that are still stored, and those `added` since.

        `listed` are the (id, row) of all that are stored now, by id; `added` those with an id after `last_id`.
        """
        ids, rows = np.array(listed, dtype=np.int64).reshape(-1, 2).T
        same = self._are_of(model, dimension)
        kept = self.matrix[np.isin(self.ids, ids)] if same else np.empty((0, dimension), np.float32)
        return ItemVectors(model, dimension, number, ids, rows, np.concatenate([kept, added]))

    def _are_of(self, model: str, dimension: int) -> bool:
        return (self.model, self.dimension) == (model, dimension)
