"""Keyword search over events by BM25, computed by the server: in a scope with the statistics of the scope.

A word is looked for together with the scope, as lexemes of one GIN index, so that no posting of another scope is read.
"""

from __future__ import annotations

from ....schema.event import EventFilter
from ....text.search_words.keywords import K1, B, query_words, repeated
from ....text.search_words.stems import STEMMER
from ..database import PostgresDatabase
from .rows import MOST_BYTES, PostgresEventRows, scope_lexeme

# BM25 as in Lucene: `log(1 + (N - n + 0.5) / (n + 0.5)) * f * (K1 + 1) / (f + K1 * (1 - B + B * l / mean l))`. What is indexed
# tells one occurrence (f = 1) from several (f = 2, by a lexeme of its own, which adds the difference).
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


def search(database: PostgresDatabase, query: str, where: EventFilter, limit: int) -> list[tuple[str, float]]:
    """Return at most `limit` event ids with BM25 scores above 0, best first, newer first among equal scores."""
    words = query_words(query.replace("\0", " ").encode(errors="ignore").decode())
    if not words or limit <= 0:
        return []
    of_scope, key = ("", ()) if where.scope_key is None else (" WHERE scope_key = %s", (where.scope_key,))
    counted = database.row(f"SELECT min(scope_number), sum(events)::float8, sum(words)::float8 FROM scopes{of_scope}", key)
    number, total, length = counted or (None, None, None)
    if not total:
        return []
    stems = [
        (n, stem) for n, stem in enumerate(STEMMER.stems([*words, *map(repeated, words)])) if len(stem.encode()) <= MOST_BYTES
    ]
    scope = [_quoted(scope_lexeme(number))] if key else []
    condition, parameters = PostgresEventRows(database).conditions(where)
    found = database.rows(
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


def _quoted(lexeme: str) -> str:
    """Return a lexeme as it stands in a tsquery."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
