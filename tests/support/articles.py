"""Articles as the Markdown of their three chapters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from historian.schema.summary import Article, ArticleKey
from historian.stores.tables.articles import ArticleStorage
from historian.text.profiles.lines import read_lines


@dataclass(frozen=True)
class Chapters:
    """The Markdown of the chapters of an article."""

    bedrock: str = ""
    evolutionary: str = ""
    dynamic: str = ""

    def with_chapters(self, chapters: Mapping[str, str]) -> Chapters:
        return replace(self, **{name.lower(): text for name, text in chapters.items()})

    def article(
        self,
        key: ArticleKey,
        revision: int = 0,
        updated_at: str = "",
        sources: Sequence[str] = (),
    ) -> Article:
        """The article with these lines, which rest on nothing."""
        article = Article(key, revision=revision, updated_at=updated_at, sources=tuple(sources))
        return article.with_chapters(
            {name: read_lines(getattr(self, name.lower())) for name in article.chapters}
        )


def chapters_of(article: Article | None) -> Chapters:
    """The chapters of an article that is there."""
    assert article is not None
    return Chapters(
        *(
            "\n".join(f"- {line.dated_text}" for line in lines)
            for lines in article.chapters.values()
        )
    )


def put_article(
    store: ArticleStorage,
    key: ArticleKey,
    chapters: Chapters,
    *,
    expected_revision: int,
    sources: Sequence[str],
    now: str,
    forgotten: Callable[[], bool],
) -> Article | None:
    """Write an article with these chapters as the next revision."""
    article = chapters.article(key, sources=sources)
    return store.write(article, expected_revision=expected_revision, now=now, forgotten=forgotten)
