"""Tables whose rows are of a person in a conversation, by the columns `user_id` and `scope_key`."""

from __future__ import annotations

from ...schema.entity import Entity
from .engine import Database

OF_KEY = "user_id = %s AND scope_key = %s"


def erase_rows(database: Database, table: str, entity: Entity) -> int:
    """Delete the rows of a user, or of the conversation of a group, also from the log of changes. Return how many."""
    column, value = ("user_id", entity.id) if entity.type == "user" else ("scope_key", entity.scope.key)
    with database.writing() as transaction:
        transaction.lock_entities([entity.key], exclusive=True)
        count = transaction.run(f"DELETE FROM {table} WHERE {column} = %s", (value,))
    database.truncate_log()
    return count
