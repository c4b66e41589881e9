"""check_article: take what passes of the model's answer into the next article. Nothing is written here."""

from __future__ import annotations

import asyncio
import logging

from langgraph.runtime import Runtime

from ...prompts.reconstructing import Reconstruction, believed
from ...schema.graph_states.reflection import ReflectionContext, ReflectionState, ReflectionUpdate
from .job import article_of, proposal_of, reflection_job

log = logging.getLogger(__name__)


async def check_article(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """Take the lines that pass; return the reasons against the others to the model, as long as tries are left."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    article, answer = article_of(state["proposal"]), state.get("answer")
    article, reasons = await asyncio.to_thread(
        believed,
        article,
        None if answer is None else Reconstruction.model_validate(answer),
        state["stimulus"],
        names=job.names,
        bounds=job.bounds,
        language=job.language(article, state["stimulus"]),
    )
    is_last = state["tries"] > job.shortterm.reconstruct_max_retry
    if reasons and is_last:
        log.debug("job %s: %s", job.job.job_id, "; ".join(reasons))
        log.warning(
            "job %s: lines that did not pass for the article of %s: %d",
            job.job.job_id,
            job.key,
            len(reasons),
        )
    passed = is_last or not reasons
    return {
        "proposal": proposal_of(article, state["proposal"]["base_revision"]),
        "reasons": reasons,
        "passed": passed,
    }
