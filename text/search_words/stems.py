"""The stems of words in the keyword indexes, by the Porter stemmer that comes with Python: FTS5 of its `sqlite3`, in memory."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence

from .tokens import FTS5_TOKENIZER

_MOST_WORDS = 50_000
"""Words whose stems are cached, about 10 MB. Beyond that the cache is cleared."""


class Stemmer:
    """A cache of stems (6 µs per new word). Thread-safe."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def stems(self, words: Sequence[str]) -> list[str]:
        """Return one stem per word, in order. A word is a token of `text.words.search_tokens`, possibly marked as repeated."""
        known = self._known
        if new := {word for word in words if word not in known}:
            known = self._learnt(known, new)
        return [known[word] for word in words]

    def _learnt(self, known: dict[str, str], words: set[str]) -> dict[str, str]:
        """Return `known` with the stems of `words` and cache it, or only the new stems if it would be too large."""
        # The Porter stemmer changes English endings only; words of other scripts are their own stems.
        stems = {word: word for word in words if not word[-1:].isascii()}
        asked = [word for word in words if word not in stems]
        if asked:
            stems |= zip(asked, self._ask(asked), strict=True)
        if len(known) + len(stems) <= _MOST_WORDS:
            known.update(stems)
            return known
        # A new dictionary: another thread may be reading the former one.
        self._known = dict(stems) if len(stems) <= _MOST_WORDS else {}
        return {**known, **stems}

    def _ask(self, words: Sequence[str]) -> list[str]:
        with self._lock:
            if self._connection is None:
                self._connection = _open()
            self._connection.execute("BEGIN")
            try:
                self._connection.executemany("INSERT INTO words (rowid, word) VALUES (?, ?)", enumerate(words))
                stems = dict(self._connection.execute("SELECT doc, term FROM stems"))
            finally:
                self._connection.execute("ROLLBACK")
        return [stems.get(number, word) for number, word in enumerate(words)]


def _open() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.execute(
        f"CREATE VIRTUAL TABLE words USING fts5(word, content = '', detail = none, tokenize = \"{FTS5_TOKENIZER}\")"
    )
    connection.execute("CREATE VIRTUAL TABLE stems USING fts5vocab(words, instance)")
    return connection


STEMMER = Stemmer()
"""The shared instance of this process."""
