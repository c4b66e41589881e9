"""Whether a conversation holds anything about what was said before a reply. If not, the block has no messages and no events.

The best hit says nothing of that: there is always one. So the evidence is weighed in absolute numbers: how near the nearest
vectors are (seen from the scope's mean), how much the best keyword match scores, which share of a whole match that is, and which
share of the words anybody has ever said. The weights are those of a logistic regression on questions with an answer and, as their
counterpart, the lines of `benchmarks/data/silence.json` and questions about other conversations
(`benchmarks/quality/recall.py` measures it). Who asks nothing gets memories only where much speaks for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..text.content import has_content
from ..text.questions.asking import asking_sentences
from .request import RecallRequest, is_talk
from .scope_index.words import Scores, WordMatch

SMALL_SCOPE = 50
"""With fewer events what is rare cannot be told from what is common: one known word is enough."""
NEAREST = 5
"""So many of the nearest vectors count, beside the very nearest."""
NEAR, NEAR_FIVE, MATCH, SHARE, KNOWN, SIZE, CONSTANT = 8.2, 10.7, 0.29, -1.6, 0.73, -0.355, -4.8
"""Weights of the nearest vector, of the mean of the NEAREST, of the best BM25 score, of its share of a whole match, of the share
of known words, of the logarithm of the number of events."""
ASKED, TOLD = -1.5, 1.8
"""The evidence from which there is an answer, for a question and for what asks nothing. (Of the questions with an answer 2 % are
below the first, 40 % below the second.)"""
WORDS_MATCH, WORDS_SHARE, WORDS_KNOWN, WORDS_CONSTANT = 0.38, -1.8, 0.96, -2.15
WORDS_ASKED, WORDS_TOLD = -1.3, 0.5
"""The same without vectors, which tell much less."""


def tells_something(request: RecallRequest, keywords: Sequence[WordMatch], near: Sequence[Scores | None]) -> bool:
    """Return True if the scope may hold an answer to one of the queries, or a memory of what they tell.

    `near` are the similarities of the events that have vectors, None where they say nothing on their own: without an embedder,
    or with one whose similarities are not known. A piece of a conversation and who names a time always get what there is.
    """
    if request.named:
        return True
    queries = zip(request.said, keywords, near, strict=False)
    return any(is_talk(said) or (has_content(said) and _is_enough(said, *scores)) for said, *scores in queries)


def _is_enough(said: str, match: WordMatch, near: Scores | None) -> bool:
    count = len(match.scores)
    asks = bool(asking_sentences(said))
    best = float(match.scores.max(initial=0.0))
    if count < SMALL_SCOPE:
        return best > 0 or (asks and near is not None and bool(len(near)))
    share = best / match.whole if match.whole else 0.0
    if near is None or not len(near):
        evidence = WORDS_MATCH * best + WORDS_SHARE * share + WORDS_KNOWN * match.known + WORDS_CONSTANT
        return evidence >= (WORDS_ASKED if asks else WORDS_TOLD)
    nearest = np.partition(near, max(len(near) - NEAREST, 0))[-NEAREST:]
    evidence = NEAR * float(nearest.max()) + NEAR_FIVE * float(nearest.mean()) + MATCH * best + SHARE * share
    evidence += KNOWN * match.known + SIZE * math.log(count) + CONSTANT
    return evidence >= (ASKED if asks else TOLD)
