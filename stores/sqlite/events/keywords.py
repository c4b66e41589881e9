"""Keyword search over events by BM25.

In a scope the score is computed here from the statistics of the scope: the document frequency of a
word counts the events of this scope only. `bm25()` of FTS5 counts the whole table, which gives a
different score and is slow (15 words at 100,000 events: 70 ms). Searches without a scope use
`bm25()`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....schema.event import EventFilter
from ....text.search_words import INSIDE, K1, norms, query_words, repeated
from ...tables.events.rows import EXPIRED, SCOPE_SHIFT, EventRows
from ..transaction import SqliteTransaction


def merge_words(connection: SqliteTransaction, pages: int) -> bool:
    """Merge about `pages` pages of the index. Return False if nothing was left to merge.

    Each job adds a segment, and each word of a query is looked up in each segment.
    """
    before = connection.total_changes
    connection.execute(
        "INSERT INTO event_keywords (event_keywords, rank) VALUES ('merge', ?)", (pages,)
    )
    # SQLite counts one change for the command itself.
    return connection.total_changes - before > 1


def search(
    connection: SqliteTransaction, events: EventRows, query: str, where: EventFilter, limit: int
) -> list[tuple[str, float]]:
    """Return at most `limit` pairs of event id and BM25 score, the best first.

    Scores are above 0; of equal scores the newer event is first. `connection` must be in a
    transaction, so that all statements see the same state.
    """
    words = query_words(query)
    if not words or limit <= 0:
        return []
    condition, parameters = events.conditions(where)
    if where.scope_key is None:
        # `bm25()` of FTS5 is smaller for better rows, so it is negated.
        return connection.rows(
            "SELECT e.event_id, -bm25(event_keywords) AS score"
            " FROM event_keywords CROSS JOIN events e ON e.row = event_keywords.rowid"
            f" WHERE event_keywords MATCH %s AND {condition} ORDER BY score DESC, e.row DESC LIMIT %s",
            (" OR ".join(map(matching, words)), *parameters, limit),
        )
    found = connection.row(
        "SELECT scope_number FROM scopes WHERE scope_key = %s", (where.scope_key,)
    )
    if found is None:
        return []
    first = int(found[0]) << SCOPE_SHIFT
    rows, scores = _score_scope(connection, words, (first, first + 2**SCOPE_SHIFT - 1))
    if where.narrows:
        allowed = connection.rows(f"SELECT e.row FROM events e WHERE {condition}", parameters)
        scores[~np.isin(rows, np.array([row for (row,) in allowed], dtype=np.int64))] = 0.0
    elif where.now is not None:
        gone = connection.rows(EXPIRED, (where.now,))
        scores[np.isin(rows, np.array([row for (row,) in gone], dtype=np.int64))] = 0.0
    # The last bits depend on the order of addition; they must not affect the ranking.
    scores = np.round(scores, 9)
    best = np.lexsort((-rows, -scores))[:limit]
    best = best[scores[best] > 0.0]
    names = dict(
        connection.rows(
            "SELECT row, event_id FROM events WHERE row = ANY(%s)", (rows[best].tolist(),)
        )
    )
    return [
        (names[row], score)
        for row, score in zip(rows[best].tolist(), scores[best].tolist(), strict=True)
    ]


def _score_scope(
    connection: SqliteTransaction, words: Sequence[str], scope: tuple[int, int]
) -> tuple[
    np.ndarray[tuple[int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.float64]]
]:
    """Return all row numbers of a scope, ascending, and their scores.

    BM25 as in Lucene: `log(1 + (N - n + 0.5) / (n + 0.5)) * f * (K1 + 1) / (f + K1 * (1 - B + B * l
    / mean l))`.
    """
    listed = connection.execute(
        "SELECT group_concat(row), group_concat(length) FROM"
        " (SELECT row, length FROM event_words WHERE row BETWEEN ? AND ? ORDER BY row)",
        scope,
    ).fetchone()
    rows, lengths = _numbers(listed[0]), _numbers(listed[1])
    scores = np.zeros(len(rows))
    if not len(rows):
        return rows, scores
    added = norms(lengths)
    once, twice = (K1 + 1) / (1 + added), 2 * (K1 + 1) / (2 + added)
    repeats = _rows_with(connection, " OR ".join(quoted(repeated(word)) for word in words), scope)
    for word in words:
        found = np.searchsorted(rows, _rows_with(connection, matching(word), scope))
        if not len(found):
            continue
        weight = np.log(1 + (len(rows) - len(found) + 0.5) / (len(found) + 0.5))
        scores[found] += weight * once[found]
        if len(repeats):
            again = np.searchsorted(rows, _rows_with(connection, quoted(repeated(word)), scope))
            scores[again] += weight * (twice[again] - once[again])
    return rows, scores


def _rows_with(
    connection: SqliteTransaction, match: str, scope: tuple[int, int]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    listed = connection.execute(
        "SELECT group_concat(rowid) FROM (SELECT rowid FROM event_keywords"
        " WHERE event_keywords MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid)",
        (match, *scope),
    ).fetchone()
    return _numbers(listed[0])


def _numbers(listed: str | None) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Parse numbers joined by `group_concat`: four times as fast as fetching Python tuples."""
    return np.fromstring(listed or "", dtype=np.int64, sep=",")


def matching(word: str) -> str:
    """Return the FTS5 query of a word.

    A single character (with the prefix INSIDE) matches pairs that begin with it, the character
    alone, and runs that end with it.
    """
    return f"({quoted(word[1:])} * OR {quoted(word)})" if word.startswith(INSIDE) else quoted(word)


def quoted(word: str) -> str:
    """Return a word as an FTS5 string literal, so that it is not an operator or a column name."""
    return '"' + word.replace('"', '""') + '"'
