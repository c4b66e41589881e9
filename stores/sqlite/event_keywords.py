"""Keyword search over events: the indexed words, and BM25.

In a scope the score is computed here from the statistics of the scope: the document frequency of a word counts the events of
this scope only. `bm25()` of FTS5 counts the whole table, which gives a different score and is slow (15 words at 100,000
events: 70 ms). Searches without a scope use `bm25()`.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...schema.event import EventFilter
from ...text.words import FTS5_TOKENIZER, INSIDE, last_characters, lookup_tokens, search_tokens
from .event_rows import AMONG, as_json, conditions, scope_number
from .index_schema import row_range

K1 = 1.2
"""Saturation of repeated words. Robertson and Zaragoza 2009 give 1.2 to 2."""
B = 0.4
"""Length normalization; 0 is none. Events are short: on English chat 0.4 finds 59.0 % at 10, the
usual 0.75 finds 57.9 % (LoCoMo turns, 760 questions)."""
MAX_QUERY_WORDS = 64
"""Only the first words of a long query are searched for, since each costs a lookup."""

WORDS_VERSION = 2
"""Version of the form of indexed words. Increment it when `indexed_words` changes its result for the same text."""

_TWICE = "\ue000"
# Prefix of words that occur more than once in a text: a character that no word begins with and that FTS5 treats as a
# letter. FTS5 tells which rows contain a word, not how often. The marker distinguishes one and two occurrences; three or
# more are rare in an event (LoCoMo: 59.0 % with the marker, 59.1 % with exact counts, 58.7 % without).


def indexed_words(text: str, tokens: Sequence[str] | None = None) -> tuple[int, str]:
    """Return the number of words of `text`, and the text for FTS5: each word once, and each repeated word marked as well.

    The last characters of Chinese runs are indexed too, marked and not counted: see `matching`. `tokens` are those of
    `search_tokens`, where they are known.
    """
    counts = Counter(search_tokens(text) if tokens is None else tokens)
    words = [form for word, n in counts.items() for form in ((word, repeated(word)) if n > 1 else (word,))]
    return counts.total(), " ".join([*words, *last_characters(text)])


def query_words(query: str) -> list[str]:
    """Return the words to search for."""
    return lookup_tokens(query)[:MAX_QUERY_WORDS]


def repeated(word: str) -> str:
    """Return the marked form that is indexed for a repeated word."""
    return _TWICE + word


def norms(lengths: np.ndarray[tuple[int], np.dtype[np.int64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the length norm of BM25 for texts of `lengths` words: `K1 * (1 - B + B * l / mean l)`."""
    mean = max(float(lengths.mean()), 1.0) if len(lengths) else 1.0
    return np.asarray(K1 * (1 - B + B * lengths / mean))


def add_words(connection: sqlite3.Connection, texts: Sequence[tuple[int, str]]) -> None:
    """Index (row, text) pairs."""
    rows = [(row, *indexed_words(text)) for row, text in texts]
    connection.executemany("INSERT INTO event_words (row, length, words) VALUES (?, ?, ?)", rows)
    connection.executemany("INSERT INTO event_keywords (rowid, words) VALUES (?, ?)", [(row, words) for row, _, words in rows])


def remove_words(connection: sqlite3.Connection, rows: Sequence[int]) -> None:
    """Remove rows from the index. Rows that are not indexed are ignored."""
    found = f"SELECT row, words FROM event_words WHERE row {AMONG}"
    connection.execute(
        f"INSERT INTO event_keywords (event_keywords, rowid, words) SELECT 'delete', row, words FROM ({found})",
        (as_json(rows),),
    )
    connection.execute(f"DELETE FROM event_words WHERE row {AMONG}", (as_json(rows),))


def scrub_words(connection: sqlite3.Connection) -> None:
    """Merge the whole index, because the words of deleted events remain until their segment is merged."""
    connection.execute("INSERT INTO event_keywords (event_keywords) VALUES ('optimize')")


def merge_words(connection: sqlite3.Connection, pages: int) -> bool:
    """Merge about `pages` pages of the index. Return False if nothing was left to merge.

    Each job adds a segment, and each word of a query is looked up in each segment.
    """
    before = connection.total_changes
    connection.execute("INSERT INTO event_keywords (event_keywords, rank) VALUES ('merge', ?)", (pages,))
    # SQLite counts one change for the command itself.
    return connection.total_changes - before > 1


def words_of(connection: sqlite3.Connection, first: int, last: int) -> list[tuple[int, int, str]]:
    """Return (row, number of words, words as given by `indexed_words`) of the rows in a range, in order."""
    return connection.execute(
        "SELECT row, length, words FROM event_words WHERE row BETWEEN ? AND ? ORDER BY row", (first, last)
    ).fetchall()


def words_form() -> str:
    """Return the version of the index. If it differs from the stored one, the index must be rebuilt."""
    return f"{WORDS_VERSION} {FTS5_TOKENIZER}"


def rebuild_words(connection: sqlite3.Connection) -> None:
    """Rebuild the index from the texts of all events."""
    connection.execute("DROP TABLE event_keywords")
    connection.execute("DELETE FROM event_words")
    connection.execute(
        "CREATE VIRTUAL TABLE event_keywords USING fts5("
        f"words, content = 'event_words', content_rowid = 'row', tokenize = \"{FTS5_TOKENIZER}\")"
    )
    connection.execute("INSERT INTO event_keywords (event_keywords, rank) VALUES ('usermerge', 2)")
    last = -1
    while rows := connection.execute("SELECT row, text FROM events WHERE row > ? ORDER BY row LIMIT 1000", (last,)).fetchall():
        add_words(connection, rows)
        last = rows[-1][0]
    # Invalidates the caches of other processes, which hold words of the former form.
    connection.execute("UPDATE scopes SET removals = removals + 1")


def search(connection: sqlite3.Connection, query: str, where: EventFilter, limit: int) -> list[tuple[str, float]]:
    """Return at most `limit` event ids with BM25 scores above 0, best first, newer first among equal scores.

    `connection` must be in a transaction, so that all statements see the same state.
    """
    words = query_words(query)
    if not words or limit <= 0:
        return []
    if where.scope_key is None:
        return _search_everywhere(connection, words, where, limit)
    number = scope_number(connection, where.scope_key)
    if number is None:
        return []
    rows, scores = _score_scope(connection, words, row_range(number))
    if where.narrows:
        condition, parameters = conditions(connection, where)
        allowed = connection.execute(f"SELECT e.row FROM events e WHERE {condition}", parameters).fetchall()
        scores[~np.isin(rows, np.array([row for (row,) in allowed], dtype=np.int64))] = 0.0
    best = np.lexsort((-rows, -scores))[:limit]
    best = best[scores[best] > 0.0]
    names = dict(connection.execute(f"SELECT row, event_id FROM events WHERE row {AMONG}", (as_json(rows[best].tolist()),)))
    return [(names[row], score) for row, score in zip(rows[best].tolist(), scores[best].tolist(), strict=True)]


def _score_scope(
    connection: sqlite3.Connection, words: Sequence[str], scope: tuple[int, int]
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Return all row numbers of a scope, ascending, and their scores.

    BM25 as in Lucene: `log(1 + (N - n + 0.5) / (n + 0.5)) * f * (K1 + 1) / (f + K1 * (1 - B + B * l / mean l))`.
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


def _rows_with(connection: sqlite3.Connection, match: str, scope: tuple[int, int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    listed = connection.execute(
        "SELECT group_concat(rowid) FROM (SELECT rowid FROM event_keywords"
        " WHERE event_keywords MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid)",
        (match, *scope),
    ).fetchone()
    return _numbers(listed[0])


def _numbers(listed: str | None) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the numbers joined by `group_concat`, which takes a quarter of the time of fetching Python tuples."""
    return np.fromstring(listed or "", dtype=np.int64, sep=",")


def _search_everywhere(
    connection: sqlite3.Connection, words: Sequence[str], where: EventFilter, limit: int
) -> list[tuple[str, float]]:
    """Return hits of all scopes. `bm25()` of FTS5 is smaller for better rows, so it is negated."""
    condition, parameters = conditions(connection, where)
    found = connection.execute(
        "SELECT e.event_id, -bm25(event_keywords) AS score"
        " FROM event_keywords CROSS JOIN events e ON e.row = event_keywords.rowid"
        f" WHERE event_keywords MATCH ? AND {condition} ORDER BY score DESC, e.row DESC LIMIT ?",
        (" OR ".join(map(matching, words)), *parameters, limit),
    )
    return [(event_id, score) for event_id, score in found]


def matching(word: str) -> str:
    """Return the FTS5 query of a word. A character inside words begins a pair, stands alone, or ends a run."""
    return f"({quoted(word[1:])} * OR {quoted(word)})" if word.startswith(INSIDE) else quoted(word)


def quoted(word: str) -> str:
    """Return a word as an FTS5 string literal, so that it is not an operator or a column name."""
    return '"' + word.replace('"', '""') + '"'
