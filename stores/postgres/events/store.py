"""Events with vectors and keywords: the primary data.

There is no derived index: vectors are searched in the table in which they are stored.
"""

from __future__ import annotations

from ....schema.event import EventFilter
from ....schema.protocols import Vector
from ....text.search_words import K1, STEMMER, B, query_words, repeated
from ...tables.engine import checked_vector
from ...tables.events.store import EventStore
from ..database import PostgresDatabase
from .rows import MOST_BYTES, PostgresEventRows, scope_lexeme

# BM25 as in Lucene: `log(1 + (N - n + 0.5) / (n + 0.5)) * f * (K1 + 1) / (f + K1 * (1 - B + B * l /
# mean l))`. The index distinguishes one occurrence (f = 1) from several (f = 2): a repeated word
# has a second lexeme, which adds the difference.
_SEARCH = f"""
WITH held AS MATERIALIZED (
    SELECT asked.n, asked.again, w.row, {K1} * ({1 - B} + {B} * w.length / %s::float8) AS norm
    FROM unnest(%s::tsquery[], %s::int[], %s::bool[]) AS asked (query, n, again)
    JOIN event_words w ON w.lexemes @@ asked.query
), weights AS (
    SELECT n, ln(1 + (%s - count(*) + 0.5) / (count(*) + 0.5))::float8 AS weight FROM held WHERE NOT again GROUP BY n
)
SELECT e.event_id, round(  -- the order of a sum changes its last bits, which must not decide
    sum(weight * {K1 + 1} * CASE WHEN again THEN 2 / (2 + norm) - 1 / (1 + norm) ELSE 1 / (1 + norm) END)::numeric, 9
)::float8 AS score
FROM held JOIN weights USING (n) JOIN events e USING (row) WHERE {{condition}}
GROUP BY e.row ORDER BY score DESC, e.row DESC LIMIT %s
"""


class PostgresEventStore(EventStore):
    """The `EventStore` of one schema.

    Shares its database with the other stores; `close` closes it for all of them.
    """

    database: PostgresDatabase
    of_people = "strpos(lower(id), lower(%s)) > 0 OR strpos(lower(name), lower(%s)) > 0 ORDER BY id LIMIT %s"

    def __init__(self, database: PostgresDatabase) -> None:
        self.database = database
        super().__init__(PostgresEventRows(database))

    def search_keywords(
        self, query: str, where: EventFilter, limit: int
    ) -> list[tuple[str, float]]:
        """See `EventStore.search_keywords`.

        The server computes BM25, in a scope with the statistics of the scope. A word is looked up
        together with the scope, as lexemes of one GIN index, so that no posting of another scope is
        read.
        """
        words = query_words(query.replace("\0", " ").encode(errors="ignore").decode())
        if not words or limit <= 0:
            return []
        of_scope, key = (
            ("", ()) if where.scope_key is None else (" WHERE scope_key = %s", (where.scope_key,))
        )
        number, total, length = self.database.row(
            f"SELECT min(scope_number), sum(events)::float8, sum(words)::float8 FROM scopes{of_scope}",
            key,
        )
        if not total:
            return []
        stems = [
            (n, stem)
            for n, stem in enumerate(STEMMER.stems([*words, *map(repeated, words)]))
            if len(stem.encode()) <= MOST_BYTES
        ]
        scope = [_quoted(scope_lexeme(number))] if key else []
        condition, parameters = self._rows.conditions(where)
        found = self.database.rows(
            _SEARCH.format(condition=condition),
            (
                max(length / total, 1.0),
                [" & ".join([*scope, _quoted(stem)]) for _, stem in stems],
                [n % len(words) for n, _ in stems],
                [n >= len(words) for n, _ in stems],
                total,
                *parameters,
                limit,
            ),
        )
        return [(event_id, score) for event_id, score in found if score > 0.0]

    def nearest(self, vector: Vector, where: EventFilter, limit: int) -> list[tuple[str, float]]:
        """Return (event id, cosine) of the matching events whose vectors are most similar, best
        first.

        Exact. The server compares the vectors of the scope, or of all scopes; no vector is
        transferred.
        """
        condition, parameters = self._rows.conditions(where, column="v.sequence")
        sound, distance = checked_vector(vector), f"v.vector <=> %s::{self.database.vector_type}"
        found = self.database.rows(
            f"SELECT e.event_id, 1 - ({distance}) FROM event_vectors v JOIN events e ON e.row = v.row"
            f" WHERE {condition} AND vector_dims(v.vector) = %s ORDER BY {distance}, e.row DESC LIMIT %s",
            (sound, *parameters, len(sound), sound, max(limit, 0)),
        )
        return [(event_id, similarity) for event_id, similarity in found]


def _quoted(lexeme: str) -> str:
    """Return a lexeme in the syntax of a tsquery."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
