"""Events with vectors and keywords: the primary data. Nothing is derived from them here: their vectors are searched in place."""

from __future__ import annotations

from collections.abc import Mapping

from ....schema.event import EventFilter
from ....schema.protocols import Outdated, Vector
from ...tables.engine import checked_vector
from ...tables.events.store import EventTables
from ..database import PostgresDatabase
from ..vector_type import as_matrix
from . import search
from .rows import PostgresEventRows


class PostgresEventStore(EventTables):
    """The `EventStore` of one schema. Shares its database with the other stores; `close` closes it for all of them."""

    of_people = "strpos(lower(id), lower(%s)) > 0 OR strpos(lower(name), lower(%s)) > 0 ORDER BY id LIMIT %s"

    def __init__(self, database: PostgresDatabase) -> None:
        self.database = database
        super().__init__(PostgresEventRows(database))

    def search_keywords(self, query: str, where: EventFilter, limit: int) -> list[tuple[str, float]]:
        return search.search(self.database, query, where, limit)

    def nearest(self, vector: Vector, where: EventFilter, limit: int) -> list[tuple[str, float]]:
        """Return the matching events whose vectors are most like `vector`, with the cosine, best first.

        Exact: the vectors of the scope, or of all, are compared on the server, and none is sent here.
        """
        condition, parameters = self._rows.conditions(where, column="v.sequence")
        sound, distance = checked_vector(vector), f"v.vector <=> %s::{self.database.vector_type}"
        found = self.database.rows(
            f"SELECT e.event_id, 1 - ({distance}) FROM event_vectors v JOIN events e ON e.row = v.row"
            f" WHERE {condition} AND vector_dims(v.vector) = %s ORDER BY {distance}, e.row DESC LIMIT %s",
            (sound, *parameters, len(sound), sound, max(limit, 0)),
        )
        return [(event_id, similarity) for event_id, similarity in found]

    def unindexed(self, limit: int) -> Outdated:
        """Return nothing: no index is derived from these events."""
        return Outdated({}, [], as_matrix([]))

    def mark_indexed(self, versions: Mapping[str, int]) -> None:
        """Do nothing: no index is derived from these events."""

    def reindex_all(self) -> None:
        """Do nothing: no index is derived from these events."""

    def tidy(self) -> bool:
        """Return False: the server keeps its indexes itself."""
        return False

    def checkpoint(self) -> bool:
        """Return True: the server writes its pages itself."""
        return True
