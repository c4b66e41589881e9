"""State and context of the write graph. The state is plain JSON data: it is checkpointed after every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from typing_extensions import TypedDict

from .event import Event, EventKind, RewrittenBy
from .job import Job
from .protocols import ChatModel, Embedder, EventStore, ProfileIndex, ProfileStorage
from .scope import EntityType
from .settings import Settings


class Reason(TypedDict):
    """One finding of the gate, as it is kept and put to the model."""

    kind: str
    text: str
    start: int
    end: int
    why: str


class ItemState(TypedDict):
    """One text of a job on its way: `action_summary` or one of `new_info`.

    `source` is as written, `resolved` has its relative times replaced, `draft` is the rule rewriter's, `candidate` what
    is to be filed. `undecided` are references that the rules could not decide. `dated` tells whether a time was resolved.
    """

    kind: EventKind
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
    notes: list[Reason]


class ProposedProfile(TypedDict):
    """A proposed profile, and the revision that it was made from."""

    entity_type: EntityType
    entity_id: str
    layer: str
    base_revision: int
    name: str
    tags: list[str]
    summary: str


class HistorianInput(TypedDict):
    """What a run starts from: `job` is `Job.model_dump()`."""

    job: dict[str, Any]


class HistorianUpdate(TypedDict, total=False):
    """What a node may return: the keys of the state but `job`. The graph drops unknown keys silently; types do not."""

    items: list[ItemState]
    attempt: int
    spent: bool
    filed: Literal["new", "before", "forgotten"]
    event_ids: list[str]
    proposed_profiles: list[ProposedProfile]
    portraits: list[ProposedProfile]  # `proposed_profiles` in checkpoints that an earlier version wrote
    written: list[str]
    conflict: bool


class HistorianState(HistorianInput, HistorianUpdate, total=False):
    """The write graph's state. `attempt` counts the model's answers to the rewrite; `spent` says that no more are wanted."""


@dataclass(frozen=True, slots=True)
class HistorianContext:
    """The parts that the nodes work with. `chat`, `embedder` and `profile_index` are None where there is none."""

    settings: Settings
    events: EventStore
    profiles: ProfileStorage
    clock: Callable[[], float]
    chat: ChatModel | None = None
    embedder: Embedder | None = None
    profile_index: ProfileIndex | None = None


def events_of(job: Job, items: Sequence[ItemState]) -> list[Event]:
    """Return the events of a job."""
    return [
        Event.of_job(
            job,
            n,
            item["kind"],
            item["candidate"],
            is_absolute=item["passed"],
            gate_reasons=() if item["passed"] else tuple(dict.fromkeys(reason["why"] for reason in item["violations"])),
            rewritten_by=item["rewritten_by"],
        )
        for n, item in enumerate(items)
    ]
