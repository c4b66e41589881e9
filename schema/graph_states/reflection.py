"""State and context of the reflection graph. The state is plain JSON data: it is checkpointed after every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from typing_extensions import TypedDict

from ..article import ChapterName, WrittenBy
from ..protocols import ArticleStores, EventStore, Judged, StructuredChat, not_judged
from ..settings import Settings

Occasion = Literal["promotion", "reflection", ""]
"""Why the article is rewritten: summaries become long-term memory, an interaction was significant, or not at all ("")."""


class DraftState(TypedDict):
    """A `SummaryDraft` as JSON."""

    text: str
    written_by: WrittenBy
    is_absolute: bool


class DigestState(TypedDict):
    """A `Digest` as JSON."""

    significant: bool
    chapters: list[ChapterName]
    points: dict[str, ChapterName]


class DroppedState(TypedDict):
    """A `DroppedLine` as JSON."""

    line: str
    reason: str


class ProposalState(TypedDict):
    """A proposed article (chapters by name) and the revision that it was made from."""

    chapters: dict[str, str]
    dropped: list[DroppedState]
    base_revision: int


class ReflectionInput(TypedDict):
    """Input of a run: `job` is `Job.model_dump()` of a job of kind `states`."""

    job: dict[str, Any]


class ReflectionUpdate(TypedDict, total=False):
    """Return value of a node: the keys of the state except `job`."""

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

    `through` is the last buffered state of the summary being made ("" for none). `occasion`, `sources` (ids of summaries, or
    the job) and `stimulus` (lines) say why the article is rewritten; `reflected` is True if the job's own reflection is done.
    `tries` counts the proposals for one stimulus, `reasons` are the check's for the last one, and `passed` is True if a
    proposal may be written. `filed` holds ids of summaries, `written` revisions of the article.
    """


@dataclass(frozen=True, slots=True)
class ReflectionContext:
    """Dependencies of the nodes; `chat` is None if no model is configured, `judged` as in `HistorianContext`."""

    settings: Settings
    events: EventStore
    article_stores: ArticleStores
    clock: Callable[[], float]
    chat: StructuredChat | None = None
    judged: Judged = not_judged
