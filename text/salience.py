"""Extractive summary without a model: the most salient lines of a conversation.

LexRank (Erkan and Radev, 2004): lines are nodes, similarities are edges, and a line is important if it resembles important
lines. Lines similar to chosen ones lose score (maximal marginal relevance, Carbonell and Goldstein, 1998).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .search_words.tokens import query_tokens

_DAMPING = 0.85  # as in PageRank and LexRank
_ROUNDS = 30
_NOTHING = 1e-9
_FEW_WORDS = 4

MOST_LINES = 1_000
"""Lines that are weighed against each other."""

_Scores = npt.NDArray[np.float64]


def salient_lines(lines: Sequence[str], count: int, worth: Sequence[float] | None = None) -> list[int]:
    """Return the indexes of at most `count` lines in ascending order, of the last MOST_LINES of `lines`.

    Time and memory are quadratic in the number of lines that are weighed.

    `worth` is the score of each line; without it, the lines are scored by LexRank.
    """
    if len(lines) > MOST_LINES:
        skipped = len(lines) - MOST_LINES
        found = salient_lines(lines[skipped:], count, None if worth is None else worth[skipped:])
        return [skipped + n for n in found]
    words = [query_tokens(line) for line in lines]
    similar, weights = _similarities(words)
    scores = _rank(similar) * weights if worth is None else np.asarray(worth, dtype=float)
    chosen: list[int] = []
    while len(chosen) < min(count, len(lines)):
        repeated = similar[:, chosen].max(axis=1) if chosen else np.zeros(len(lines))
        left = scores * (1.0 - repeated)
        left[chosen] = 0.0
        best = int(left.argmax())
        if left[best] <= _NOTHING:
            break
        chosen.append(best)
    return sorted(chosen)


def _similarities(words: Sequence[Sequence[str]]) -> tuple[_Scores, _Scores]:
    """Return the cosines of the lines' TF-IDF vectors (zeros on the diagonal), and a weight of each line by its length."""
    spread = Counter(word for line in words for word in set(line))
    column = {word: n for n, word in enumerate(spread)}
    table = np.zeros((len(words), max(len(column), 1)))
    for row, line in enumerate(words):
        for word, times in Counter(line).items():
            table[row, column[word]] = times * math.log(1 + len(words) / spread[word])
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    unit = np.divide(table, lengths, out=np.zeros_like(table), where=lengths > 0)
    similar = unit @ unit.T
    np.fill_diagonal(similar, 0.0)
    sizes = np.array([len(line) for line in words], dtype=float)
    return similar, sizes / (sizes + _FEW_WORDS)


def _rank(similar: _Scores) -> _Scores:
    total = similar.sum(axis=1, keepdims=True)
    steps = np.divide(similar, total, out=np.full_like(similar, 1.0 / max(len(similar), 1)), where=total > 0)
    scores = np.full(len(similar), 1.0 / max(len(similar), 1))
    for _ in range(_ROUNDS):
        scores = (1 - _DAMPING) / max(len(similar), 1) + _DAMPING * (scores @ steps)
    return scores
