"""The words of events as the keyword indexes hold them, and the statistics of BM25. Both are the same in every store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from .tokens import last_characters, lookup_tokens, search_tokens

K1 = 1.2
"""Saturation of repeated words. Robertson and Zaragoza 2009 give 1.2 to 2."""
B = 0.4
"""Length normalization; 0 is none. Events are short: on English chat 0.4 finds 59.0 % at 10, the
usual 0.75 finds 57.9 % (LoCoMo turns, 760 questions)."""
MAX_QUERY_WORDS = 128
"""Only the first words of a long query are searched for, since each costs a lookup: a Chinese message of some 130 characters
has so many. (MADial-Bench in Chinese, recall at 10 by keywords: 50.7 % with 64, 60.6 with 128 and with 256.)"""

WORDS_VERSION = 2
"""Version of the form of indexed words. Increment it when `indexed_words` changes its result for the same text."""

_TWICE = "\ue000"
# Prefix of words that occur more than once in a text: a character that no word begins with and that indexes treat as a
# letter. An index tells which rows contain a word, not how often. The marker distinguishes one and two occurrences; three or
# more are rare in an event (LoCoMo: 59.0 % with the marker, 59.1 % with exact counts, 58.7 % without).


def indexed_words(text: str, tokens: Sequence[str] | None = None) -> tuple[int, str]:
    """Return the number of words of `text`, and the text to be indexed: each word once, and each repeated word marked as well.

    The last characters of Chinese runs are indexed too, marked and not counted. `tokens` are those of
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
