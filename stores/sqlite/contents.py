"""The rows of `index.sqlite`, as they are moved from or to another backend."""

from __future__ import annotations

from ..contents import TableContents
from .database import SqliteTransaction
from .index_outbox import fill_outbox


class SqliteContents(TableContents):
    """The `Contents` of one `index.sqlite`."""

    def finished(self, transaction: SqliteTransaction) -> None:
        """Let the derived vector index be filled when the owner is idle."""
        fill_outbox(transaction, "SELECT e.event_id FROM event_vectors v JOIN events e ON e.row = v.row ORDER BY v.sequence")
