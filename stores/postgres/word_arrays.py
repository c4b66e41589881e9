"""Texts as arrays of words in columns with a GIN index, and BM25 over the matching rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...text.search_words import (
    INSIDE,
    K1,
    STEMMER,
    B,
    first_character,
    last_characters,
    query_words,
    search_tokens,
)

Scores = np.ndarray[tuple[int], np.dtype[np.float64]]


def word_array(text: str) -> tuple[int, list[str]]:
    """Return the number of words of a text, and its array of words.

    The array contains each word as often as it occurs, and the single characters, marked.
    """
    return array_of([*search_tokens(text), *last_characters(text)])


def array_of(words: Sequence[str]) -> tuple[int, list[str]]:
    """Return the same as `word_array` for a text with these words.

    Single characters in `words` are marked with INSIDE.
    """
    tokens = [word for word in words if not word.startswith(INSIDE)]
    characters = {
        *filter(None, map(first_character, tokens)),
        *(word for word in words if word.startswith(INSIDE)),
    }
    return len(tokens), [*STEMMER.stems(tokens), *sorted(characters)]


def asked_words(query: str) -> list[str]:
    """Return the words of a query in the form of a word array."""
    return STEMMER.stems(query_words(query))


def bm25(
    words: Sequence[str], documents: Sequence[tuple[int, Sequence[str]]], total: int, mean: float
) -> Scores:
    """Return the BM25 scores of documents, given as (length, word array).

    `documents` are those that contain a word, out of `total` documents with `mean` words on
    average.
    """
    counted = [Counter(has) for _, has in documents]
    lengths = np.array([length for length, _ in documents], dtype=np.float64)
    norms = K1 * (1 - B + B * lengths / max(mean, 1.0))
    scores: Scores = np.zeros(len(documents))
    for word in words:
        times = np.array([has[word] for has in counted], dtype=np.float64)
        holding = np.count_nonzero(times)
        scores += (
            np.log(1 + (total - holding + 0.5) / (holding + 0.5))
            * times
            * (K1 + 1)
            / (times + norms)
        )
    return scores
