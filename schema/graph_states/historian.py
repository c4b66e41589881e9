"""State of the write graph. It is plain JSON data, checkpointed after every step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, Required

from typing_extensions import TypedDict

from ..event import Event, RewrittenBy, WrittenKind
from ..job import Job
from ..scope import EntityType


class Reason(TypedDict):
    """One finding of the gate, stored in the state and shown to the model."""

    kind: str
    text: str
    start: int
    end: int
    why: str


class ItemState(TypedDict):
    """One text of a job during rewriting: `action_summary` or one of `new_info`.

    `source` is the original text, `resolved` has its relative times replaced, `draft` is the rule rewriter's, `candidate` is
    the text to file. `undecided` are references that the rules could not resolve. `dated` is True if a time was resolved.
    `occurs` are the first and last moment that the text tells of (empty: it names none), `said_by` the id of who said it.
    `open` are reasons why it cannot be absolute, as (kind, why, wording).
    `asks` is True for a fact that tells of a question.

    Of an event that a model wrote of talk, `sources` are the names of its messages
    (`text.messages.message_name`), `speakers` the ids of the people who sent them, `ends` and
    `corrects` the ids of the former events that it ends or corrects, and `lasting` is True if the
    model says that it holds for long.
    """

    kind: WrittenKind
    source: str
    resolved: str
    draft: str
    candidate: str
    undecided: list[str]
    dated: bool
    rewritten_by: RewrittenBy
    passed: bool
    first_pass: bool
    violations: list[Reason]
    occurs: NotRequired[list[float]]
    said_by: NotRequired[str]
    open: NotRequired[list[list[str]]]
    asks: NotRequired[bool]
    sources: NotRequired[list[str]]
    speakers: NotRequired[list[str]]
    ends: NotRequired[list[str]]
    corrects: NotRequired[list[str]]
    lasting: NotRequired[bool]


class ProposedProfile(TypedDict):
    """A proposed profile, and the revision it is based on.

    `cause` is the id of the first of its new events, `jobs` are the ids of the jobs that brought them.
    """

    entity_type: EntityType
    entity_id: str
    layer: str
    base_revision: int
    name: str
    tags: list[str]
    lines: list[dict[str, Any]]
    cause: str
    jobs: list[str]


class FormerFact(TypedDict):
    """An earlier fact of the scope that the new one with the id `by` may have ended; `ended` if the rules say so.

    `by_any` are all new ones that may have.
    """

    event_id: str
    text: str
    ended: bool
    by: str
    by_any: NotRequired[list[str]]


class ShownFact(TypedDict):
    """A former fact that a model is shown beside a talk; `day` (YYYY-MM-DD) is when it was told."""

    event_id: str
    text: str
    day: str


class ShownMessage(TypedDict):
    """A message beside a talk: its name (`text.messages.message_name`), sender by name and id ("" for the bot), and words."""

    message: str
    speaker: str
    said_by: str
    words: str


class TalkShown(TypedDict):
    """What a model is shown of a talk: the `parts` (places in the state) as the messages 1, 2 …, and the `former` facts.

    `before` are the messages before it, `replied` those that are answered and not among the parts, by
    the place (from 0) of the message which answers them.
    """

    parts: list[int]
    before: list[ShownMessage]
    replied: dict[str, ShownMessage]
    former: list[ShownFact]


class HistorianInput(TypedDict):
    """Input of a run: `job` is `Job.model_dump()`. Of a job of kind `talk` or `profile`, `talk` are the jobs gathered with it,
    oldest first, itself among them. With `merges_later` the run ends before profiles are merged."""

    job: dict[str, Any]
    talk: NotRequired[list[dict[str, Any]]]
    merges_later: NotRequired[bool]


class HistorianProgress(TypedDict, total=False):
    """How far a job is, or one message or person of it. `links` are (old, new): what a model says is over.

    `based_on` are the ids of the events that the proposed profiles were made of. `merged` are the profiles (`index_id`) that
    are done, `more` is True if others are left for the next question; `merges` counts those that moved meanwhile.
    """

    items: list[ItemState]
    attempt: int
    spent: bool
    filed: Literal["new", "before", "forgotten"]
    event_ids: list[str]
    former: list[FormerFact]
    links: list[tuple[str, str]]
    proposed_profiles: list[ProposedProfile]
    written: list[str]
    conflict: bool
    merges: int
    merged: list[str]
    more: bool
    based_on: list[str]


class HistorianPart(HistorianProgress, total=False):
    """What a state is for one message, or one person, of a job of kind `talk`."""

    job: Required[dict[str, Any]]


class HistorianUpdate(HistorianProgress, total=False):
    """Return value of a node: the keys of the state except `job`. The graph ignores unknown keys silently.

    Of a talk, `told` are the events of a model's answer that the gate has not seen yet, and `refused`
    those that it did not pass, each with the reason. `beside` are the messages before a hand-over that
    a model was shown (`RecentMessage.model_dump()`).
    """

    parts: list[HistorianPart]
    people: list[HistorianPart]
    shown: TalkShown
    told: list[dict[str, Any]]
    beside: list[dict[str, Any]]
    refused: list[tuple[dict[str, Any], str]]


class HistorianState(HistorianInput, HistorianUpdate, total=False):
    """The write graph's state. `attempt` counts the model's answers before the gate; `spent` ends the attempts.
    `former` are the facts that the new ones were compared with, and were found to be near."""


def events_of(job: Job, items: Sequence[ItemState]) -> list[Event]:
    """Return the events of a job. Those of messages, which stand beside them, note no words."""
    return [
        Event.of_job(
            job,
            n,
            item["kind"],
            item["candidate"],
            is_absolute=item["passed"],
            gate_reasons=() if item["passed"] else tuple(dict.fromkeys(reason["why"] for reason in item["violations"])),
            rewritten_by=item["rewritten_by"],
            handed_over="" if "sources" in item or item["source"] == item["candidate"] else item["source"],
            said_by=item.get("said_by", ""),
            speakers=tuple(one for one in item.get("speakers", [item.get("said_by", "")]) if one not in ("", job.user_id)),
            occurs_from=min(item.get("occurs", ()), default=None),
            occurs_until=max(item.get("occurs", ()), default=None),
            sources=tuple(item.get("sources", ())),
        )
        for n, item in enumerate(items)
    ]
