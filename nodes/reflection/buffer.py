"""buffer: keep the job's states durably, and see whether enough wait for a summary."""

from __future__ import annotations

import asyncio

from langgraph.runtime import Runtime

from ...schema.graph_states.reflection import ReflectionContext, ReflectionState, ReflectionUpdate
from .due import next_step
from .job import reflection_job


async def buffer(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """Buffer the states once; nothing if the person or group was forgotten meanwhile."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    if await asyncio.to_thread(job.is_forgotten, context):
        return {"forgotten": True, "through": "", "occasion": ""}
    buffered = context.article_stores.buffer
    await asyncio.to_thread(
        buffered.add,
        job.key,
        job.job.job_id,
        job.payload.entries(job.job),
        entities=job.job.entities,
        at=job.job.moment.timestamp(),
    )
    summaries = await asyncio.to_thread(context.article_stores.summaries.read, job.key)
    if summaries and summaries[-1].through:
        # Killed between the summary and the release, and the checkpoint lost: what a summary covers waits no more.
        await asyncio.to_thread(buffered.release, job.key, summaries[-1].through)
    return await next_step(job, context)
