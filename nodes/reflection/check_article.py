"""check_article: code decides whether a model's proposal may be written; when tries are spent, the summaries are added."""

from __future__ import annotations

import asyncio
import logging

from langgraph.runtime import Runtime

from ...schema.article import Proposal
from ...schema.graph_states.reflection import ReflectionContext, ReflectionState, ReflectionUpdate
from ...text.articles.check import check_article as faults_of
from ...text.articles.lines import with_summaries
from ...text.language import Language
from .job import read_article, reflection_job
from .proposals import proposal_state, proposed

log = logging.getLogger(__name__)

_NOTHING: dict[Language, str] = {"zh": "没有给出可用的文章。", "en": "No usable article was given."}


async def check_article(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """Return the faults of a proposal to the model. After the last try the old chapters stay and the stimulus is added to
    Dynamic, as without a model, whose proposal passes."""
    context = runtime.context
    if context.chat is None:
        return {"reasons": [], "passed": True}
    job = reflection_job(state, context.settings)
    article, revision = await read_article(job, context)
    stimulus, proposal = state["stimulus"], proposed(state["proposal"])
    language = job.language(article, stimulus)
    reasons = [_NOTHING[language]]
    if state["proposal"]["chapters"]:
        reasons = await asyncio.to_thread(
            faults_of,
            proposal.article,
            article,
            stimulus,
            dropped=proposal.dropped,
            names=job.names,
            bounds=job.bounds,
            language=language,
        )
    if not reasons:
        return {"reasons": [], "passed": True}
    if state["tries"] <= job.shortterm.reconstruct_max_retry:
        return {"reasons": reasons, "passed": False}
    log.debug("job %s: %s", job.job.job_id, "; ".join(reasons))
    log.warning("job %s: the old chapters of %s stand; reasons against the new ones: %d", job.job.job_id, job.key, len(reasons))
    plain = Proposal(with_summaries(article, stimulus, job.bounds))
    return {"reasons": reasons, "passed": True, "proposal": proposal_state(plain, revision)}
