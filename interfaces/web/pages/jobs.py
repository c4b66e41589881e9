"""The page of pending, processing and failed jobs, and the live view of the graph."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Literal

from fastapi import APIRouter, Request, Response

from ....service.inspection.json_data import job_entries
from ...texts import NAMES, told_by
from ..dependencies import MemoryHere, QueueHere
from .rendering import page
from .route import FormText, PageRoute, see

router = APIRouter(route_class=PageRoute)

State = Literal["failed", "processing", "pending"]
STATES: Mapping[State, str] = NAMES["pages"]["job_states"]
MOST = 200
"""Maximum number of jobs of one state on a page; the oldest are shown."""

NODES: Mapping[str, str] = NAMES["pages"]["nodes"]
"""The nodes of the historian graph in their order, with descriptions."""

KINDS: Mapping[str, str] = NAMES["pages"]["job_kinds"]


@router.get("/jobs")
def show_jobs(
    request: Request, memory: MemoryHere, queue: QueueHere, state: State | None = None
) -> Response:
    """Show the jobs of a state; by default the failed ones if there are any, else those that wait."""
    counts = queue.counts(memory.lifecycle.clock())
    numbers = {"failed": counts.failed, "processing": counts.processing, "pending": counts.pending}
    chosen: State = state or ("failed" if counts.failed else "pending")
    rows = [
        {**one, "says": told_by(one)} for one in job_entries(queue, MOST) if one["state"] == chosen
    ]
    retried = request.query_params.get("retried", "")
    return page(
        request,
        "jobs.html",
        rows=rows,
        state=chosen,
        job_states=STATES,
        kinds=KINDS,
        numbers=numbers,
        most=MOST,
        retried=retried,
    )


@router.post("/jobs/retry")
async def try_again(memory: MemoryHere, queue: QueueHere, job: FormText = "") -> Response:
    """Put a failed job back into the queue; without an id all of them."""
    count = await asyncio.to_thread(queue.retry_failed, job or None)
    memory.lifecycle.wake()
    return see("/jobs", state="pending", retried=count)


@router.get("/live")
async def show_live(request: Request, memory: MemoryHere) -> Response:
    """Show the graph; a script follows the jobs that pass through it."""
    return page(request, "live.html", nodes=NODES, works_here=memory.lifecycle.worker is not None)
