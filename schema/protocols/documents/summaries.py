"""The stores of buffered states and of summaries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from ...entity import Entity
from ...summary import ArticleKey, BufferedState, Forgotten, Restored, Spoken, Summary


class StateBuffer(Protocol):
    """Conversation states to be summarised at the token threshold, in order of arrival."""

    def add(
        self, key: ArticleKey, job_id: str, states: Sequence[tuple[str, Spoken]], *, entities: Collection[str], at: float
    ) -> bool:
        """Store the states (entry id, state) of a job atomically.

        Return False and change nothing if the states of the job were added before, or the job is forgotten (`entities` and
        `at` as for `EventStore.is_forgotten`).
        """

    def was_taken(self, job_id: str) -> bool: ...

    def tokens(self, key: ArticleKey) -> int: ...

    def fill(self, key: ArticleKey) -> tuple[int, int]:
        """Return the tokens of what was said, and those of records: events of filed jobs."""

    def read(self, key: ArticleKey) -> list[BufferedState]:
        """Return all states of a key, oldest first."""

    def oldest(self, key: ArticleKey, tokens: int) -> list[BufferedState]:
        """Return the oldest states that together have at least `tokens` tokens, or all."""

    def through(self, key: ArticleKey, entry_id: str) -> list[BufferedState]:
        """Return the states up to and including `entry_id`; empty if that state is not buffered any more."""

    def release(self, key: ArticleKey, entry_id: str) -> int:
        """Remove the states up to and including `entry_id`. Return how many; 0 if that state is not buffered any more."""

    def remove(self, entry_ids: Collection[str]) -> int:
        """Permanently remove states of any key. Return how many."""

    def restore(self, states: Sequence[BufferedState]) -> list[Restored]:
        """Store states of an archive, oldest first. States of a job that was added before are skipped ("same")."""

    def keys(self) -> list[ArticleKey]: ...

    def erase(self, entity: Entity) -> int:
        """Remove all states of a user in every conversation, or of a group. Return how many."""


class SummaryStorage(Protocol):
    """Summaries, also those that have left short-term memory, oldest first."""

    def read(self, key: ArticleKey) -> list[Summary]: ...

    def add(self, summary: Summary, *, forgotten: Forgotten) -> bool:
        """Store a summary. Return False and change nothing if its id is stored already or the person is forgotten."""

    def mark_promoted(self, key: ArticleKey, ids: Collection[str], *, at: str, into: int | None) -> int:
        """Take summaries out of short-term memory, `into` a revision of the article or (None) none. Return how many left."""

    def restore(self, summaries: Sequence[Summary]) -> list[Restored]:
        """Store summaries of an archive that are missing, ordered by time."""

    def keys(self) -> list[ArticleKey]: ...

    def erase(self, entity: Entity) -> int:
        """Remove all summaries of a user in every conversation, or of a group. Return how many."""

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        """Permanently remove lines from summaries, and summaries without any line left. Return the number of lines."""
