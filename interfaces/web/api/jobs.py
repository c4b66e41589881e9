"""Routes for the jobs in the queue, and for the steps of running jobs in the graph."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ....schema.protocols import JobQueue
from ....service.cognitive import CognitiveService
from ....service.inspection.json_data import job_entries
from ...lookups import found_job, retried
from ..access import Caller
from ..dependencies import CallerHere, MemoryHere, OperatorHere, QueueHere
from ..problems import Refused

router = APIRouter(tags=["jobs"])

LOOK_SECONDS, PULSE_LOOKS = 1.0, 15
"""Seconds that a stream waits for a step before it checks again whether this process is the owner;
number of such waits after which it sends a comment, because proxies close silent connections."""
MOST_STREAMS = 20
MOST_LOOKED_THROUGH = 2_000
"""Maximum number of jobs per state that are searched for the jobs of a token's conversation. It
limits the time of such a request."""


class Jobs(BaseModel):
    jobs: list[dict[str, Any]] = Field(
        description="Oldest first in each state; `state` is processing, pending or failed."
    )
    counts: dict[str, int]


class Retried(BaseModel):
    retried: int


@router.get("/jobs")
def list_jobs(
    queue: QueueHere,
    memory: MemoryHere,
    caller: CallerHere,
    state: Literal["all", "pending", "processing", "failed"] = "all",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Jobs:
    """Waiting, running and failed jobs: of the conversation of the token, or all for the operator."""
    entries = [
        one
        for one in job_entries(queue, limit if caller.is_operator else MOST_LOOKED_THROUGH)
        if state in ("all", one["state"])
    ]
    if not caller.is_operator:
        entries = [one for one in entries if _is_own(caller, one)][:limit]
        return Jobs(jobs=entries, counts={})
    counts = queue.counts(memory.lifecycle.clock())
    return Jobs(
        jobs=entries,
        counts={
            "pending": counts.pending,
            "processing": counts.processing,
            "failed": counts.failed,
        },
    )


@router.get("/jobs/{job_id}")
def show_job(job_id: str, queue: QueueHere, caller: CallerHere) -> dict[str, Any]:
    """One job with all its fields."""
    limit = None if caller.is_operator else MOST_LOOKED_THROUGH
    return found_job(queue, job_id, limit, partial(_is_own, caller))


@router.post("/jobs/retry")
async def retry_all(queue: QueueHere, memory: MemoryHere, operator: OperatorHere) -> Retried:
    """Put all failed jobs back into the queue and reset their attempt counts."""
    return await _retry(memory, queue, None)


@router.post("/jobs/{job_id}/retry")
async def retry(
    job_id: str, queue: QueueHere, memory: MemoryHere, operator: OperatorHere
) -> Retried:
    """Put a failed job back into the queue and reset its attempt count."""
    return await _retry(memory, queue, job_id)


async def _retry(memory: CognitiveService, queue: JobQueue, job_id: str | None) -> Retried:
    count = await asyncio.to_thread(retried, queue, job_id)
    memory.lifecycle.wake()
    return Retried(retried=count)


@router.get("/steps", response_class=StreamingResponse)
async def steps(request: Request, memory: MemoryHere, operator: OperatorHere) -> StreamingResponse:
    """Jobs on their way through the graph, as server-sent events: the last thirty steps, and every further one.

    The first event is `state`: `{"owner": true}` if this process runs the worker; otherwise no steps are sent. Then an event
    `step` after each node: `{job_id, kind, scope, at, node, found, outcome}`; `node` is `__start__` and `__end__` at the ends.
    It ends when the browser that asks for it is signed out.
    """
    if len(memory.lifecycle.steps) >= MOST_STREAMS:
        raise Refused(
            HTTPStatus.SERVICE_UNAVAILABLE,
            f"{MOST_STREAMS} live views are open already; close one of them",
        )
    return StreamingResponse(
        _told(memory, request.state.is_let_in),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},
    )


async def _told(memory: CognitiveService, is_let_in: Callable[[], bool]) -> AsyncIterator[str]:
    with memory.lifecycle.steps.subscribed() as steps:
        owner, looks = None, 0
        while is_let_in():
            if owner != (memory.lifecycle.worker is not None):
                owner = memory.lifecycle.worker is not None
                yield _event("state", {"owner": owner})
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    step = await steps.get()
            except TimeoutError:
                looks += 1
                if looks % PULSE_LOOKS == 0:
                    yield ": nothing has happened\n\n"
            else:
                if is_let_in():
                    yield _event("step", asdict(step))


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def _is_own(caller: Caller, entry: dict[str, Any]) -> bool:
    """Return True if the caller may see a job: the operator any, others those of their scope."""
    if caller.scope is None or entry.get("kind") not in ("remember", "talk", "states"):
        return caller.is_operator
    return entry["group_id"] == caller.scope.group_id and (
        bool(entry["group_id"]) or entry["user_id"] == caller.scope.user_id
    )
