"""The formats of an article: JSON in the database, Markdown in files and archives.

{id}.md    front matter {user_id, scope, revision, updated_at, sources}, then three chapters
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from ...schema.errors import InvalidInput
from ...schema.summary import CHAPTER_NAMES, Article, ArticleKey, StoredArticle
from ...text.articles import format_article, parse_article
from .front_matter import number, one_line, scalar, split_front_matter, strings, with_front_matter
from .naming import ARTICLES

log = logging.getLogger(__name__)


class ArticleFormat:
    """The `Format` of articles."""

    def key(self, document: StoredArticle) -> ArticleKey:
        return document.key

    def empty(self, key: ArticleKey) -> StoredArticle:
        return StoredArticle(key)

    def as_json(self, document: StoredArticle) -> dict[str, Any]:
        return {**asdict(document.article), "sources": list(document.sources)}

    def of_json(
        self, key: ArticleKey, revision: int, updated_at: str, stored: Mapping[str, Any]
    ) -> StoredArticle:
        article = Article(stored["bedrock"], stored["evolutionary"], stored["dynamic"])
        return StoredArticle(key, article, revision, updated_at, tuple(stored["sources"]))

    def render(self, document: StoredArticle) -> str:
        fields = {
            **ARTICLES.fields(document.key),
            "revision": document.revision,
            "updated_at": document.updated_at,
            "sources": list(document.sources),
        }
        return with_front_matter(fields, format_article(document.article))

    def parse(self, data: bytes, key: ArticleKey, revision: Callable[[], int]) -> StoredArticle:
        """See `Format.parse`. Raises InvalidInput like `parse_article`."""
        fields, body = split_front_matter(data.decode("utf-8", errors="replace"))
        return StoredArticle(
            key,
            parse_article(body),
            number(fields.get("revision")) or revision(),
            scalar(fields.get("updated_at")),
            strings(fields.get("sources")),
        )

    def edited(
        self,
        data: bytes,
        current: StoredArticle,
        kept: Callable[[int], StoredArticle | None],
        day: str,
    ) -> StoredArticle | None:
        """See `Format.edited`.

        If a later revision also changed the article, the edit by hand is used; the other change
        remains in the history.
        """
        try:
            found = self.parse(data, current.key, int)
        except InvalidInput as error:
            log.warning("the file of the article about %s cannot be read: %s", current.key, error)
            return None
        base = kept(found.revision)
        return (
            current
            if base is not None and base.article == found.article
            else replace(current, article=found.article)
        )

    def revised(
        self, document: StoredArticle, revision: int, now: str, cause: str | None = None
    ) -> StoredArticle:
        sources = document.sources if cause is None else (cause,)
        return replace(
            document, revision=revision, updated_at=now, sources=tuple(map(one_line, sources))
        )

    def causes(self, document: StoredArticle) -> tuple[str, ...]:
        return document.sources

    def lines(self, document: StoredArticle) -> list[str]:
        return [line for name in CHAPTER_NAMES for line in document.article.lines(name)]

    def without(self, document: StoredArticle, unwanted: Callable[[str], bool]) -> StoredArticle:
        article = document.article
        left = {
            name: "\n".join(
                line for line in article.chapter(name).splitlines() if not unwanted(line)
            )
            for name in CHAPTER_NAMES
        }
        return replace(document, article=article.with_chapters(left))

    def same(self, one: StoredArticle, other: StoredArticle) -> bool:
        return one.article == other.article


ARTICLE_FORMAT = ArticleFormat()
