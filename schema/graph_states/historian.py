"""The state of the write graph: plain JSON data, checkpointed after every step."""

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

    `source` is the original text, `resolved` has its relative times replaced, `draft` is the text
    of the rule rewriter, `candidate` is the text to file. `undecided` are references that the rules
    could not resolve. `dated` is True if a time was resolved. `occurs` are the first and last
    moment that the text is about (empty if it names none), `said_by` is the id of the speaker.
    `open` are reasons why the text cannot be absolute, as (kind, why, wording). `asks` is True for
    a fact that reports a question.

    For an event that a model extracted from talk, `sources` are the names of its source messages
    (`text.messages.message_name`), `speakers` the ids of their senders, `ends` and `corrects` the
    ids of the former events that it supersedes or corrects. `lasting` is True if the model says
    that the event will be true for long.
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
    """A proposed profile, and the revision on which it is based.

    `cause` is the id of the first of its new events, `jobs` are the ids of the jobs of these
    events.
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
    """An earlier fact of the scope that the new event with the id `by` may have superseded; `ended`
    is True if the rules say so.

    `by_any` are all new events that may have superseded it.
    """

    event_id: str
    text: str
    ended: bool
    by: str
    by_any: NotRequired[list[str]]


class ShownFact(TypedDict):
    """A former fact that is shown to a model together with a talk; `day` (YYYY-MM-DD) is the day on
    which it was stated.
    """

    event_id: str
    text: str
    day: str


class ShownMessage(TypedDict):
    """A message shown together with a talk: its name (`text.messages.message_name`), the name and
    id of its sender (the id is "" for the bot), and its words.
    """

    message: str
    speaker: str
    said_by: str
    words: str


class TalkShown(TypedDict):
    """The part of a talk that is shown to a model: the `parts` (places in the state) as the
    messages 1, 2 …, and the `former` facts.

    `before` are the messages before it. `replied` are messages that are answered and not among the
    parts, by the place (from 0) of the message that answers them.
    """

    parts: list[int]
    before: list[ShownMessage]
    replied: dict[str, ShownMessage]
    former: list[ShownFact]


class HistorianInput(TypedDict):
    """Input of a run: `job` is `Job.model_dump()`.

    For a job of kind `talk` or `profile`, `talk` are the jobs gathered with it, oldest first,
    including itself. With `merges_later` the run ends before profiles are merged.
    """

    job: dict[str, Any]
    talk: NotRequired[list[dict[str, Any]]]
    merges_later: NotRequired[bool]


class HistorianProgress(TypedDict, total=False):
    """The progress of a job, or of one message or person in it.

    `links` are (old, new) ids of events; a model says that the old one is superseded. `based_on`
    are the ids of the events from which the proposed profiles were made. `merged` are the profiles
    (`index_id`) that are done, `more` is True if others are left for the next model call. `merges`
    counts the merges that were repeated because a profile had been changed meanwhile.
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
    """The state for one message, or one person, of a job of kind `talk`."""

    job: Required[dict[str, Any]]


class HistorianUpdate(HistorianProgress, total=False):
    """Return value of a node: the keys of the state except `job`. The graph silently ignores
    unknown keys.

    For a talk, `told` are the events of a model's answer that the gate has not checked yet, and
    `refused` those that it did not pass, each with the reason. `beside` are the messages before a
    hand-over that a model was shown (`RecentMessage.model_dump()`).
    """

    parts: list[HistorianPart]
    people: list[HistorianPart]
    shown: TalkShown
    told: list[dict[str, Any]]
    beside: list[dict[str, Any]]
    refused: list[tuple[dict[str, Any], str]]


class HistorianState(HistorianInput, HistorianUpdate, total=False):
    """The state of the write graph.

    `attempt` counts the answers of the model before the gate; `spent` ends the attempts. `former`
    are the facts that were found to be similar to the new ones and were compared with them.
    """


def events_of(job: Job, items: Sequence[ItemState]) -> list[Event]:
    """Return the events of a job. Events extracted from messages store no original text, because
    the messages are stored.
    """
    return [
        Event.of_job(
            job,
            n,
            item["kind"],
            item["candidate"],
            is_absolute=item["passed"],
            gate_reasons=()
            if item["passed"]
            else tuple(dict.fromkeys(reason["why"] for reason in item["violations"])),
            rewritten_by=item["rewritten_by"],
            handed_over=""
            if "sources" in item or item["source"] == item["candidate"]
            else item["source"],
            said_by=item.get("said_by", ""),
            speakers=tuple(
                one
                for one in item.get("speakers", [item.get("said_by", "")])
                if one not in ("", job.user_id)
            ),
            occurs_from=min(item.get("occurs", ()), default=None),
            occurs_until=max(item.get("occurs", ()), default=None),
            sources=tuple(item.get("sources", ())),
        )
        for n, item in enumerate(items)
    ]
