"""The stores of states that wait to be summarised, and of summaries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from ..article import Spoken
from ..entity import Entity
from ..summary import ArticleKey, BufferedState, Forgotten, Restored, Summary


class StateBuffer(Protocol):
    """States that wait for the threshold, in the order in which they came."""

    def add(
        self, key: ArticleKey, job_id: str, states: Sequence[tuple[str, Spoken]], *, entities: Collection[str], at: float
    ) -> bool:
        """Keep the states (entry id, state) of a job, at once. False, and nothing changed, where that job's were taken
        before, or where it is forgotten (`entities` and `at` as `EventStore.is_forgotten` takes them)."""

    def was_taken(self, job_id: str) -> bool: ...

    def tokens(self, key: ArticleKey) -> int: ...

    def oldest(self, key: ArticleKey, tokens: int) -> list[BufferedState]:
        """The oldest states that together have at least so many tokens, or all."""

    def through(self, key: ArticleKey, entry_id: str) -> list[BufferedState]:
        """The states up to and including one; empty where that one does not wait any more."""

    def release(self, key: ArticleKey, entry_id: str) -> int:
        """Let the states up to and including one go; returns how many. 0 where it does not wait any more."""

    def remove(self, entry_ids: Collection[str]) -> int:
        """Take states out for good, wherever they wait; returns how many."""

    def restore(self, key: ArticleKey, states: Sequence[BufferedState]) -> list[Restored]:
        """Bring states back, oldest first. Those of a job whose states were taken before do not come again ("same")."""

    def keys(self) -> list[ArticleKey]: ...

    def erase(self, entity: Entity) -> int:
        """Remove all states of a user in every conversation, or of a group; returns how many."""


class SummaryStorage(Protocol):
    """Summaries, the promoted ones among them, oldest first."""

    def read(self, key: ArticleKey) -> list[Summary]: ...

    def add(self, summary: Summary, *, forgotten: Forgotten) -> bool:
        """Keep a summary; False, and nothing changed, where its id is there already or the person is forgotten."""

    def mark_promoted(self, key: ArticleKey, ids: Collection[str], *, at: str, into: int) -> int:
        """Note that summaries are part of the article; returns how many were not before."""

    def restore(self, key: ArticleKey, summaries: Sequence[Summary]) -> list[Restored]:
        """Bring summaries back by their ids, each to its place in time."""

    def keys(self) -> list[ArticleKey]: ...

    def erase(self, entity: Entity) -> int:
        """Remove all summaries of a user in every conversation, or of a group; returns how many."""

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        """Take lines out of summaries for good, and summaries of which nothing is left; returns how many lines that were."""

    def sweep(self) -> int:
        """Remove what writers that were killed left half-written. For the owner, at start."""
