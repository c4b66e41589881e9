"""Items of LangGraph stores as rows of a schema, with their words in arrays.

A value is stored as JSON text, since `jsonb` accepts no escaped NUL; `fields` contains its
comparable fields. Namespaces are sorted by bytes (`COLLATE "C"`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from psycopg.types.json import Jsonb

from ..tables.items import ItemTables, MovedItem, NewItem, within
from .transaction import PostgresTransaction
from .word_arrays import array_of, asked_words, bm25, word_array

_INSERT = (
    "INSERT INTO items (namespace, key, value, created_at, updated_at, ttl_seconds, expires_at, fields, length, words)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT"
)


class PostgresItems(ItemTables):
    """The items in one schema. Calls block, may come from any thread, and raise StorageError.

    Expired items are never returned.
    """

    words = "words"
    hold = "FOR UPDATE"

    def equals(self, equal: Mapping[str, Any]) -> tuple[str, list[Any]]:
        return "fields @> %s", [Jsonb(_comparable(equal))]

    def matching(self, query: str, namespace: str) -> dict[int, float]:
        """Return the BM25 scores of the rows that share a word with `query`, by row.

        Searches a namespace and those below it.
        """
        if not (words := asked_words(query)):
            return {}
        with self._database.reading() as transaction:
            here, place = within(namespace)
            ((total, mean),) = transaction.rows(
                f"SELECT count(*), coalesce(avg(length), 0)::float8 FROM items WHERE {here}", place
            )
            found = transaction.rows(
                f"SELECT row, length, words FROM items WHERE words && %s AND {here}",
                (words, *place),
            )
        scores = bm25(words, [(length, has) for _, length, has in found], total, mean)
        return {row: float(score) for (row, *_), score in zip(found, scores, strict=True)}

    def put_one(self, transaction: PostgresTransaction, item: NewItem, now: float) -> None:
        if item.value is None:
            transaction.run("DELETE FROM items WHERE namespace = %s AND key = %s", item[:2])
            return
        expires_at = None if item.ttl_seconds is None else now + item.ttl_seconds
        fields = Jsonb(_comparable(json.loads(item.value)))
        ((row,),) = transaction.rows(
            f"{_INSERT} (namespace, key) DO UPDATE SET value = excluded.value,"
            " fields = excluded.fields, updated_at = excluded.updated_at, ttl_seconds = excluded.ttl_seconds,"
            " expires_at = excluded.expires_at, length = excluded.length, words = excluded.words RETURNING row",
            (
                *item[:3],
                now,
                now,
                item.ttl_seconds,
                expires_at,
                fields,
                *word_array("\n".join(item.texts)),
            ),
        )
        transaction.run("DELETE FROM item_vectors WHERE row = %s", (row,))
        self.add_vectors(transaction, row, [(item.model, vector) for vector in item.vectors])

    def bring_one(self, transaction: PostgresTransaction, moved: MovedItem) -> int | None:
        fields = Jsonb(_comparable(json.loads(moved.item.value)))
        found = transaction.row(
            f"{_INSERT} DO NOTHING RETURNING row",
            (*moved.item[1:], moved.expires_at, fields, *array_of(moved.words)),
        )
        return None if found is None else int(found[0])

    def remove(self, transaction: PostgresTransaction, rows: Sequence[int]) -> None:
        transaction.run("DELETE FROM items WHERE row = ANY(%s)", (list(rows),))


def _comparable(fields: Any) -> dict[str, int | str]:
    """Return those fields of an item or a filter that the database compares as Python does (1 ==
    True).
    """
    plain = fields.items() if isinstance(fields, Mapping) else ()
    numbers: dict[str, int | str] = {
        name: int(value)
        for name, value in plain
        if isinstance(value, int | float) and float(value).is_integer()
    }
    texts = {name: value for name, value in plain if isinstance(value, str)}
    return {
        name: value for name, value in {**numbers, **texts}.items() if "\0" not in f"{name}{value}"
    }
