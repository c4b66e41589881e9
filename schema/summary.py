"""What the two layers keep of a person in one conversation: buffered states, dated summaries, an article; and their stores.

Stores are synchronous and safe to call from several threads. What is written for a person asks `forgotten` under the
lock that `delete` takes: who forgets somebody buries them first (`EventStore.forget`) and deletes afterwards, and nothing
that was in flight comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from .article import Article, Spoken, WrittenBy
from .errors import InvalidInput
from .ids import validate_id
from .scope import Scope

_GROUP = "g:"

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

    @classmethod
    def parse(cls, user_id: object, scope_key: object) -> ArticleKey | None:
        """Return the key that stored values name (`Scope.key`; anything but a group is the private chat), or None."""
        if not isinstance(user_id, str) or not isinstance(scope_key, str):
            return None
        try:
            return cls(user_id, scope_key.removeprefix(_GROUP) if scope_key.startswith(_GROUP) else "")
        except InvalidInput:
            return None

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
