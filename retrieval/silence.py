"""Whether a conversation holds anything about what was said before a reply. If not, the block has no messages and no events.

The best hit says nothing of that: there is always one. So the evidence is weighed in absolute numbers: how near the nearest
vector is to the query without names (seen from the scope's mean), the best BM25 score, how many words the query has, and which
share of them anybody has ever said. The weights are those of a logistic regression on questions with an answer and, as their
counterpart, the lines of `benchmarks/data/silence.json` and questions about other conversations
(`benchmarks/quality/recall.py` measures it). Who asks nothing gets memories only where much speaks for them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ..text.content import has_content
from ..text.questions import asking_sentences
from .request import RecallRequest, is_talk
from .scope_index.words import WordMatch

SMALL_SCOPE, SMALL_TO_ASK = 50, 100
"""With fewer events what is rare cannot be told from what is common: only a line without content falls silent. A question is
answered by what there is up to the second number."""
NEAR, MATCH, KNOWN, LENGTH, SIZE, CONSTANT = 16.4, 0.157, 1.87, 1.97, -0.244, -9.2
"""Weights of the nearest vector, of the best BM25 score, of the share of known words, of the logarithms of the number of words
and of the number of events."""
ASKED, TOLD = -2.4, -0.7
"""The evidence from which there is an answer, for a question and for what asks nothing. (An answer that is kept back is worse
than a line too many: of 200 questions with an answer, 1 % are below the first.)"""
WORDS_MATCH, WORDS_KNOWN, WORDS_LENGTH, WORDS_CONSTANT = 0.25, 2.76, 2.31, -7.34
WORDS_ASKED, WORDS_TOLD = -2.4, -0.5
"""The same without vectors, which tells much less."""
_ASKS = re.compile(r"[?？]|[吗呢么]|什么|啥|谁|哪|怎|几|多[少久大重远长高]|为何|是否|有没有|是不是")


def tells_something(
    request: RecallRequest, keywords: Sequence[WordMatch], near: Sequence[float | None], *, is_partial: bool = False
) -> bool:
    """Return True if the scope may hold an answer to one of the queries, or a memory of what they tell.

    `near` are the similarities of the nearest vectors, None where they say nothing on their own: without an embedder, or with
    one whose similarities are not known. `is_partial` while vectors are missing: then words alone are enough as well. A piece of
    a conversation and who names a time always get what there is.
    """
    if request.named:
        return True
    queries = zip(request.said, keywords, near, strict=False)
    return any(
        is_talk(said) or (has_content(said) and (_is_enough(said, match, best) or (is_partial and _is_enough(said, match, None))))
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
        evidence = WORDS_MATCH * best + WORDS_KNOWN * match.known + WORDS_LENGTH * length + WORDS_CONSTANT
        return evidence >= (WORDS_ASKED if asks(said) else WORDS_TOLD)
    evidence = NEAR * near + MATCH * best + KNOWN * match.known + LENGTH * length + SIZE * math.log(count) + CONSTANT
    return evidence >= (ASKED if asks(said) else TOLD)
