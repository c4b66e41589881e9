"""mark_promoted: mark the summaries that the new article has taken in; then what is due next."""

from __future__ import annotations

import asyncio

from langgraph.runtime import Runtime

from ...schema.graph_states.reflection import ReflectionContext, ReflectionState, ReflectionUpdate
from .due import what_is_due
from .job import reflection_job


async def mark_promoted(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """Mark the promoted summaries with the article's revision; they stay on disk. A reflection has none to mark."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    reflected = state.get("reflected", False) or state["occasion"] == "reflection"
    if state["occasion"] == "promotion":
        await asyncio.to_thread(
            context.article_stores.summaries.mark_promoted,
            job.key,
            state["sources"],
            at=job.now(context),
            into=state["written"][-1],
        )
    due = await what_is_due(job, context, reflected=reflected)
    if not due["occasion"]:  # the last verdict stays to be seen
        return {"reflected": reflected, "occasion": "", "sources": [], "stimulus": []}
    return {"reflected": reflected, **due}
