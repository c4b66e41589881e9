"""Articles with revisions, as documents, and the stores that articles are made from."""

from __future__ import annotations

from dataclasses import dataclass

from ...schema.entity import Entity
from ...schema.summary import Article, ArticleKey, Forgotten
from ..files.articles import ARTICLE_FORMAT
from ..files.naming import ARTICLES
from .documents import DocumentTable
from .state_buffer import StateBuffer
from .summaries import SummaryStorage


class ArticleStorage(DocumentTable[ArticleKey, Article]):
    """The articles in one database."""

    kind = "article"
    naming, form = ARTICLES, ARTICLE_FORMAT

    def write(
        self, article: Article, *, expected_revision: int, now: str, forgotten: Forgotten
    ) -> Article | None:
        """Write `article` as revision `expected_revision + 1` and return it; None if the person is
        forgotten.

        Raises RevisionConflict if another revision is stored. If all its `sources` were applied
        before, nothing is written and the stored article is returned.

        Raises StorageError.
        """
        return self._put(
            article.key,
            article,
            article.sources,
            expected_revision=expected_revision,
            now=now,
            forgotten=forgotten,
        )


@dataclass(frozen=True, slots=True)
class ArticleStores:
    """The stores of buffered states, summaries and articles."""

    buffer: StateBuffer
    summaries: SummaryStorage
    articles: ArticleStorage

    def erase(self, entity: Entity) -> int:
        """Remove all data of a user or a group. Return the number of items.

        The tombstone of the entity must be added before.
        """
        return sum(store.erase(entity) for store in (self.buffer, self.summaries, self.articles))
