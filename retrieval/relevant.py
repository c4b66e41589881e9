"""The assistant's memory of a person: article, summaries, and messages that wait to be summarised.
A deep search looks through them besides events.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from itertools import accumulate

from ..schema.summary import Article, ArticleKey, Spoken
from ..stores.tables.articles import ArticleStores
from ..text.search_words import query_tokens, search_tokens

MOST_FOUND = 8
"""The maximum number of article lines, and of waiting messages, that a deep search returns."""
TALK_SEARCHED = 60_000
"""The number of characters of the newest waiting messages that a deep search looks through; this
takes about 40 ms."""


def fitting_lines(query: str, article: Article) -> list[str]:
    """Return the lines of the chapter Dynamic that share words with `query`, best first, at most
    MOST_FOUND.
    """
    lines = {line.dated_text: line.text for line in article.chapters["Dynamic"]}
    scores = keyword_scores(query, lines)
    return sorted(scores, key=lambda line: -scores[line])[:MOST_FOUND]


def waiting_talk(query: str, stores: ArticleStores, key: ArticleKey) -> list[Spoken]:
    """Return the messages that wait to be summarised and share words with `query`, best first, at
    most MOST_FOUND. Blocking; raises StorageError.

    Records are left out, because they are also stored as events.
    """
    said = [one.spoken for one in stores.buffer.read(key) if one.spoken.role != "record"][::-1]
    sizes = accumulate(len(one.text) for one in said)
    newest = {
        str(n): one
        for n, (one, size) in enumerate(zip(said, sizes, strict=True))
        if size <= TALK_SEARCHED
    }
    scores = keyword_scores(query, {name: one.text for name, one in newest.items()})
    return [newest[name] for name in sorted(scores, key=lambda name: -scores[name])[:MOST_FOUND]]


def keyword_scores(query: str, texts: Mapping[str, str]) -> dict[str, float]:
    """Return, by name, the sum of the weights of the words that a text shares with the query. Texts
    without such a word are left out.

    The weight of a word is log(1 + texts / holders): it is higher the fewer texts hold the word.
    """
    words = set(query_tokens(query))
    shared = {name: words.intersection(search_tokens(text)) for name, text in texts.items()}
    holders = Counter(word for some in shared.values() for word in some)
    return {
        name: sum(math.log1p(len(texts) / holders[word]) for word in some)
        for name, some in shared.items()
        if some
    }
