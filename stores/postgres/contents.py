"""The rows of the tables, as they are moved from or to another backend."""

from __future__ import annotations

from ..contents import TableContents
from .database import Transaction

_NUMBERED = (("scopes", "scope_number"), ("note_files", "file_number"), ("buffered_states", "sequence"))


class PostgresContents(TableContents):
    """The `Contents` of one schema."""

    def finished(self, transaction: Transaction) -> None:
        """Let new rows be numbered behind those that arrived, and the planner know them."""
        for table, column in _NUMBERED:
            transaction.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column})) FROM {table} HAVING count(*) > 0"
            )
        transaction.execute("ANALYZE scopes, events, event_vectors, event_words")
