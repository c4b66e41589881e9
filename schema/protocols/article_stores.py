"""The store of articles, and the embeddings of their lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..article import Article
from ..scope import Scope
from ..summary import ArticleKey, Forgotten, Restored, StoredArticle
from .summary_stores import StateBuffer, SummaryStorage
from .vectors import Vector


class ArticleStorage(Protocol):
    """Articles with their revisions. Writers compare and swap."""

    def read(self, key: ArticleKey) -> StoredArticle | None: ...

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

    def history(self, key: ArticleKey) -> list[StoredArticle]:
        """The kept earlier revisions, newest first."""

    def rollback(self, key: ArticleKey, revision: int, *, now: str, job_id: str = "") -> StoredArticle:
        """Write an earlier revision's chapters as a new one; the same `job_id` again changes nothing.

        Raises InvalidInput, naming the revisions that are kept, where that one is not.
        """

    def kept(self, key: ArticleKey) -> list[StoredArticle]:
        """The current article and every earlier revision that can be read, newest first."""

    def lines(self, key: ArticleKey) -> list[str]:
        """The lines of all that is kept, readable as an article or not."""

    def restore(self, revisions: Sequence[StoredArticle]) -> Restored:
        """Bring an article back with its history, oldest first and by the revisions' own numbers, where there is none."""

    def keys(self) -> list[ArticleKey]: ...

    def delete(self, user_id: str) -> int:
        """Remove the articles of a user in every conversation, with their histories; returns how many."""

    def delete_scope(self, scope: Scope) -> int: ...

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool], *, now: str) -> int:
        """Take lines out of an article for good: a new revision without them, and no earlier one that holds any.

        Returns how many lines that were.
        """

    def sweep(self) -> int:
        """As `SummaryStorage.sweep`."""


class LineVectors(Protocol):
    """Embeddings of the lines of Dynamic chapters, by the model that made them. Derived from the articles."""

    def read(self, key: ArticleKey, model: str) -> dict[str, Vector]:
        """The lines that are embedded."""

    def replace(self, key: ArticleKey, model: str, vectors: Mapping[str, Vector], *, forgotten: Forgotten) -> None:
        """Keep exactly these; where they are `forgotten` meanwhile, nothing is changed."""

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        """Remove the vectors of lines; returns how many."""

    def delete(self, user_id: str) -> int: ...

    def delete_scope(self, scope: Scope) -> int: ...


@dataclass(frozen=True, slots=True)
class Layers:
    """The stores of the two layers."""

    buffer: StateBuffer
    summaries: SummaryStorage
    articles: ArticleStorage
    line_vectors: LineVectors

    def delete(self, user_id: str) -> int:
        """Remove all that is kept of a user; returns how many things. Bury the user first, see above."""
        return sum(store.delete(user_id) for store in (self.buffer, self.summaries, self.articles, self.line_vectors))

    def delete_scope(self, scope: Scope) -> int:
        """Remove all that one conversation has left, of every person in it."""
        return sum(store.delete_scope(scope) for store in (self.buffer, self.summaries, self.articles, self.line_vectors))
