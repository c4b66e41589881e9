"""The stores of what the assistant keeps of people: states, summaries, articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...entity import Entity
from ...summary import Article, ArticleKey, Forgotten, StoredArticle
from .revisions import Revisions
from .summaries import StateBuffer, SummaryStorage


class ArticleStorage(Revisions[ArticleKey, StoredArticle], Protocol):
    """Articles and their revisions."""

    def write(
        self,
        key: ArticleKey,
        article: Article,
        *,
        expected_revision: int,
        sources: Sequence[str],
        now: str,
        forgotten: Forgotten,
    ) -> StoredArticle | None:
        """Write `article` as revision `expected_revision + 1` and return it; None if the person is forgotten.

        Raises RevisionConflict if another revision is stored. If all `sources` were applied before, nothing is written
        and the stored article is returned.
        """


@dataclass(frozen=True, slots=True)
class ArticleStores:
    """The stores of buffered states, summaries and articles."""

    buffer: StateBuffer
    summaries: SummaryStorage
    articles: ArticleStorage

    def erase(self, entity: Entity) -> int:
        """Remove everything of a user or a group. Return the number of items. Add the tombstone of the entity first."""
        return sum(store.erase(entity) for store in (self.buffer, self.summaries, self.articles))
