"""Tables with rows per person and conversation (columns `user_id` and `scope_key`)."""

from __future__ import annotations

from ...schema.entity import Entity
from ...schema.summary import ArticleKey
from .engine import OfOpened

OF_KEY = "user_id = %s AND scope_key = %s"


class PersonTable(OfOpened):
    """A table with rows per person and conversation."""

    table: str

    def keys(self) -> list[ArticleKey]:
        found = self._database.rows(
            f"SELECT DISTINCT user_id, scope_key FROM {self.table} ORDER BY 1, 2"
        )
        return [key for row in found if (key := ArticleKey.parse(*row)) is not None]

    def erase(self, entity: Entity) -> int:
        """Delete the rows of a user, or of the conversation of a group. Return their number.

        They are also removed from the log of changes.
        """
        column, value = (
            ("user_id", entity.id) if entity.type == "user" else ("scope_key", entity.scope.key)
        )
        with self._database.writing() as transaction:
            transaction.lock_entities([entity.key], exclusive=True)
            count = transaction.run(f"DELETE FROM {self.table} WHERE {column} = %s", (value,))
        self._database.truncate_log()
        return count
