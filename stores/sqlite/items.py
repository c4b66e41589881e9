"""Items of LangGraph stores in a separate SQLite file, with an FTS5 index of their words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ...schema.errors import StorageError
from ...text.search_words import FTS5_TOKENIZER, last_characters, query_words, search_tokens
from ..migrations import migrations
from ..tables.items import ItemTables, MovedItem, NewItem
from .database import SqliteDatabase
from .events.keywords import matching
from .transaction import SqliteTransaction

MIGRATIONS = migrations("sqlite/migrations/items", TOKENIZER=FTS5_TOKENIZER)

MOST_MATCHING = 1_000
"""Maximum number of items that get a score for the words that they share with a query."""

_INSERT_WORDS = "INSERT INTO item_words (rowid, places, words) VALUES (%s, %s, %s)"


class ItemTable(ItemTables):
    """The items in one file. Calls block, may come from any thread, and raise StorageError.

    Expired items are never returned.
    """

    words = "coalesce((SELECT words FROM item_words w WHERE w.rowid = i.row), '')"

    def __init__(self, path: Path) -> None:
        super().__init__(SqliteDatabase(path, MIGRATIONS))
        self._changed = False

    def close(self) -> None:
        """Close the file.

        If items were changed, the index is merged first, which removes the words of former values.
        """
        with suppress(StorageError):
            if self._changed:
                self._database.run("INSERT INTO item_words (item_words) VALUES ('optimize')")
        super().close()

    def put(self, items: Iterable[NewItem], now: float) -> None:
        super().put(items, now)
        self._changed = True

    def words_of(self, value: str) -> list[str]:
        return value.split()

    def equals(self, equal: Mapping[str, Any]) -> tuple[str, list[Any]]:
        conditions, parameters = ["1 = 1"], list[Any]()
        for name, value in equal.items():
            if _is_plain(name) and (
                (isinstance(value, int) and abs(value) < 2**53) or _is_plain(value)
            ):
                conditions.append("json_extract(value, %s) = %s")
                parameters += [f'$."{name}"', value]
        return " AND ".join(conditions), parameters

    def matching(self, query: str, namespace: str) -> dict[int, float]:
        """Return the BM25 scores of the MOST_MATCHING best rows for the words of `query`.

        Searches the namespace and those below it.
        """
        if not (words := query_words(query)):
            return {}
        either = f"words : ({' OR '.join(map(matching, words))})"
        sought = f'places : "{_place_word(namespace)}" AND {either}' if namespace else either
        statement = (
            "SELECT rowid, -rank FROM item_words WHERE item_words MATCH %s "
            "AND rank MATCH 'bm25(0.0, 1.0)' ORDER BY rank LIMIT %s"
        )
        return dict(self._database.rows(statement, (sought, MOST_MATCHING)))

    def put_one(self, transaction: SqliteTransaction, item: NewItem, now: float) -> None:
        found = transaction.row("SELECT row FROM items WHERE namespace = %s AND key = %s", item[:2])
        if item.value is None:
            self.remove(transaction, found or ())
            return
        expires_at = None if item.ttl_seconds is None else now + item.ttl_seconds
        if found:
            _remove_index(transaction, found)
            statement = "UPDATE items SET value = ?, updated_at = ?, ttl_seconds = ?, expires_at = ? WHERE row = ?"
            transaction.execute(statement, (item.value, now, item.ttl_seconds, expires_at, *found))
        else:
            found = (_inserted(transaction, (*item[:3], now, now, item.ttl_seconds, expires_at)),)
        text = "\n".join(item.texts)
        if words := " ".join([*search_tokens(text), *last_characters(text)]):
            transaction.run(_INSERT_WORDS, (*found, _places(item.namespace), words))
        self.add_vectors(transaction, found[0], [(item.model, vector) for vector in item.vectors])

    def bring_one(self, transaction: SqliteTransaction, moved: MovedItem) -> int | None:
        row = _inserted(transaction, (*moved.item[1:], moved.expires_at))
        if row is not None:
            transaction.run(
                _INSERT_WORDS, (row, _places(moved.item.namespace), " ".join(moved.words))
            )
        return row

    def remove(self, transaction: SqliteTransaction, rows: Sequence[int]) -> None:
        _remove_index(transaction, rows)
        transaction.executemany("DELETE FROM items WHERE row = ?", [(row,) for row in rows])


def _inserted(transaction: SqliteTransaction, values: Sequence[object]) -> int | None:
    """Insert an item and return its row; return None if an item with its key exists."""
    columns = "namespace, key, value, created_at, updated_at, ttl_seconds, expires_at"
    statement = f"INSERT INTO items ({columns}) VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING row"
    found = transaction.rows(statement, values)
    return found[0][0] if found else None


def _remove_index(transaction: SqliteTransaction, rows: Sequence[int]) -> None:
    transaction.executemany("DELETE FROM item_words WHERE rowid = ?", [(row,) for row in rows])
    transaction.executemany("DELETE FROM item_vectors WHERE row = ?", [(row,) for row in rows])


def _is_plain(text: object) -> bool:
    """Return True for text that JSON, SQLite and Python write identically."""
    return isinstance(text, str) and text.isprintable() and '"' not in text and "\\" not in text


def _places(namespace: str) -> str:
    """Return the index words of a namespace and its parents.

    A search in one of them then reads only its items.
    """
    labels = namespace.split(".")
    return " ".join(_place_word(".".join(labels[: n + 1])) for n in range(len(labels)))


def _place_word(namespace: str) -> str:
    """Return a word for a namespace, which may contain any characters.

    If two namespaces share a word, a search finds rows of both; `read` omits those of other
    namespaces.
    """
    return blake2b(namespace.encode(), digest_size=8).hexdigest()
