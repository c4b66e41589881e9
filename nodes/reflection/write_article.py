"""write_article: replace the article, if it is still the one that the proposal was made from."""

from __future__ import annotations

import asyncio
import logging

from langgraph.runtime import Runtime

from ...schema.errors import RevisionConflict
from ...schema.graph_states.reflection import ReflectionContext, ReflectionState, ReflectionUpdate
from .job import reflection_job
from .proposals import proposed

log = logging.getLogger(__name__)


async def write_article(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """Compare and swap. If the article changed meanwhile it is reconstructed again; nothing is written for a forgotten person."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    proposal = state["proposal"]
    try:
        stored = await asyncio.to_thread(
            context.article_stores.articles.write,
            job.key,
            proposed(proposal).article,
            expected_revision=proposal["base_revision"],
            sources=state["sources"],
            now=job.now(context),
            forgotten=lambda: job.is_forgotten(context),
        )
    except RevisionConflict as error:
        log.info("job %s: %s", job.job.job_id, error)
        return {"conflict": True, "passed": False, "tries": 0, "reasons": []}
    if stored is None:
        return {"forgotten": True, "conflict": False}
    return {"conflict": False, "written": [*state.get("written", []), stored.revision]}
