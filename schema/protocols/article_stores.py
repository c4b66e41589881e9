"""The store of articles, and the embeddings of their lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..article import Article
from ..entity import Entity
from ..summary import ArticleKey, Forgotten, StoredArticle
from .revisions import Revisions
from .summary_stores import StateBuffer, SummaryStorage
from .vectors import Vector


class ArticleStorage(Revisions[ArticleKey, StoredArticle], Protocol):
    """Articles with their revisions."""

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
        """Write `article` as revision `expected_revision + 1` and return it; None where the person is forgotten.

        Raises RevisionConflict where another revision is stored. Where all of `sources` were taken in before, nothing is
        written and the stored article is returned.
        """

    def taken_in(self, key: ArticleKey, sources: Sequence[str]) -> set[str]:
        """Those of `sources` that some revision has taken in, also where that revision is not kept any more."""


class LineVectors(Protocol):
    """Embeddings of the lines of Dynamic chapters, by the model that made them. Derived from the articles."""

    def read(self, key: ArticleKey, model: str) -> dict[str, Vector]:
        """The lines that are embedded."""

    def replace(self, key: ArticleKey, model: str, vectors: Mapping[str, Vector], *, forgotten: Forgotten) -> None:
        """Keep exactly these; where they are `forgotten` meanwhile, nothing is changed."""

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        """Remove the vectors of lines; returns how many."""

    def erase(self, entity: Entity) -> int: ...


@dataclass(frozen=True, slots=True)
class ArticleStores:
    """The stores of states that wait, summaries, articles, and the vectors of their lines."""

    buffer: StateBuffer
    summaries: SummaryStorage
    articles: ArticleStorage
    line_vectors: LineVectors

    def erase(self, entity: Entity) -> int:
        """Remove all that is kept of a user, or of a group; returns how many things. Bury the entity first."""
        return sum(store.erase(entity) for store in (self.buffer, self.summaries, self.articles, self.line_vectors))
