"""Articles as Markdown files, see `revisioned.py`.

    chapters/{id}.md      front matter {user_id, scope, revision, updated_at, sources}, then three tagged chapters

A file whose chapter tags were damaged by hand cannot be read: its newest readable earlier revision is used instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...schema.article import CHAPTER_NAMES
from ...schema.errors import InvalidInput
from ...schema.summary import ArticleKey, StoredArticle
from ...text.articles.markup import format_article, parse_article
from .compare_and_swap import RevisionedArticles
from .front_matter import number, one_line, scalar, split_front_matter, strings, with_front_matter
from .naming import ARTICLES
from .revisioned import RevisionedFiles


class ArticleFormat:
    """The `Format` of articles."""

    def key(self, document: StoredArticle) -> ArticleKey:
        return document.key

    def empty(self, key: ArticleKey) -> StoredArticle:
        return StoredArticle(key)

    def render(self, document: StoredArticle) -> str:
        fields = {
            "user_id": document.key.user_id,
            "scope": document.key.scope.key,
            "revision": document.revision,
            "updated_at": document.updated_at,
            "sources": list(document.sources),
        }
        return with_front_matter(fields, format_article(document.article))

    def parse(
        self, data: bytes, key: ArticleKey, revision: Callable[[], int], instead: StoredArticle | None = None
    ) -> StoredArticle:
        """See `Format.parse`. Raises InvalidInput as `parse_article`."""
        fields, body = split_front_matter(data.decode("utf-8", errors="replace"))
        return StoredArticle(
            key,
            parse_article(body) if instead is None else instead.article,
            number(fields.get("revision")) or revision(),
            scalar(fields.get("updated_at")),
            strings(fields.get("sources")),
        )

    def revised(self, document: StoredArticle, revision: int, now: str, cause: str | None = None) -> StoredArticle:
        sources = document.sources if cause is None else (cause,)
        return replace(document, revision=revision, updated_at=now, sources=tuple(map(one_line, sources)))

    def causes(self, document: StoredArticle) -> tuple[str, ...]:
        return document.sources

    def lines(self, data: bytes, key: ArticleKey) -> list[str]:
        try:
            article = self.parse(data, key, int).article
        except InvalidInput:
            _, body = split_front_matter(data.decode("utf-8", errors="replace"))
            tags = {tag for name in CHAPTER_NAMES for tag in (f"<{name}>", f"</{name}>")}
            return [line for line in body.splitlines() if line.strip() and line.strip() not in tags]
        return [line for name in CHAPTER_NAMES for line in article.lines(name)]

    def without(self, document: StoredArticle, unwanted: Callable[[str], bool]) -> StoredArticle:
        article = document.article
        left = {
            name: "\n".join(line for line in article.chapter(name).splitlines() if not unwanted(line)) for name in CHAPTER_NAMES
        }
        return replace(document, article=article.with_chapters(left))

    def same(self, one: StoredArticle, other: StoredArticle) -> bool:
        return one.article == other.article


ARTICLE_FORMAT = ArticleFormat()


class MarkdownArticles(RevisionedArticles, RevisionedFiles[ArticleKey, StoredArticle]):
    """The `ArticleStorage` in a folder."""

    _naming, _form = ARTICLES, ARTICLE_FORMAT

    def _remove(self, place: str) -> int:
        return min(1, super()._remove(place))  # articles are counted, not their files
