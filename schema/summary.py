"""The assistant's article about a person in three chapters, and the dated summaries from which it
is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from typing_extensions import TypedDict

from .errors import InvalidInput
from .ids import validate_id
from .scope import Scope

ChapterName = Literal["Bedrock", "Evolutionary", "Dynamic"]
CHAPTER_NAMES: Final[tuple[ChapterName, ...]] = ("Bedrock", "Evolutionary", "Dynamic")

SpokenRole = Literal["user", "assistant", "tool", "record"]
ROLES: Final[dict[str, SpokenRole]] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "record": "record",
}
"""The roles by their stored names."""
WrittenBy = Literal["model", "rules"]
ChapterBounds = Mapping[ChapterName, int]
"""The maximum number of tokens of each chapter, as `estimate_tokens` counts them."""


@dataclass(frozen=True, slots=True)
class Article:
    """Markdown bullet lines, one statement per line, in the first person of the assistant, written
    by a model.

    `bedrock`: facts and boundaries that hardly change; `evolutionary`: goals, habits, shared
    language; `dynamic`: current projects and moods, dated, newest last.
    """

    bedrock: str = ""
    evolutionary: str = ""
    dynamic: str = ""

    def chapter(self, name: ChapterName) -> str:
        """Return the text of one chapter."""
        text: str = getattr(self, name.lower())
        return text

    def lines(self, name: ChapterName) -> tuple[str, ...]:
        """Return the non-blank lines of one chapter, unchanged."""
        return tuple(line for line in self.chapter(name).splitlines() if line.strip())

    def with_chapters(self, chapters: Mapping[ChapterName, str]) -> Article:
        """Return the article with these chapters replaced and stripped."""
        return replace(self, **{name.lower(): text.strip() for name, text in chapters.items()})

    @property
    def empty(self) -> bool:
        """True if all chapters are blank."""
        return not any(self.chapter(name).strip() for name in CHAPTER_NAMES)


@dataclass(frozen=True, slots=True)
class Spoken:
    """One buffered state of a conversation.

    The `role` "record" is for an absolute event that is already in the event store. `at` is ISO
    8601, empty if unknown.
    """

    role: SpokenRole
    text: str
    name: str = ""
    at: str = ""


class SummaryDraft(TypedDict):
    """A summary of buffered states. `is_absolute` is False for messages in their original words."""

    text: str
    written_by: WrittenBy
    is_absolute: bool


_GROUP = "g:"

Restored = Literal["restored", "same", "different"]
"""The result of restoring an item: it was missing and is restored, it exists with the same content,
or it exists with different content, which is not changed."""

Forgotten = Callable[[], bool]
"""Returns True if the person was forgotten meanwhile; then nothing is written."""


@dataclass(frozen=True, slots=True)
class ArticleKey:
    """The key of an article: a user, and the scope (their private chat or one group) where it was
    learnt and may be read.
    """

    user_id: str
    group_id: str = ""

    def __post_init__(self) -> None:
        validate_id(self.user_id, "user_id")
        if self.group_id:
            validate_id(self.group_id, "group_id")

    @classmethod
    def of(cls, user_id: str, scope: Scope | None = None) -> ArticleKey:
        """Return the key of a user in a scope, by default their private chat. Raises InvalidInput
        for the private chat of another user.
        """
        if scope is None:
            return cls(user_id)
        if scope.request_type == "private" and scope.user_id != user_id:
            raise InvalidInput(
                f"scope: the private chat with {scope.user_id!r} cannot hold memory about "
                f"{user_id!r}; pass the private chat with that user, or a group"
            )
        return cls(user_id, scope.group_id)

    @classmethod
    def parse(cls, user_id: object, scope_key: object) -> ArticleKey | None:
        """Return the key from stored values, or None if they are invalid. `scope_key` is
        `Scope.key`; any value that is not a group means the private chat.
        """
        if not isinstance(user_id, str) or not isinstance(scope_key, str):
            return None
        try:
            return cls(
                user_id, scope_key.removeprefix(_GROUP) if scope_key.startswith(_GROUP) else ""
            )
        except InvalidInput:
            return None

    @property
    def scope(self) -> Scope:
        return (
            Scope.group(self.group_id, self.user_id)
            if self.group_id
            else Scope.private(self.user_id)
        )

    @property
    def entities(self) -> list[str]:
        """The entities (`user:42`); the article is erased with each of them."""
        return [f"user:{self.user_id}", *([f"group:{self.group_id}"] if self.group_id else [])]

    def __str__(self) -> str:
        return f"{self.user_id}@{self.scope.key}" if self.group_id else self.user_id


def summaries_waiting(said: int, recorded: int, threshold: int, record_threshold: int) -> float:
    """Return the number of summaries that this many buffered tokens make. Records are already
    condensed, so fewer of their tokens make a summary.
    """
    return said / threshold + recorded / min(threshold, record_threshold)


@dataclass(frozen=True, slots=True)
class BufferedState:
    """One state that waits to be summarised. `tokens` is as counted by `estimate_tokens`."""

    key: ArticleKey
    entry_id: str
    spoken: Spoken
    tokens: int


def oldest_of(states: Iterable[BufferedState], tokens: int) -> list[BufferedState]:
    """Return the first states that together have at least `tokens` tokens, or all of them; at least
    one if there is one.
    """
    taken: list[BufferedState] = []
    total = 0
    for state in states:
        if taken and total >= tokens:
            break
        taken.append(state)
        total += state.tokens
    return taken


def up_to(states: Sequence[BufferedState], entry_id: str) -> list[BufferedState]:
    """Return the states up to and including the one with this id; none if it is not among them."""
    place = next((n for n, state in enumerate(states, 1) if state.entry_id == entry_id), 0)
    return list(states[:place])


@dataclass(frozen=True, slots=True)
class Summary:
    """A dated summary. `since` and `until` are the times of its first and last state, ISO 8601, as
    is `created_at`.

    `through` is the id of the last state that it covers. A state belongs to one summary, so this
    also identifies the summary. `promoted_at` is the time at which it left short-term memory (None:
    it has not left it), `promoted_into` the revision of the article that contains it (None: none
    does).
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
    """A stored article.

    `revision` counts from 1 (0: not written yet). `sources` are the origins of this revision: ids
    of summaries, the job of a reflection, `rollback:{revision}`, or `forget` if lines were removed.
    """

    key: ArticleKey
    article: Article = field(default_factory=Article)
    revision: int = 0
    updated_at: str = ""
    sources: tuple[str, ...] = ()


def job_of_entry(entry_id: str) -> str:
    """Return the job id of a state. An entry id is `{job id}:{number}`, and a job id contains no
    colon.
    """
    return entry_id.rpartition(":")[0]
