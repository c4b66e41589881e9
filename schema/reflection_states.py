"""State and context of the reflection graph. The state is plain JSON data: it is checkpointed after every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from typing_extensions import TypedDict

from .article import ChapterName, WrittenBy
from .protocols import ArticleStores, ChatModel, EventStore
from .settings import Settings

Occasion = Literal["promotion", "reflection", ""]
"""What the article is rewritten for: summaries that become long-term memory, an interaction, or nothing."""


class DraftState(TypedDict):
    """A summary on its way (`SummaryDraft`)."""

    text: str
    written_by: WrittenBy
    is_absolute: bool
    gate_reasons: list[str]


class DigestState(TypedDict):
    """What a stimulus means for the article (`Digest`)."""

    significant: bool
    chapters: list[ChapterName]
    points: list[str]


class DroppedState(TypedDict):
    """A Bedrock line that was left out on purpose (`DroppedLine`)."""

    line: str
    reason: str


class ProposalState(TypedDict):
    """A proposed article (chapters by name) and the revision that it was made from."""

    chapters: dict[str, str]
    dropped: list[DroppedState]
    base_revision: int


class ReflectionInput(TypedDict):
    """What a run starts from: `job` is `Job.model_dump()` of a job of kind `states`."""

    job: dict[str, Any]


class ReflectionUpdate(TypedDict, total=False):
    """What a node may return: the keys of the state but `job`."""

    forgotten: bool
    through: str
    draft: DraftState
    filed: list[str]
    occasion: Occasion
    sources: list[str]
    stimulus: list[str]
    reflected: bool
    digested: DigestState
    proposal: ProposalState
    tries: int
    reasons: list[str]
    passed: bool
    conflict: bool
    written: list[int]


class ReflectionState(ReflectionInput, ReflectionUpdate, total=False):
    """The reflection graph's state.

    `through` is the last buffered state of the summary that is being made ("" for none). `occasion`, `sources` (ids of
    summaries, or the job) and `stimulus` (lines) say what the article is rewritten for, `reflected` whether the job's own
    reflection is done. `tries` counts the proposals for one stimulus, `reasons` are the check's to the last one, and
    `passed` says that a proposal may be written. `filed` holds ids of summaries, `written` revisions of the article.
    """


@dataclass(frozen=True, slots=True)
class ReflectionContext:
    """The parts that the nodes work with; `chat` is None where no model is configured."""

    settings: Settings
    events: EventStore
    article_stores: ArticleStores
    clock: Callable[[], float]
    chat: ChatModel | None = None
