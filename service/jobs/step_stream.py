"""The steps of running jobs, sent to subscribers while the jobs run."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...schema.job import Job
from ...schema.profile import ProfileLine

START, END = "__start__", "__end__"
"""The names that LangGraph gives to the ends of a graph."""
RECENT = 30
"""Number of last steps that a new subscriber gets. They are held in memory only, and cleared when
somebody is forgotten."""
MOST_WAITING = 500
"""Maximum number of unread steps per subscriber. If there are more, the oldest are dropped."""


@dataclass(frozen=True, slots=True)
class JobStep:
    """One step of a job: `node` has run with the results `found`. The node END has an `outcome`.

    `at` is in seconds since the epoch. Outcomes: filed, merged, reflected, duplicate, command,
    forgotten, retried, failed, and waits (a model or the disk is unavailable; the job is claimed
    again later).
    """

    job_id: str
    kind: str
    scope: str
    at: float
    node: str
    found: Mapping[str, Any] = field(default_factory=dict)
    outcome: str = ""


class JobWatch:
    """Base class of observers of jobs; ignores all notifications. Its methods return at once and
    never raise."""

    def began(self, job: Job) -> None:
        """Called when a run of a job begins."""

    def step(self, job: Job, node: str, update: Mapping[str, Any]) -> None:
        """Called after a node has run; `update` is the state update that the node returned."""

    def ended(self, job: Job, outcome: str) -> None:
        """Called when an attempt to run a job has ended."""

    def clear(self) -> None:
        """Delete all recorded steps, because somebody may have to be forgotten."""


class StepStream(JobWatch):
    """Sends the steps of the worker in this process to every subscriber."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._subscribers: dict[asyncio.Queue[JobStep], asyncio.AbstractEventLoop] = {}
        self._recent: deque[JobStep] = deque(maxlen=RECENT)

    @contextmanager
    def subscribed(self) -> Iterator[asyncio.Queue[JobStep]]:
        """Yield a queue with the last steps, to which new steps are added. Call this in the event
        loop that reads the queue."""
        steps: asyncio.Queue[JobStep] = asyncio.Queue(MOST_WAITING)
        for step in list(self._recent):
            steps.put_nowait(step)
        self._subscribers[steps] = asyncio.get_running_loop()
        try:
            yield steps
        finally:
            del self._subscribers[steps]

    def __len__(self) -> int:
        """Return the number of subscribers."""
        return len(self._subscribers)

    def began(self, job: Job) -> None:
        self._tell(job, START)

    def step(self, job: Job, node: str, update: Mapping[str, Any]) -> None:
        self._tell(job, node, found_in(update))

    def ended(self, job: Job, outcome: str) -> None:
        self._tell(job, END, outcome=outcome)

    def clear(self) -> None:
        self._recent.clear()

    def _tell(
        self, job: Job, node: str, found: Mapping[str, Any] | None = None, outcome: str = ""
    ) -> None:
        step = JobStep(
            job.job_id, job.kind, job.scope.key, self._clock(), node, found or {}, outcome
        )
        self._recent.append(step)
        for steps, loop in list(self._subscribers.items()):
            with suppress(RuntimeError):  # the subscriber's event loop is closed
                loop.call_soon_threadsafe(_put, steps, step)


def found_in(update: Mapping[str, Any]) -> dict[str, Any]:
    """Return the results of a node of the historian graph as JSON data: texts before and after
    rewriting, profiles, superseded facts.

    Possible keys are `texts`, `profiles`, `written`, `ended`, `event_ids` and `forgotten`. Empty
    values are left out.
    """
    parts = [*update.get("parts", []), *update.get("people", [])]
    items = (
        update["items"]
        if "items" in update
        else [item for part in parts for item in part.get("items", [])]
    )
    texts = [
        {
            "kind": item["kind"],
            "before": item["source"],
            "after": item["candidate"],
            "passed": item["passed"],
            "by": item["rewritten_by"],
            "reasons": [reason["why"] for reason in item["violations"]],
        }
        for item in items
    ]
    profiles = [one for part in (update, *parts) for one in part.get("proposed_profiles", [])]
    ended = [one for part in (update, *parts) for one in part.get("former", []) if one["ended"]]
    found = {
        "texts": texts,
        "profiles": [
            {
                **{key: one[key] for key in ("entity_type", "entity_id", "layer", "name")},
                "lines": [ProfileLine.of_json(line).dated_text for line in one["lines"]],
            }
            for one in profiles
        ],
        "written": list(update.get("written", [])),
        "ended": [{key: one[key] for key in ("event_id", "text", "by")} for one in ended],
        "event_ids": list(update.get("event_ids", [])),
        "forgotten": update.get("filed") == "forgotten",
    }
    return {name: value for name, value in found.items() if value}


def _put(steps: asyncio.Queue[JobStep], step: JobStep) -> None:
    if steps.full():
        steps.get_nowait()
    steps.put_nowait(step)
