"""State and context of the recall graph.

Input and output are plain data. The intermediate results (a survey of the scope, vectors,
candidates) exist only during the run and are never checkpointed: they are large, and useless after
the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from langgraph.channels import UntrackedValue
from typing_extensions import TypedDict

from ..schema.protocols import Vector
from ..schema.settings import Settings
from .choosing import Candidates
from .event_recall import EventRecall
from .request import RecallRequest
from .survey import Survey


class RecallInput(TypedDict, total=False):
    """The input of a recall.

    `query` is one text or the messages of a turn. `request_type`, `user_id` and `group_id` name the
    conversation, as in a job. `conditions` narrow the search (see
    `retrieval.filters.event_filter`), `context` are the messages before the query.
    """

    query: str | list[str]
    request_type: str
    user_id: str
    group_id: str
    top_k: int
    context: list[str]
    conditions: dict[str, Any]


class RecalledEvent(TypedDict):
    """One hit as plain data."""

    event_id: str
    text: str
    timestamp: str
    user_id: str
    group_id: str
    kind: str
    score: float
    scores: dict[str, float]


class RecallOutput(TypedDict, total=False):
    """The hits, best first."""

    hits: list[RecalledEvent]


class RecallUpdate(RecallOutput, total=False):
    """The fields that a node may return."""

    request: Annotated[RecallRequest, UntrackedValue]
    survey: Annotated[Survey, UntrackedValue]
    vectors: Annotated[Sequence[Vector], UntrackedValue]
    candidates: Annotated[Candidates, UntrackedValue]


class RecallState(RecallInput, RecallUpdate, total=False):
    """The state of the recall graph."""


@dataclass(frozen=True, slots=True)
class RecallContext:
    """The dependencies of the nodes. `timezone` is an IANA name."""

    steps: EventRecall
    settings: Settings
    clock: Callable[[], float]
    timezone: str
