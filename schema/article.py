"""The assistant's article about a person: three chapters of different speed, and what the steps that rewrite it pass on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

ChapterName = Literal["Bedrock", "Evolutionary", "Dynamic"]
CHAPTER_NAMES: Final[tuple[ChapterName, ...]] = ("Bedrock", "Evolutionary", "Dynamic")

SpokenRole = Literal["user", "assistant", "tool", "record"]
WrittenBy = Literal["model", "rules"]


@dataclass(frozen=True, slots=True)
class Article:
    """Markdown bullet lines, one statement a line, in the first person of the assistant.

    `bedrock`: facts and boundaries that hardly change; `evolutionary`: goals, habits, shared language; `dynamic`: current
    projects and moods, dated, newest last.
    """

    bedrock: str = ""
    evolutionary: str = ""
    dynamic: str = ""

    def chapter(self, name: ChapterName) -> str:
        """The text of one chapter."""
        if name == "Bedrock":
            return self.bedrock
        return self.evolutionary if name == "Evolutionary" else self.dynamic

    def lines(self, name: ChapterName) -> tuple[str, ...]:
        """The lines of one chapter that hold anything, as they stand."""
        return tuple(line for line in self.chapter(name).splitlines() if line.strip())

    def with_chapters(self, chapters: Mapping[ChapterName, str]) -> Article:
        """The article with these chapters replaced, white space at their ends removed."""
        given = {name.lower(): text.strip() for name, text in chapters.items()}
        return replace(self, **given)

    @property
    def empty(self) -> bool:
        """Whether no chapter holds anything."""
        return not any(self.chapter(name).strip() for name in CHAPTER_NAMES)


@dataclass(frozen=True, slots=True)
class ChapterBounds:
    """The most tokens of each chapter, as `estimate_tokens` counts them."""

    bedrock: int = 600
    evolutionary: int = 600
    dynamic: int = 600

    def of(self, name: ChapterName) -> int:
        """The bound of one chapter."""
        if name == "Bedrock":
            return self.bedrock
        return self.evolutionary if name == "Evolutionary" else self.dynamic


@dataclass(frozen=True, slots=True)
class DroppedLine:
    """A Bedrock line that a new article leaves out on purpose, and why."""

    line: str
    reason: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """One buffered state of a conversation.

    `role` "record" is an absolute event that the archive already holds; `at` is ISO 8601, empty where nobody said when.
    """

    role: SpokenRole
    text: str
    name: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """A summary of buffered states; `gate_reasons` say what is still relative in it where `is_absolute` is false."""

    text: str
    written_by: WrittenBy
    is_absolute: bool
    gate_reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Digest:
    """What new information means for the article: whether it matters, which chapters it strikes, and its points."""

    significant: bool
    chapters: tuple[ChapterName, ...] = ()
    points: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A whole new article that no check has seen yet."""

    article: Article
    dropped: tuple[DroppedLine, ...] = ()
