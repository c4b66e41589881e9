"""The assistant's article about a person in three chapters, and the dated summaries from which it
is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from typing_extensions import TypedDict

from .errors import InvalidInput
from .ids import validate_id
from .profile import ProfileLine
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
class Article:
    """The assistant's view of a person: lines in the first person of the assistant, one statement
    each, in three chapters.

    `Bedrock`: facts and boundaries that hardly change; `Evolutionary`: goals, habits, shared
    language; `Dynamic`: current projects and moods, each line with its day in front, newest last.
    The `evidence` of a line are the ids of summaries, which are ids of events, or of the job of a
    reflection. `revision` counts from 1 (0: not written yet). `sources` are the origins of this revision: ids
    of summaries, the job of a reflection, `rollback:{revision}`, or `forget` if lines were removed.
    """

    key: ArticleKey
    chapters: Mapping[ChapterName, tuple[ProfileLine, ...]] = field(
        default_factory=lambda: dict.fromkeys(CHAPTER_NAMES, ())
    )
    revision: int = 0
    updated_at: str = ""
    sources: tuple[str, ...] = ()

    def with_chapters(self, chapters: Mapping[ChapterName, Iterable[ProfileLine]]) -> Article:
        """Return the article with the lines of these chapters replaced."""
        changed = {name: tuple(lines) for name, lines in chapters.items()}
        return replace(self, chapters={**self.chapters, **changed})


def job_of_entry(entry_id: str) -> str:
    """Return the job id of a state. An entry id is `{job id}:{number}`, and a job id contains no
    colon.
    """
    return entry_id.rpartition(":")[0]
