"""The list of the people about whom an article, summaries, or messages for a summary are stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # commands import this module at their start
    from ...schema.summary import Article, ArticleKey, Summary
    from ...stores.tables.articles import ArticleStores


class Told(NamedTuple):
    """The stored data about a person in one conversation: article, summaries, and the number of
    tokens that wait to be summarised."""

    key: ArticleKey
    article: Article | None
    summaries: Sequence[Summary]
    waiting: int


def listed_articles(
    stores: ArticleStores, is_wanted: Callable[[ArticleKey], bool] = lambda _: True
) -> list[Told]:
    """Return one entry per person and conversation, of those that `is_wanted` accepts. Blocking."""
    keys = {*stores.articles.keys(), *stores.summaries.keys(), *stores.buffer.keys()}
    wanted = sorted(filter(is_wanted, keys), key=str)
    return [
        Told(key, stores.articles.read(key), stores.summaries.read(key), stores.buffer.tokens(key))
        for key in wanted
    ]


def listed_data(one: Told) -> dict[str, Any]:
    """Return an entry of the list as JSON data."""
    return {
        "user_id": one.key.user_id,
        "scope": one.key.scope.key,
        "revision": 0 if one.article is None else one.article.revision,
        "updated_at": "" if one.article is None else one.article.updated_at,
        "summaries": len(one.summaries),
        "waiting_tokens": one.waiting,
    }
