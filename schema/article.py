"""The assistant's article about a person in three chapters, the states of a conversation, and drafts of their summaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from typing_extensions import TypedDict

ChapterName = Literal["Bedrock", "Evolutionary", "Dynamic"]
CHAPTER_NAMES: Final[tuple[ChapterName, ...]] = ("Bedrock", "Evolutionary", "Dynamic")

SpokenRole = Literal["user", "assistant", "tool", "record"]
ROLES: Final[dict[str, SpokenRole]] = {"user": "user", "assistant": "assistant", "tool": "tool", "record": "record"}
"""The roles by their names, as stored."""
WrittenBy = Literal["model", "rules"]
ChapterBounds = Mapping[ChapterName, int]
"""The maximum tokens of each chapter, as `estimate_tokens` counts them."""


@dataclass(frozen=True, slots=True)
class Article:
    """Markdown bullet lines, one statement per line, in the first person of the assistant, written by a model.

    `bedrock`: facts and boundaries that hardly change; `evolutionary`: goals, habits, shared language; `dynamic`: current
    projects and moods, dated, newest last.
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

    `role` "record" is an absolute event that is already in the event store; `at` is ISO 8601, empty if unknown.
    """

    role: SpokenRole
    text: str
    name: str = ""
    at: str = ""


class SummaryDraft(TypedDict):
    """A summary of buffered states. `is_absolute` is False for talk in the words in which it was said."""

    text: str
    written_by: WrittenBy
    is_absolute: bool
