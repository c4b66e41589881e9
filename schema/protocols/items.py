"""Items of a LangGraph store: namespace, key, JSON value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .vectors import Matrix, Vector

if TYPE_CHECKING:
    import numpy as np

    Rows = np.ndarray[tuple[int], np.dtype[np.int64]]
else:
    Rows = Any


class StoredItem(NamedTuple):
    """A stored item. `value` is JSON text; times are seconds since the epoch."""

    row: int
    namespace: str
    key: str
    value: str
    created_at: float
    updated_at: float
    ttl_seconds: float | None


class NewItem(NamedTuple):
    """An item to be put: `value` is JSON text, None to remove it; `texts` are its words, `vectors` those of `model`."""

    namespace: str
    key: str
    value: str | None
    ttl_seconds: float | None = None
    texts: Sequence[str] = ()
    vectors: Sequence[Vector] = ()
    model: str = ""


class MovedItem(NamedTuple):
    """An item as it goes to another store: `words` as they are indexed, with repetitions, and (model, vector) pairs."""

    item: StoredItem
    expires_at: float | None
    words: Sequence[str]
    vectors: Sequence[tuple[str, Vector]]


class ItemStorage(Protocol):
    """Items by namespace and key. A namespace is its labels joined by "."; it includes those below it.

    Calls block, from any thread; they raise StorageError. Expired items are never returned.
    """

    def get(self, namespace: str, key: str, now: float) -> StoredItem | None:
        """Return an item; None if there is none."""

    def put(self, items: Iterable[NewItem], now: float) -> None:
        """Store and remove items in one transaction, together with those that have expired."""

    def touch(self, rows: Sequence[int], now: float) -> None:
        """Let the time to live of items begin anew."""

    def rows(self, namespace: str, now: float, equal: Mapping[str, Any]) -> list[int]:
        """Return the rows of a namespace and those below it, the last changed first.

        Of the conditions `equal` (fields and their values) those are checked that the store decides as Python does.
        """

    def read(self, namespace: str, rows: Sequence[int]) -> list[StoredItem]:
        """Return the items of rows, in their order, as far as they are in a namespace or below it."""

    def matching(self, query: str, namespace: str) -> dict[int, float]:
        """Return the score of each row of a namespace, and of those below it, that shares a word with `query`."""

    def vectors(self, model: str, dimension: int) -> tuple[Rows, Matrix]:
        """Return the vectors of a model, of whatever namespace, each with its row; an item may have several."""

    def namespaces(self, now: float) -> list[str]:
        """Return all namespaces that hold items."""

    def take(self, after_row: int, limit: int) -> list[MovedItem]:
        """Return the next items behind a row, expired ones too, in the order of their rows."""

    def bring(self, items: Sequence[MovedItem]) -> int:
        """Store items of another store, which get rows of this one; those that are there stay. Return how many are new."""

    def close(self) -> None: ...
