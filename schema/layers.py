"""What the two layers keep of a person in one conversation: buffered states, dated summaries, an article; and their stores.

Stores are synchronous and safe to call from several threads. What is written for a person asks `forgotten` under the
lock that `delete` takes: who forgets somebody buries them first (`EventStore.forget`) and deletes afterwards, and nothing
that was in flight comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from .article import Article, Spoken, WrittenBy
from .errors import InvalidInput
from .ids import validate_id
from .protocols import Vector
from .scope import Scope

Restored = Literal["restored", "same", "different"]
"""What bringing something back has done: it was not there, is there as it is, or is there with other content, which stays."""

Forgotten = Callable[[], bool]
"""Whether the person was forgotten meanwhile; then nothing is written."""


@dataclass(frozen=True, slots=True)
class ArticleKey:
    """Whose memory, and where it was learnt and may be read: in the private chat with that user, or in one group."""

    user_id: str
    group_id: str = ""

    def __post_init__(self) -> None:
        validate_id(self.user_id, "user_id")
        if self.group_id:
            validate_id(self.group_id, "group_id")

    @classmethod
    def of(cls, user_id: str, scope: Scope | None = None) -> ArticleKey:
        """The key of a user in a scope, by default the private chat. Raises InvalidInput for somebody else's private chat."""
        if scope is None:
            return cls(user_id)
        if scope.request_type == "private" and scope.user_id != user_id:
            raise InvalidInput(
                f"scope: the private chat with {scope.user_id!r} keeps no memory of {user_id!r}; "
                "pass the private chat with that very user, or a group"
            )
        return cls(user_id, scope.group_id)

    @property
    def scope(self) -> Scope:
        return Scope.group(self.group_id, self.user_id) if self.group_id else Scope.private(self.user_id)

    def __str__(self) -> str:
        return f"{self.user_id}@{self.scope.key}" if self.group_id else self.user_id


@dataclass(frozen=True, slots=True)
class BufferedState:
    """One state that waits to be summarised. `tokens` as `estimate_tokens` counts them."""

    entry_id: str
    spoken: Spoken
    tokens: int


@dataclass(frozen=True, slots=True)
class Summary:
    """A dated summary. `since` and `until` are the times of its first and last state, ISO 8601, as is `created_at`.

    `through` is the id of the last state that it covers: a state is part of one summary, so that this names it too.
    `promoted_at` and `promoted_into` (a revision of the article) are None as long as it is short-term memory.
    """

    id: str
    key: ArticleKey
    text: str
    since: str
    until: str
    created_at: str
    tokens: int
    written_by: WrittenBy
    is_absolute: bool
    gate_reasons: tuple[str, ...] = ()
    through: str = ""
    promoted_at: str | None = None
    promoted_into: int | None = None

    @property
    def is_short_term(self) -> bool:
        return self.promoted_at is None


@dataclass(frozen=True, slots=True)
class StoredArticle:
    """An article as it is kept. `revision` counts from 1 (0: not written yet); `sources` say what this revision took in:
    ids of summaries, the job of a reflection, `rollback:{revision}`, or `forget` where lines were taken out for good."""

    key: ArticleKey
    article: Article = field(default_factory=Article)
    revision: int = 0
    updated_at: str = ""
    sources: tuple[str, ...] = ()


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

    def delete(self, user_id: str) -> int:
        """Remove all states of a user in every conversation; returns how many."""

    def delete_scope(self, scope: Scope) -> int: ...


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

    def delete(self, user_id: str) -> int:
        """Remove all summaries of a user in every conversation; returns how many."""

    def delete_scope(self, scope: Scope) -> int: ...

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        """Take lines out of summaries for good, and summaries of which nothing is left; returns how many lines that were."""

    def sweep(self) -> int:
        """Remove what writers that were killed left half-written. For the owner, at start."""


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
