"""The store of articles, and the embeddings of their lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...article import Article
from ...entity import Entity
from ...summary import ArticleKey, Forgotten, StoredArticle
from ..vectors import Vector
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


class LineVectors(Protocol):
    """Embeddings of the lines of Dynamic chapters, by embedding model. Derived from the articles."""

    def read(self, key: ArticleKey, model: str) -> dict[str, Vector]:
        """Return the embedded lines with their vectors."""

    def replace(self, key: ArticleKey, model: str, vectors: Mapping[str, Vector], *, forgotten: Forgotten) -> None:
        """Replace all vectors of a key; nothing changes if `forgotten()` returns True."""

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        """Remove the vectors of unwanted lines. Return how many."""

    def erase(self, entity: Entity) -> int: ...


@dataclass(frozen=True, slots=True)
class ArticleStores:
    """The stores of buffered states, summaries, articles, and the vectors of article lines."""

    buffer: StateBuffer
    summaries: SummaryStorage
    articles: ArticleStorage
    line_vectors: LineVectors

    def erase(self, entity: Entity) -> int:
        """Remove everything of a user or a group. Return the number of items. Add the tombstone of the entity first."""
        return sum(store.erase(entity) for store in (self.buffer, self.summaries, self.articles, self.line_vectors))
