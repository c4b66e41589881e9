"""Jobs: what waits, what runs, what was given up; and the graph through which they pass, live."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Form, Request, Response

from ....schema.job import Job
from ....schema.protocols import JobQueue
from ...texts import NAMES
from ..dependencies import MemoryHere, OperatorHere, QueueHere
from .rendering import page
from .route import pages_router, see

router = pages_router()

State = Literal["failed", "processing", "pending"]
STATES: Mapping[State, str] = NAMES["pages"]["job_states"]
MOST = 200
"""Jobs of a state that one page shows, the oldest."""

NODES: Mapping[str, str] = NAMES["pages"]["nodes"]
"""The nodes of the historian graph in their order, with what they do."""

KINDS: Mapping[str, str] = NAMES["pages"]["job_kinds"]


@dataclass(frozen=True, slots=True)
class Row:
    """A job in a list. `name` is that of its file where it is no valid job; `filed` is True if its events are stored."""

    job: Job | None
    name: str = ""
    error: str = ""
    filed: bool = False
    at: float = 0.0

    @property
    def says(self) -> list[str]:
        """What the job carries, in lines."""
        job = self.job
        if job is None:
            return []
        if job.kind == "remember":
            return [text for text in (job.action_summary, *job.new_info) if text]
        states = job.payload.get("states") if job.kind == "states" else None
        if isinstance(states, list):
            return [str(one.get("text", "")) for one in states if isinstance(one, dict)]
        return [str(job.payload.get("text") or job.payload)]


@router.get("/jobs")
def show_jobs(
    request: Request, operator: OperatorHere, memory: MemoryHere, queue: QueueHere, state: State | None = None
) -> Response:
    """Show the jobs of a state; by default the failed ones if there are any, else those that wait."""
    counts = queue.counts(memory.lifecycle.clock())
    numbers = {"failed": counts.failed, "processing": counts.processing, "pending": counts.pending}
    chosen: State = state or ("failed" if counts.failed else "pending")
    rows = _rows(queue, chosen)
    retried = request.query_params.get("retried", "")
    return page(
        request, "jobs.html", rows=rows, state=chosen, job_states=STATES, kinds=KINDS, numbers=numbers, most=MOST, retried=retried
    )


@router.post("/jobs/retry")
async def try_again(memory: MemoryHere, operator: OperatorHere, queue: QueueHere, job: Annotated[str, Form()] = "") -> Response:
    """Put a failed job back into the queue; without an id all of them."""
    retried = await asyncio.to_thread(queue.retry_failed, job or None)
    memory.lifecycle.wake()
    return see("/jobs", state="pending", retried=retried)


@router.get("/live")
async def show_live(request: Request, operator: OperatorHere, memory: MemoryHere) -> Response:
    """Show the graph; a script follows the jobs that pass through it."""
    return page(request, "live.html", nodes=NODES, works_here=memory.lifecycle.worker is not None)


def _rows(queue: JobQueue, state: State) -> list[Row]:
    if state != "failed":
        return [Row(job, error=job.last_error) for job in queue.jobs(state, MOST)]
    return [Row(one.job, one.name, one.error, one.filed, one.failed_at) for one in queue.failed()[:MOST]]
