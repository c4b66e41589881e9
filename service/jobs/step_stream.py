"""Jobs passing through the graph, step by step, for those who look on while it happens."""

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
"""Steps that are told to those who come later; no more of them is kept, in memory only, and none once somebody is forgotten."""
MOST_WAITING = 500
"""Steps that wait for somebody who reads too slowly; of more, the oldest are left out."""


@dataclass(frozen=True, slots=True)
class JobStep:
    """One step of a job: `node` has run and `found` says what it made; END comes with an `outcome`.

    `at` is in seconds since the epoch. Outcomes: filed, reflected, duplicate, command, forgotten, retried, failed, and waits
    (a model or the disk cannot be used; the job is claimed again later).
    """

    job_id: str
    kind: str
    scope: str
    at: float
    node: str
    found: Mapping[str, Any] = field(default_factory=dict)
    outcome: str = ""


class JobWatch:
    """Looks on as jobs pass, and does nothing about it: for those who do. Its methods return at once and never raise."""

    def began(self, job: Job) -> None:
        """Note that a run of a job begins."""

    def step(self, job: Job, node: str, update: Mapping[str, Any]) -> None:
        """Note what a node has made of a job."""

    def ended(self, job: Job, outcome: str) -> None:
        """Note how an attempt at a job has ended."""

    def clear(self) -> None:
        """Keep nothing of what has passed: somebody is to be forgotten."""


class StepStream(JobWatch):
    """Tells the steps of the worker of this process to every subscriber."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._subscribers: dict[asyncio.Queue[JobStep], asyncio.AbstractEventLoop] = {}
        self._recent: deque[JobStep] = deque(maxlen=RECENT)

    @contextmanager
    def subscribed(self) -> Iterator[asyncio.Queue[JobStep]]:
        """Yield a queue of the last steps, into which further ones are put. Call it in the event loop that reads the queue."""
        steps: asyncio.Queue[JobStep] = asyncio.Queue(MOST_WAITING)
        for step in list(self._recent):
            steps.put_nowait(step)
        self._subscribers[steps] = asyncio.get_running_loop()
        try:
            yield steps
        finally:
            del self._subscribers[steps]

    def __len__(self) -> int:
        """How many look on."""
        return len(self._subscribers)

    def began(self, job: Job) -> None:
        self._tell(job, START)

    def step(self, job: Job, node: str, update: Mapping[str, Any]) -> None:
        self._tell(job, node, found_in(update))

    def ended(self, job: Job, outcome: str) -> None:
        self._tell(job, END, outcome=outcome)

    def clear(self) -> None:
        self._recent.clear()

    def _tell(self, job: Job, node: str, found: Mapping[str, Any] | None = None, outcome: str = "") -> None:
        step = JobStep(job.job_id, job.kind, job.scope.key, self._clock(), node, found or {}, outcome)
        self._recent.append(step)
        for steps, loop in list(self._subscribers.items()):
            with suppress(RuntimeError):  # that loop is closed
                loop.call_soon_threadsafe(_put, steps, step)


def found_in(update: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a node of the historian graph has made, as JSON data: texts before and after, profiles, facts that are over.

    Keys are there only where there is something: `texts`, `profiles`, `written`, `ended`, `event_ids`, `forgotten`.
    """
    parts = [*update.get("parts", []), *update.get("people", [])]
    items = update["items"] if "items" in update else [item for part in parts for item in part.get("items", [])]
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
