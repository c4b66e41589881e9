"""The assistant's memory of a person: article, summaries, waiting talk. What a deep search finds besides events."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from ..schema.article import Spoken
from ..schema.protocols import ArticleStores
from ..schema.summary import ArticleKey, StoredArticle, Summary
from ..text.search_words.tokens import query_tokens, search_tokens

MOST_FOUND = 8
"""Lines, and messages that wait, that a deep search brings at most."""
TALK_SEARCHED = 60_000
"""Characters of talk that waits to be summarised that a deep search looks through, the newest; about 40 ms."""
_K1, _B = 1.2, 0.4
"""BM25, as over events."""


@dataclass(frozen=True, slots=True)
class ReadMemory:
    """The memory of one person in one scope: the article, and all summaries, oldest first."""

    key: ArticleKey
    article: StoredArticle | None = None
    summaries: tuple[Summary, ...] = ()


def read_memory(stores: ArticleStores, key: ArticleKey) -> ReadMemory:
    """Read both. Summaries first: what is promoted meanwhile is read twice, not never. Blocking; raises StorageError."""
    summaries = tuple(stores.summaries.read(key))
    return ReadMemory(key, stores.articles.read(key), summaries)


def fitting_lines(query: str, read: ReadMemory) -> list[str]:
    """Return the lines of the chapter Dynamic that share words with `query`, best first."""
    lines = read.article.article.lines("Dynamic") if read.article is not None else ()
    scores = keyword_scores(query, {line: line for line in lines})
    return sorted(scores, key=lambda line: -scores[line])[:MOST_FOUND]


def waiting_talk(query: str, stores: ArticleStores, key: ArticleKey) -> list[Spoken]:
    """Return what was said, waits to be summarised, and shares words with `query`, best first. Blocking; raises StorageError.

    Records are left out: they are events.
    """
    said = [one.spoken for one in stores.buffer.oldest(key, sys.maxsize) if one.spoken.role != "record"][::-1]
    sizes = accumulate(len(one.text) for one in said)
    newest = {str(n): one for n, (one, size) in enumerate(zip(said, sizes, strict=True)) if size <= TALK_SEARCHED}
    scores = keyword_scores(query, {name: one.text for name, one in newest.items()})
    return [newest[name] for name in sorted(scores, key=lambda name: -scores[name])[:MOST_FOUND]]


def keyword_scores(query: str, texts: Mapping[str, str]) -> dict[str, float]:
    """Return the BM25 scores of the texts that share a word with the query, among themselves."""
    words = query_tokens(query)
    counts = {name: Counter(search_tokens(text)) for name, text in texts.items()}
    if not counts or not words:
        return {}
    average = sum(count.total() for count in counts.values()) / len(counts) or 1.0
    scores: dict[str, float] = {}
    for word in words:
        holders = sum(word in count for count in counts.values())
        weight = math.log(1 + (len(counts) - holders + 0.5) / (holders + 0.5))
        for name, count in counts.items():
            if count[word]:
                length = 1 - _B + _B * count.total() / average
                scores[name] = scores.get(name, 0.0) + weight * count[word] * (_K1 + 1) / (count[word] + _K1 * length)
    return scores
