"""The decision whether a conversation holds anything about the query of a recall before a reply. If
not, the block has no messages and no events.

The best hit alone does not show this, because there is always a best hit. The decision therefore
uses absolute numbers: the similarity of the nearest vector to the query without names (centred on
the mean of the scope), the best BM25 score, the number of words of the query, and the share of them
that occurs in the scope. The weights come from a logistic regression on questions with an answer
and, as counterexamples, the lines of `benchmarks/data/silence.json` and questions about other
conversations (`benchmarks/quality/recall.py` measures it). A message that asks nothing needs more
evidence than a question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ..text.messages.content import has_content
from ..text.questions import asking_sentences
from .request import RecallRequest, is_talk
from .scope_index.words import WordMatch

SMALL_SCOPE, SMALL_TO_ASK = 50, 100
"""In a scope of fewer events, rare words cannot be told apart from common ones. There only a
message without content finds nothing. The second number is the limit for questions."""
NEAR, MATCH, KNOWN, LENGTH, SIZE, CONSTANT = 16.4, 0.157, 1.87, 1.97, -0.244, -9.2
"""Weights of the similarity of the nearest vector, of the best BM25 score, of the share of known
words, and of the logarithms of the number of words and of the number of events; then the
constant."""
ASKED, TOLD = -2.4, -0.7
"""The minimum evidence, for a question and for a message that asks nothing. (Withholding an answer
is worse than showing a line too many: of 200 questions with an answer, 1 % are below the first
number.)"""
WORDS_MATCH, WORDS_KNOWN, WORDS_LENGTH, WORDS_CONSTANT = 0.25, 2.76, 2.31, -7.34
WORDS_ASKED, WORDS_TOLD = -2.4, -0.5
"""The same numbers for scopes without vectors, where the evidence is much weaker."""
_ASKS = re.compile(r"[?？]|[吗呢么]|什么|啥|谁|哪|怎|几|多[少久大重远长高]|为何|是否|有没有|是不是")


def tells_something(
    request: RecallRequest,
    keywords: Sequence[WordMatch],
    near: Sequence[float | None],
    *,
    is_partial: bool = False,
) -> bool:
    """Return True if the scope may hold an answer to one of the queries, or a memory about its
    subject.

    `near` are the similarities of the nearest vectors. An item is None if it cannot be judged:
    without an embedder, or with one whose scale of similarities is unknown. `is_partial` is True
    while vectors are missing: then the words alone may be enough. A piece of a conversation and a
    query that names a time always count as True.
    """
    if request.named:
        return True
    queries = zip(request.said, keywords, near, strict=False)
    return any(
        is_talk(said)
        or (
            has_content(said)
            and (_is_enough(said, match, best) or (is_partial and _is_enough(said, match, None)))
        )
        for said, match, best in queries
    )


def asks(said: str) -> bool:
    """Return True if a message asks for something, in whatever form."""
    return _ASKS.search(said) is not None or bool(asking_sentences(said))


def _is_enough(said: str, match: WordMatch, near: float | None) -> bool:
    count = len(match.scores)
    if count < (SMALL_TO_ASK if asks(said) else SMALL_SCOPE):
        return True
    best, length = float(match.scores.max(initial=0.0)), math.log(1 + match.words)
    if near is None:
        evidence = (
            WORDS_MATCH * best + WORDS_KNOWN * match.known + WORDS_LENGTH * length + WORDS_CONSTANT
        )
        return evidence >= (WORDS_ASKED if asks(said) else WORDS_TOLD)
    evidence = (
        NEAR * near
        + MATCH * best
        + KNOWN * match.known
        + LENGTH * length
        + SIZE * math.log(count)
        + CONSTANT
    )
    return evidence >= (ASKED if asks(said) else TOLD)
