"""Items of a LangGraph store (namespace, key, JSON value) in an SQLite file of their own, with their words and vectors.

A namespace is stored as its labels joined by ".", which no label contains. It includes those below it: a condition on the
text between "a.b." and "a.b/" ("/" follows "." in ASCII) uses the index, and is exact where LIKE would ignore case.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...schema.errors import StorageError
from ...schema.protocols import Matrix, Vector
from ...text.words import FTS5_TOKENIZER, last_characters, search_tokens
from .database import SqliteDatabase
from .event_keywords import matching, query_words

MIGRATIONS = [
    f"""
    CREATE TABLE items (
        row INTEGER PRIMARY KEY,
        namespace TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        ttl_seconds REAL,
        expires_at REAL,
        UNIQUE (namespace, key)
    );
    CREATE INDEX items_by_time ON items (namespace, updated_at);
    CREATE INDEX items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL;
    CREATE TABLE item_vectors (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        row INTEGER NOT NULL,
        model TEXT NOT NULL,
        dimension INTEGER NOT NULL,
        vector BLOB NOT NULL
    );
    CREATE INDEX item_vectors_by_row ON item_vectors (row);
    CREATE INDEX item_vectors_by_model ON item_vectors (model, dimension, id, row);
    CREATE TABLE item_changes (number INTEGER NOT NULL);
    INSERT INTO item_changes VALUES (0);
    CREATE VIRTUAL TABLE item_words USING fts5(words, tokenize = "{FTS5_TOKENIZER}");
    """,
    # AUTOINCREMENT: the row of a removed item is never that of another one, which a search under way would take for it.
    """
    CREATE TABLE numbered_items (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        namespace TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        ttl_seconds REAL,
        expires_at REAL,
        UNIQUE (namespace, key)
    );
    INSERT INTO numbered_items
        SELECT row, namespace, key, value, created_at, updated_at, ttl_seconds, expires_at FROM items ORDER BY row;
    DROP TABLE items;
    ALTER TABLE numbered_items RENAME TO items;
    CREATE INDEX items_by_time ON items (namespace, updated_at);
    CREATE INDEX items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL;
    """,
]

Rows = np.ndarray[tuple[int], np.dtype[np.int64]]


class StoredItem(NamedTuple):
    """A row of `items`. `value` is JSON text; times are seconds since the epoch."""

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


class _Cached(NamedTuple):
    """The vectors of a model after the change `number`, by id in ascending order, with the rows of their items."""

    model: str
    dimension: int
    number: int
    ids: Rows
    rows: Rows
    matrix: Matrix


_COLUMNS = "row, namespace, key, value, created_at, updated_at, ttl_seconds"
_HOLDS = "(i.expires_at IS NULL OR i.expires_at > :now)"


class ItemTable:
    """The items of one file. Calls block, from any thread; they raise StorageError. Expired items are never returned."""

    def __init__(self, path: Path) -> None:
        self._database = SqliteDatabase(path, MIGRATIONS)
        self._changed = False
        self._lock = threading.Lock()
        self._cached = _Cached("", 0, -1, np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 0), np.float32))

    def close(self) -> None:
        """Close the file. Words of items that were removed or changed leave the index now, because its parts are merged."""
        with suppress(StorageError):
            if self._changed:
                with self._database.writing() as connection:
                    connection.execute("INSERT INTO item_words (item_words) VALUES ('optimize')")
        self._database.close()

    def get(self, namespace: str, key: str, now: float) -> StoredItem | None:
        """Return an item; None if there is none."""
        statement = f"SELECT {_COLUMNS} FROM items i WHERE namespace = :namespace AND key = :key AND {_HOLDS}"
        found = self._rows(statement, {"namespace": namespace, "key": key, "now": now})
        return StoredItem(*found[0]) if found else None

    def put(self, items: Iterable[NewItem], now: float) -> None:
        """Store and remove items in one transaction, together with those that have expired."""
        with self._database.writing() as connection:
            connection.execute("UPDATE item_changes SET number = number + 1")
            for (row,) in connection.execute("SELECT row FROM items WHERE expires_at <= ?", (now,)).fetchall():
                _remove(connection, row)
            for item in items:
                _put(connection, item, now)
        self._changed = True

    def touch(self, rows: Sequence[int], now: float) -> None:
        """Let the time to live of items begin anew."""
        with self._database.writing(durable=False) as connection:
            statement = "UPDATE items SET expires_at = ? + ttl_seconds WHERE row = ?"
            connection.executemany(statement, [(now, row) for row in rows])

    def rows(self, namespace: str, now: float, equal: Mapping[str, Any]) -> list[int]:
        """Return the rows of a namespace and those below it, the last changed first.

        Of the conditions `equal` (fields and their values) those are checked that SQLite decides as Python does.
        """
        parameters = _place(namespace, now)
        conditions = [_here(namespace), _HOLDS]
        for n, (name, value) in enumerate(equal.items()):
            if _is_plain(name) and ((isinstance(value, int) and abs(value) < 2**53) or _is_plain(value)):
                conditions.append(f"json_extract(i.value, :path{n}) = :value{n}")
                parameters |= {f"path{n}": f'$."{name}"', f"value{n}": value}
        statement = f"SELECT row FROM items i WHERE {' AND '.join(conditions)} ORDER BY updated_at DESC, row DESC"
        return [row for (row,) in self._rows(statement, parameters)]

    def read(self, namespace: str, rows: Sequence[int]) -> list[StoredItem]:
        """Return the items of rows, in their order, as far as they are in a namespace or below it."""
        among = f"row IN (SELECT value FROM json_each(:rows)) AND {_here(namespace)}"
        parameters = {**_place(namespace, 0.0), "rows": json.dumps(list(rows))}
        found = {item[0]: StoredItem(*item) for item in self._rows(f"SELECT {_COLUMNS} FROM items i WHERE {among}", parameters)}
        return [found[row] for row in rows if row in found]

    def matching(self, query: str, namespace: str) -> dict[int, float]:
        """Return the BM25 score of each row of a namespace, and of those below it, that shares a word with `query`."""
        if not (words := query_words(query)):
            return {}
        # "+" keeps SQLite from asking FTS5 once for every row of the namespace.
        among = f" AND +rowid IN (SELECT i.row FROM items i WHERE {_here(namespace)})" if namespace else ""
        statement = f"SELECT rowid, -bm25(item_words) FROM item_words WHERE item_words MATCH :words{among}"
        return dict(self._rows(statement, {**_place(namespace, 0.0), "words": " OR ".join(map(matching, words))}))

    def vectors(self, model: str, dimension: int) -> tuple[Rows, Matrix]:
        """Return the vectors of a model, of whatever namespace, each with its row; an item may have several.

        They are kept in memory, and what any process has changed since is read.
        """
        with self._lock, self._database.reading() as connection:
            ((number,),) = connection.execute("SELECT number FROM item_changes")
            if self._cached[:3] != (model, dimension, number):
                self._cached = _brought_up_to_date(connection, self._cached, model, dimension, number)
            return self._cached.rows, self._cached.matrix

    def namespaces(self, now: float) -> list[str]:
        """Return all namespaces that hold items."""
        return [name for (name,) in self._rows(f"SELECT DISTINCT namespace FROM items i WHERE {_HOLDS}", {"now": now})]

    def _rows(self, statement: str, parameters: dict[str, object]) -> list[Any]:
        with self._database.reading(once=True) as connection:
            return connection.execute(statement, parameters).fetchall()


def _brought_up_to_date(connection: sqlite3.Connection, cached: _Cached, model: str, dimension: int, number: int) -> _Cached:
    """Return the vectors of now: those that are in memory and still stored, and those that were added."""
    listed = connection.execute(
        "SELECT id, row FROM item_vectors WHERE model = ? AND dimension = ? ORDER BY id", (model, dimension)
    ).fetchall()
    ids, rows = np.array(listed, dtype=np.int64).reshape(len(listed), 2).T
    same = cached.model == model and cached.dimension == dimension
    kept = cached.matrix[np.isin(cached.ids, ids)] if same else np.empty((0, dimension), np.float32)
    last = int(cached.ids[-1]) if same and len(cached.ids) else 0
    added = connection.execute(
        "SELECT vector FROM item_vectors WHERE model = ? AND dimension = ? AND id > ? ORDER BY id", (model, dimension, last)
    ).fetchall()
    new = np.frombuffer(b"".join(vector for (vector,) in added), dtype=np.float32).reshape(len(added), dimension)
    return _Cached(model, dimension, number, ids, rows, np.concatenate([kept, new]))


def _is_plain(text: object) -> bool:
    """Return True for text that JSON, SQLite and Python write alike."""
    return isinstance(text, str) and text.isprintable() and '"' not in text and "\\" not in text


def _here(namespace: str) -> str:
    """Return the condition for a namespace and those below it; "" holds all."""
    return "(i.namespace = :namespace OR (i.namespace > :below AND i.namespace < :end))" if namespace else "TRUE"


def _place(namespace: str, now: float) -> dict[str, object]:
    return {"namespace": namespace, "below": f"{namespace}.", "end": f"{namespace}/", "now": now}


def _put(connection: sqlite3.Connection, item: NewItem, now: float) -> None:
    found = connection.execute("SELECT row FROM items WHERE namespace = ? AND key = ?", item[:2]).fetchone()
    if item.value is None:
        if found:
            _remove(connection, found[0])
        return
    expires_at = None if item.ttl_seconds is None else now + item.ttl_seconds
    if found:
        row = found[0]
        _remove_index(connection, row)
        statement = "UPDATE items SET value = ?, updated_at = ?, ttl_seconds = ?, expires_at = ? WHERE row = ?"
        connection.execute(statement, (item.value, now, item.ttl_seconds, expires_at, row))
    else:
        columns = "namespace, key, value, created_at, updated_at, ttl_seconds, expires_at"
        values = (*item[:3], now, now, item.ttl_seconds, expires_at)
        row = connection.execute(f"INSERT INTO items ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", values).lastrowid
    text = "\n".join(item.texts)
    if words := " ".join([*search_tokens(text), *last_characters(text)]):
        connection.execute("INSERT INTO item_words (rowid, words) VALUES (?, ?)", (row, words))
    vectors = [(row, item.model, len(vector), np.asarray(vector, dtype=np.float32).tobytes()) for vector in item.vectors]
    connection.executemany("INSERT INTO item_vectors (row, model, dimension, vector) VALUES (?, ?, ?, ?)", vectors)


def _remove(connection: sqlite3.Connection, row: int) -> None:
    _remove_index(connection, row)
    connection.execute("DELETE FROM items WHERE row = ?", (row,))


def _remove_index(connection: sqlite3.Connection, row: int) -> None:
    connection.execute("DELETE FROM item_words WHERE rowid = ?", (row,))
    connection.execute("DELETE FROM item_vectors WHERE row = ?", (row,))
