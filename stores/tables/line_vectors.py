"""Embeddings of the lines of Dynamic chapters, as rows of the table `line_vectors`. Derived data: they can be computed again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...schema.entity import Entity
from ...schema.protocols import Vector
from ...schema.summary import ArticleKey, Forgotten
from .engine import Database, OfDatabase
from .persons import OF_KEY, erase_rows


class LineVectorTable(OfDatabase[Database]):
    """The `LineVectors` of one database."""

    def read(self, key: ArticleKey, model: str) -> dict[str, Vector]:
        found = self._database.rows(
            f"SELECT line, vector FROM line_vectors WHERE {OF_KEY} AND model = %s", (key.user_id, key.scope.key, model)
        )
        return {line: self._database.vector(vector) for line, vector in found}

    def replace(self, key: ArticleKey, model: str, vectors: Mapping[str, Vector], *, forgotten: Forgotten) -> None:
        person = (key.user_id, key.scope.key)
        with self._database.writing() as transaction:
            transaction.lock_entities(key.entities)
            if forgotten():  # inside the transaction: an erasure is completed before it or waits for it
                return
            transaction.run(f"DELETE FROM line_vectors WHERE {OF_KEY}", person)
            transaction.run_many(
                "INSERT INTO line_vectors (user_id, scope_key, line, model, vector) VALUES (%s, %s, %s, %s, %s)",
                [(*person, line, model, self._database.stored(vector)) for line, vector in vectors.items()],
            )

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        person = (key.user_id, key.scope.key)
        with self._database.writing() as transaction:
            found = transaction.rows(f"SELECT DISTINCT line FROM line_vectors WHERE {OF_KEY}", person)
            gone = [line for (line,) in found if unwanted(line)]
            transaction.run(f"DELETE FROM line_vectors WHERE {OF_KEY} AND line = ANY(%s)", (*person, gone))
        return len(gone)

    def erase(self, entity: Entity) -> int:
        return erase_rows(self._database, "line_vectors", entity)
