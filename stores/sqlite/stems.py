"""The stems that the keyword index holds for words, asked of SQLite's own tokenizer, so that both always agree."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence

from ...text.words import FTS5_TOKENIZER

_MOST_WORDS = 50_000
"""Words whose stems are remembered, about 10 MB. Beyond, all are forgotten: what is in use is soon there again."""


class Stemmer:
    """Stems, each asked for once (6 µs a word). Safe to use from several threads."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def stems(self, words: Sequence[str]) -> list[str]:
        """One stem a word, in order. A word is one token of `text.words.search_tokens`, marked as repeated or not."""
        known = self._known
        found = [*map(known.get, words)]
        if None in found:
            known = self._learnt(known, {word for word in words if word not in known})
            found = [*map(known.get, words)]
        return [stem for stem in found if stem is not None]

    def _learnt(self, known: dict[str, str], words: set[str]) -> dict[str, str]:
        """`known` with `words`; what is remembered from now on is that, or `words` alone where it would be too much."""
        # Porter's stemmer changes English endings; most words of other scripts need not be asked for.
        stems = {word: word for word in words if not word[-1:].isascii()}
        asked = [word for word in words if word not in stems]
        if asked:
            stems |= zip(asked, self._ask(asked), strict=True)
        if len(known) + len(stems) <= _MOST_WORDS:
            known.update(stems)
            return known
        # A new one: another thread may be reading the one before.
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
"""The one of this process."""
