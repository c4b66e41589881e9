"""The formats of an article: JSON in the database, Markdown in files and archives.

{id}.md    front matter {user_id, scope, revision, updated_at, sources, lines}, then three headings
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...schema.errors import InvalidInput
from ...schema.profile import ProfileLine
from ...schema.summary import Article, ArticleKey, ChapterName
from ...text.articles import format_article, split_chapters, stored_lines
from ...text.profiles.lines import read_lines
from .front_matter import number, one_line, scalar, split_front_matter, strings, with_front_matter
from .naming import ARTICLES
from .profiles import merged_lines, noted_lines

log = logging.getLogger(__name__)


class ArticleFormat:
    """The `Format` of articles."""

    def key(self, document: Article) -> ArticleKey:
        return document.key

    def empty(self, key: ArticleKey) -> Article:
        return Article(key)

    def as_json(self, document: Article) -> dict[str, Any]:
        chapters = {name.lower(): told for name, told in chapters_as_json(document).items()}
        return {**chapters, "sources": list(document.sources)}

    def of_json(
        self, key: ArticleKey, revision: int, updated_at: str, stored: Mapping[str, Any]
    ) -> Article:
        article = Article(key, revision=revision, updated_at=updated_at)
        told = {name: stored_lines(stored[name.lower()]) for name in article.chapters}
        return replace(article.with_chapters(told), sources=tuple(stored["sources"]))

    def render(self, document: Article) -> str:
        fields = {
            **ARTICLES.fields(document.key),
            "revision": document.revision,
            "updated_at": document.updated_at,
            "sources": list(document.sources),
            "lines": chapters_as_json(document),
        }
        return with_front_matter(fields, format_article(document))

    def parse(self, data: bytes, key: ArticleKey, revision: Callable[[], int]) -> Article:
        """See `Format.parse`. Raises InvalidInput like `split_chapters`."""
        fields, body = split_front_matter(data.decode("utf-8", errors="replace"))
        noted = fields.get("lines")
        known = noted if isinstance(noted, dict) else {}
        article = Article(
            key,
            revision=number(fields.get("revision")) or revision(),
            updated_at=scalar(fields.get("updated_at")),
            sources=strings(fields.get("sources")),
        )
        lines = {name: noted_lines(known.get(name)) for name in article.chapters}
        return article.with_chapters(_read(body, lines))

    def edited(
        self,
        data: bytes,
        current: Article,
        kept: Callable[[int], Article | None],
        day: str,
    ) -> Article | None:
        """See `Format.edited`. Lines that were not edited are taken from `current`.

        If the revision of the file is no longer stored, the lines that its front matter notes tell
        which ones were edited.
        """
        fields, body = split_front_matter(data.decode("utf-8", errors="replace"))
        base, noted = kept(number(fields.get("revision"))), fields.get("lines")
        if base is None and isinstance(noted, dict):
            base = current.with_chapters(
                {name: noted_lines(noted.get(name)) for name in current.chapters}
            )
        before, now = (base or current).chapters, current.chapters
        try:
            found = _read(body, before)
        except InvalidInput as error:
            log.warning("the file of the article about %s cannot be read: %s", current.key, error)
            return None
        return current.with_chapters(
            {name: merged_lines(before[name], lines, now[name]) for name, lines in found.items()}
        )

    def revised(
        self, document: Article, revision: int, now: str, cause: str | None = None
    ) -> Article:
        sources = document.sources if cause is None else (cause,)
        return replace(
            document, revision=revision, updated_at=now, sources=tuple(map(one_line, sources))
        )

    def causes(self, document: Article) -> tuple[str, ...]:
        return document.sources

    def lines(self, document: Article) -> list[str]:
        return [line.dated_text for lines in document.chapters.values() for line in lines]

    def without(self, document: Article, unwanted: Callable[[str], bool]) -> Article:
        return document.with_chapters(
            {
                name: [line for line in lines if not unwanted(line.dated_text)]
                for name, lines in document.chapters.items()
            }
        )

    def same(self, one: Article, other: Article) -> bool:
        return format_article(one) == format_article(other)


def _read(
    body: str, known: Mapping[ChapterName, Sequence[ProfileLine]]
) -> dict[ChapterName, tuple[ProfileLine, ...]]:
    """Return the lines of the text of a file. Unchanged lines are taken from `known`."""
    return {
        name: read_lines(text, known[name], whole=True)
        for name, text in split_chapters(body).items()
    }


def chapters_as_json(article: Article) -> dict[ChapterName, list[dict[str, Any]]]:
    """Return the lines by chapter as JSON data; `stored_lines` reads them."""
    return {name: [line.as_json() for line in lines] for name, lines in article.chapters.items()}


ARTICLE_FORMAT = ArticleFormat()
