"""The few lines of a conversation that say most of it, chosen without a model.

LexRank (Erkan and Radev, 2004): lines are nodes, their similarity the edges, and a line is important when important
lines resemble it. What was chosen already takes from the worth of what repeats it (the idea of maximal marginal
relevance, Carbonell and Goldstein, 1998), and a greeting has no edges to be important by.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .words import query_tokens

_DAMPING = 0.85  # as in PageRank and LexRank
_ROUNDS = 30
_NOTHING = 1e-9
_FEW_WORDS = 4

_Scores = npt.NDArray[np.float64]


def salient_lines(lines: Sequence[str], count: int, worth: Sequence[float] | None = None) -> list[int]:
    """The numbers of at most `count` lines, in the order in which they stand; time and memory grow with the square of `lines`.

    `worth` says what each line is worth by itself; without it the lines' places in the graph do.
    """
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
    """Cosines of the lines' TF-IDF vectors (nothing on the diagonal), and how much a line can say by its length."""
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
