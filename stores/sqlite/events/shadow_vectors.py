"""The vectors of another model in `index.sqlite`."""

from __future__ import annotations

from ...tables.events.shadow_vectors import ShadowVectorTables
from ..database import SqliteTransaction
from ..index_outbox import fill_outbox


class SqliteShadowVectors(ShadowVectorTables):
    """The `ShadowVectors` of one `index.sqlite`."""

    new_table = "(sequence INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, vector BLOB NOT NULL)"
    empty = "DELETE FROM"
    hold = ""
    profiles = "profiles"

    def has_changed(self, transaction: SqliteTransaction) -> None:
        """Add every event with a vector to the outbox of the derived index."""
        fill_outbox(
            transaction,
            "SELECT e.event_id FROM events e WHERE e.row IN"
            " (SELECT row FROM event_vectors UNION SELECT row FROM kept_event_vectors) ORDER BY e.row",
        )
