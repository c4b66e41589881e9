"""The state of the reflection graph: plain JSON data, checkpointed after every step."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from ..summary import ChapterName, SummaryDraft

Occasion = Literal["promotion", "reflection", ""]
"""The reason for which the article is rewritten: summaries become long-term memory, or an
interaction was significant; "" if it is not rewritten."""


class ProposalState(TypedDict):
    """The lines of the next article by chapter, as JSON data, and the revision from which they were
    made (0: there is none). Earlier versions stored each chapter as Markdown.
    """

    chapters: dict[ChapterName, list[dict[str, Any]]]
    base_revision: int


class ReflectionInput(TypedDict):
    """Input of a run: `job` is `Job.model_dump()` of a job of kind `states`."""

    job: dict[str, Any]


class ReflectionUpdate(TypedDict, total=False):
    """Return value of a node: the keys of the state except `job`."""

    forgotten: bool
    through: str
    draft: SummaryDraft
    filed: list[str]
    occasion: Occasion
    sources: list[str]
    stimulus: list[str]
    reflected: bool
    proposal: ProposalState
    answer: dict[str, Any] | None
    tries: int
    reasons: list[str]
    passed: bool
    conflict: bool
    written: list[int]


class ReflectionState(ReflectionInput, ReflectionUpdate, total=False):
    """The state of the reflection graph.

    `through` is the last buffered state of the summary that is being made ("" for none).
    `occasion`, `sources` (ids of summaries, or the job) and `stimulus` (lines) say why the article
    is rewritten; `reflected` is True if the job's own reflection is done. `answer` is the model's
    last answer (`Reconstruction` as JSON; None if it gave none), `proposal` the article with the
    lines of all answers that passed. `tries` counts the answers for one stimulus, `reasons` say
    what did not pass in the last one. `passed` is True if the model is not asked again. `filed`
    holds ids of summaries, `written` revisions of the article.
    """
