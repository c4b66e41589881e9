"""Items of LangGraph stores (namespace, key, JSON value) as rows, with their words and vectors.

A namespace is stored as its labels joined by ".", which no label contains. It includes the
namespaces below it: a condition on the text between "a.b." and "a.b/" ("/" follows "." in ASCII)
uses the index. It is exact, while LIKE would ignore case.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...schema.protocols import Matrix, Vector
from .engine import Database, Transaction

Rows = np.ndarray[tuple[int], np.dtype[np.int64]]
_COLUMNS = "row, namespace, key, value, created_at, updated_at, ttl_seconds"
_HOLDS = "(expires_at IS NULL OR expires_at > %s)"


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
    """An item to store; `value` is JSON text, or None to remove the item.

    `texts` are indexed by their words; `vectors` were made by `model`.
    """

    namespace: str
    key: str
    value: str | None
    ttl_seconds: float | None = None
    texts: Sequence[str] = ()
    vectors: Sequence[Vector] = ()
    model: str = ""


class MovedItem(NamedTuple):
    """An item that is moved to another store.

    `words` are its indexed words, with repetitions; `vectors` are (model, vector) pairs.
    """

    item: StoredItem
    expires_at: float | None
    words: Sequence[str]
    vectors: Sequence[tuple[str, Vector]]


class _Kept(NamedTuple):
    """The cached vectors of a model after the change `number`.

    `ids` are in ascending order; `rows` are the rows of the items.
    """

    model: str
    dimension: int
    number: int
    ids: Rows
    rows: Rows
    matrix: Matrix


def _none(model: str, dimension: int) -> _Kept:
    return _Kept(
        model,
        dimension,
        -1,
        np.empty(0, np.int64),
        np.empty(0, np.int64),
        np.empty((0, dimension), np.float32),
    )


class ItemTables(ABC):
    """Items by namespace and key.

    A namespace is its labels joined by "."; it includes those below it.

    Calls block, may come from any thread, and raise StorageError. Expired items are never returned.
    """

    words: str
    """SQL for the indexed words of an item: a column or a subquery."""
    hold = ""
    """SQL that locks the rows of a SELECT, for an engine with concurrent writers."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._cached = _none("", 0)

    @abstractmethod
    def matching(self, query: str, namespace: str) -> dict[int, float]:
        """Return the scores of the rows that share a word with `query`, by row.

        Searches a namespace and those below it.
        """

    @abstractmethod
    def put_one(self, transaction: Any, item: NewItem, now: float) -> None:
        """Store or remove an item."""

    @abstractmethod
    def bring_one(self, transaction: Any, moved: MovedItem) -> int | None:
        """Store an item of another store with its words.

        Return its row; None if an item with its key exists.
        """

    @abstractmethod
    def remove(self, transaction: Any, rows: Sequence[int]) -> None:
        """Remove items with their words and vectors."""

    @abstractmethod
    def equals(self, equal: Mapping[str, Any]) -> tuple[str, list[Any]]:
        """Return SQL, with parameters, for those of the conditions `equal` that SQL decides as
        Python does.
        """

    def words_of(self, value: Any) -> list[str]:
        """Return the words in a value of `words`."""
        return list(value)

    def close(self) -> None:
        self._database.close()

    def get(self, namespace: str, key: str, now: float) -> StoredItem | None:
        """Return an item; None if there is none."""
        statement = f"SELECT {_COLUMNS} FROM items WHERE namespace = %s AND key = %s AND {_HOLDS}"
        found = self._database.row(statement, (namespace, key, now))
        return None if found is None else StoredItem(*found)

    def put(self, items: Iterable[NewItem], now: float) -> None:
        """Store and remove items in one transaction, and remove those that have expired."""
        with self._database.writing() as transaction:
            # From here on other writers wait.
            transaction.run("UPDATE item_changes SET number = number + 1")
            expired = transaction.rows(
                f"SELECT row FROM items WHERE expires_at <= %s {self.hold}", (now,)
            )
            self.remove(transaction, [row for (row,) in expired])
            for item in items:
                self.put_one(transaction, item, now)

    def touch(self, rows: Sequence[int], now: float) -> None:
        """Restart the time to live of items."""
        with self._database.writing(durable=False) as transaction:
            transaction.run(
                "UPDATE items SET expires_at = %s + ttl_seconds WHERE row = ANY(%s)",
                (now, list(rows)),
            )

    def rows(self, namespace: str, now: float, equal: Mapping[str, Any]) -> list[int]:
        """Return the rows of a namespace and those below it, the last changed first.

        Only those conditions in `equal` (values by field) are checked that the database decides as
        Python does.
        """
        here, place = within(namespace)
        equals, values = self.equals(equal)
        statement = f"SELECT row FROM items WHERE {here} AND {_HOLDS} AND {equals} ORDER BY updated_at DESC, row DESC"
        return [row for (row,) in self._database.rows(statement, (*place, now, *values))]

    def read(self, namespace: str, rows: Sequence[int]) -> list[StoredItem]:
        """Return the items in `rows`, in this order, that are in a namespace or below it."""
        here, place = within(namespace)
        listed = self._database.rows(
            f"SELECT {_COLUMNS} FROM items WHERE row = ANY(%s) AND {here}", (list(rows), *place)
        )
        found = {item[0]: StoredItem(*item) for item in listed}
        return [found[row] for row in rows if row in found]

    def vectors(self, model: str, dimension: int) -> tuple[Rows, Matrix]:
        """Return all vectors of a model, each with the row of its item; an item may have several.

        The vectors are cached in memory. Changes by any process are read first.
        """
        with self._lock, self._database.reading() as transaction:
            ((number,),) = transaction.rows("SELECT number FROM item_changes")
            if self._cached[:3] != (model, dimension, number):
                self._cached = self._as_of_now(transaction, model, dimension, number)
            return self._cached.rows, self._cached.matrix

    def _as_of_now(
        self, transaction: Transaction, model: str, dimension: int, number: int
    ) -> _Kept:
        """Return the current vectors: the cached ones that are still stored, and the added ones."""
        kept = self._cached if self._cached[:2] == (model, dimension) else _none(model, dimension)
        of_model = "FROM item_vectors WHERE model = %s AND dimension = %s"
        listed = transaction.rows(f"SELECT id, row {of_model} ORDER BY id", (model, dimension))
        last = int(kept.ids[-1]) if len(kept.ids) else 0
        added = transaction.rows(
            f"SELECT vector {of_model} AND id > %s ORDER BY id", (model, dimension, last)
        )
        new = self._database.matrix([vector for (vector,) in added]).reshape(len(added), dimension)
        ids, rows = np.array(listed, dtype=np.int64).reshape(-1, 2).T
        return _Kept(
            model,
            dimension,
            number,
            ids,
            rows,
            np.concatenate([kept.matrix[np.isin(kept.ids, ids)], new]),
        )

    def namespaces(self, now: float) -> list[str]:
        """Return all namespaces that contain items."""
        return [
            name
            for (name,) in self._database.rows(
                f"SELECT DISTINCT namespace FROM items WHERE {_HOLDS}", (now,)
            )
        ]

    def take(self, after_row: int, limit: int) -> list[MovedItem]:
        """Return at most `limit` items after a row, including expired ones, in row order."""
        with self._database.reading() as transaction:
            statement = f"SELECT {_COLUMNS}, expires_at, {self.words} FROM items i WHERE row > %s ORDER BY row LIMIT %s"
            found = transaction.rows(statement, (after_row, limit))
            vectors: dict[int, list[tuple[str, Vector]]] = {one[0]: [] for one in found}
            listed = "SELECT row, model, vector FROM item_vectors WHERE row = ANY(%s) ORDER BY id"
            for row, model, vector in transaction.rows(listed, (list(vectors),)):
                vectors[row].append((model, self._database.vector(vector)))
        return [
            MovedItem(StoredItem(*one[:-2]), one[-2], self.words_of(one[-1]), vectors[one[0]])
            for one in found
        ]

    def bring(self, items: Sequence[MovedItem]) -> int:
        """Store items of another store under new row numbers. Return the number of new items.

        Existing items are not changed.
        """
        new = 0
        with self._database.writing() as transaction:
            transaction.run("UPDATE item_changes SET number = number + 1")
            for one in items:
                row = self.bring_one(transaction, one)
                if row is not None:
                    new += 1
                    self.add_vectors(transaction, row, one.vectors)
        return new

    def add_vectors(
        self, transaction: Transaction, row: int, vectors: Iterable[tuple[str, Vector]]
    ) -> None:
        """Add (model, vector) pairs to an item."""
        transaction.run_many(
            "INSERT INTO item_vectors (row, model, dimension, vector) VALUES (%s, %s, %s, %s)",
            [(row, model, len(vector), self._database.stored(vector)) for model, vector in vectors],
        )


def within(namespace: str) -> tuple[str, list[str]]:
    """Return the condition for a namespace and those below it, with its parameters.

    The namespace "" includes all.
    """
    if not namespace:
        return "1 = 1", []
    return "(namespace = %s OR (namespace > %s AND namespace < %s))", [
        namespace,
        f"{namespace}.",
        f"{namespace}/",
    ]
