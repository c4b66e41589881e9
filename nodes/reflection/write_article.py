"""write_article: replace the article, if it is still the one that the new one was made from."""

from __future__ import annotations

import asyncio
import logging

from langgraph.runtime import Runtime

from ...schema.article import Article
from ...schema.errors import RevisionConflict
from ...schema.graph_states.reflection import ReflectionContext, ReflectionState, ReflectionUpdate
from .due import what_is_due
from .job import article_of, reflection_job

log = logging.getLogger(__name__)


async def write_article(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """Compare and swap, take the summaries out of short-term memory, and see what is due next.

    If the article changed meanwhile it is reconstructed again; nothing is written for a forgotten person. Where no new line
    passed, the old article stands and the summaries, which stay on disk, are in none: nothing is asked about them again.
    """
    context = runtime.context
    job = reflection_job(state, context.settings)
    stores, proposal = context.article_stores, state["proposal"]
    new, sources, into = article_of(proposal), state["sources"], None
    old = await asyncio.to_thread(stores.articles.read, job.key)
    if old is not None and set(sources) <= set(old.sources):
        into = old.revision  # killed after it was written
    elif new != (Article() if old is None else old.article):
        try:
            stored = await asyncio.to_thread(
                stores.articles.write,
                job.key,
                new,
                expected_revision=proposal["base_revision"],
                sources=sources,
                now=job.now(context),
                forgotten=lambda: job.is_forgotten(context),
            )
        except RevisionConflict as error:
            log.info("job %s: %s", job.job.job_id, error)
            return {"conflict": True, "passed": False, "tries": 0, "reasons": []}
        if stored is None:
            return {"forgotten": True, "conflict": False}
        into = stored.revision
    if state["occasion"] == "promotion":
        await asyncio.to_thread(stores.summaries.mark_promoted, job.key, sources, at=job.now(context), into=into)
    reflected = state.get("reflected", False) or state["occasion"] == "reflection"
    due = await what_is_due(job, context, reflected=reflected)
    if not due["occasion"]:  # the last verdict stays to be seen
        due = {"occasion": "", "sources": [], "stimulus": []}
    return {
        "conflict": False,
        "reflected": reflected,
        **({"written": [*state.get("written", []), into]} if into else {}),
        **due,
    }
