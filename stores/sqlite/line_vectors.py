"""Embeddings of the lines of Dynamic chapters, as rows of the table `line_vectors`. Derived data: they can be computed again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...schema.entity import Entity
from ...schema.protocols import Vector
from ...schema.summary import ArticleKey, Forgotten
from .database import SqliteDatabase
from .event_rows import blob_to_vector, vector_to_blob


class SqliteLineVectors:
    """The `LineVectors` of one `index.sqlite`."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def read(self, key: ArticleKey, model: str) -> dict[str, Vector]:
        found = self._database.rows(
            "SELECT line, vector FROM line_vectors WHERE user_id = ? AND scope_key = ? AND model = ?",
            (key.user_id, key.scope.key, model),
        )
        return {line: blob_to_vector(blob) for line, blob in found}

    def replace(self, key: ArticleKey, model: str, vectors: Mapping[str, Vector], *, forgotten: Forgotten) -> None:
        rows = [(key.user_id, key.scope.key, line, model, vector_to_blob(vector)) for line, vector in vectors.items()]
        with self._database.writing() as connection:
            if forgotten():  # inside the transaction: an erasure is completed before it or waits for it
                return
            connection.execute("DELETE FROM line_vectors WHERE user_id = ? AND scope_key = ?", (key.user_id, key.scope.key))
            connection.executemany(
                "INSERT INTO line_vectors (user_id, scope_key, line, model, vector) VALUES (?, ?, ?, ?, ?)", rows
            )

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        with self._database.writing() as connection:
            person = (key.user_id, key.scope.key)
            found = connection.execute("SELECT line FROM line_vectors WHERE user_id = ? AND scope_key = ?", person).fetchall()
            gone = [line for (line,) in found if unwanted(line)]
            connection.executemany(
                "DELETE FROM line_vectors WHERE user_id = ? AND scope_key = ? AND line = ?", [(*person, line) for line in gone]
            )
        return len(gone)

    def erase(self, entity: Entity) -> int:
        return erase_rows(self._database, "line_vectors", entity)


def erase_rows(database: SqliteDatabase, table: str, entity: Entity) -> int:
    """Delete the rows of a user, or of the conversation of a group, from the file and its log. Return how many."""
    column, value = ("user_id", entity.id) if entity.type == "user" else ("scope_key", entity.scope.key)
    count = database.run(f"DELETE FROM {table} WHERE {column} = ?", (value,))
    database.truncate_log()
    return count
