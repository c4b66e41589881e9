"""reconstruct: propose the whole new article. Nothing is written here."""

from __future__ import annotations

import logging

from langgraph.runtime import Runtime

from ...prompts import reconstructing
from ...schema.article import Digest, Proposal
from ...schema.errors import ModelError, ModelRefused
from ...schema.graph_states.reflection import ReflectionContext, ReflectionState, ReflectionUpdate
from ...text.articles.lines import with_summaries
from .job import read_article, reflection_job
from .proposals import proposal_state

log = logging.getLogger(__name__)


async def reconstruct(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """Propose an article by one model call that includes the faults of the last proposal. Without a model the summaries are
    added to Dynamic as they are."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    article, revision = await read_article(job, context)
    stimulus, tries = state["stimulus"], state.get("tries", 0) + 1
    if context.chat is None:
        plain = Proposal(with_summaries(article, stimulus, job.bounds))
        return {"proposal": proposal_state(plain, revision), "tries": tries, "conflict": False}
    digested = state["digested"]
    try:
        proposal = await reconstructing.reconstruct(
            article,
            Digest(digested["significant"], tuple(digested["chapters"]), digested["points"]),
            stimulus,
            state.get("reasons", []),
            chat=context.chat,
            names=job.names,
            bounds=job.bounds,
            language=job.language(article, stimulus),
        )
    except ModelError as error:
        if not error.about_content:
            raise
        log.warning("job %s: the model gave no article about %s: %s", job.job.job_id, job.key, error)
        if isinstance(error, ModelRefused):  # it would refuse the same content again
            tries = max(tries, job.shortterm.reconstruct_max_retry + 1)
        proposal = None
    return {"proposal": proposal_state(proposal, revision), "tries": tries, "conflict": False}
