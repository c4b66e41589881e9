"""check_article: code decides whether a proposal may be written; when tries are spent, the old article takes the rules' way."""

from __future__ import annotations

import asyncio
import logging

from langgraph.runtime import Runtime

from ..schema.article import Proposal
from ..schema.reflection_states import ReflectionContext, ReflectionState, ReflectionUpdate
from ..text.article_check import check_article as violations
from ..text.article_rules import into_dynamic
from .reflection_job import read_article, reflection_job
from .reflection_reconstruct import dropped_lines, proposal_state, proposed_article

log = logging.getLogger(__name__)


async def check_article(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """The reasons against a proposal go back to the model. After the last try the old chapters stand, and the stimulus
    goes into Dynamic by rule."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    article, revision = await read_article(job, context)
    stimulus, proposal = state["stimulus"], state["proposal"]
    reasons = await asyncio.to_thread(
        violations,
        proposed_article(proposal),
        article,
        stimulus,
        dropped=dropped_lines(proposal),
        names=job.names,
        bounds=job.bounds,
        language=job.language(article, stimulus),
    )
    if not reasons:
        return {"reasons": [], "passed": True}
    if context.chat is not None and state["tries"] <= job.shortterm.reconstruct_max_retry:
        return {"reasons": reasons, "passed": False}
    log.warning("job %s: the old chapters of %s stand, no new ones passed: %s", job.job.job_id, job.key, "; ".join(reasons))
    kept = await asyncio.to_thread(into_dynamic, article, stimulus, bounds=job.bounds)
    return {"reasons": reasons, "passed": True, "proposal": proposal_state(Proposal(kept), revision)}
