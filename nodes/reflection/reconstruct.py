"""reconstruct: ask the model what changes in the article. Nothing is written here."""

from __future__ import annotations

import logging

from langgraph.runtime import Runtime

from ...prompts import reconstructing
from ...schema.errors import ModelError, ModelRefused
from ...schema.graph_states.reflection import ReflectionContext, ReflectionState, ReflectionUpdate
from .job import article_of, proposal_of, read_article, reflection_job

log = logging.getLogger(__name__)


async def reconstruct(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """Ask for the changes by one model call; after a refusal for the rest, of the article with what was taken already."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    stimulus, tries, reasons = (
        state["stimulus"],
        state.get("tries", 0) + 1,
        state.get("reasons", []),
    )
    if reasons:
        proposal = state["proposal"]
        article = article_of(proposal)
    else:
        article, revision = await read_article(job, context)
        proposal = proposal_of(article, revision)
    update: ReflectionUpdate = {
        "proposal": proposal,
        "answer": None,
        "tries": tries,
        "conflict": False,
    }
    if context.chat is None:  # it was taken out of the settings while the job waited
        return update
    try:
        answer = await reconstructing.reconstruct(
            article,
            stimulus,
            reasons,
            chat=context.chat,
            names=job.names,
            language=job.language(article, stimulus),
        )
    except ModelError as error:
        if not error.about_content:
            raise
        log.warning("job %s: the model gave no article about %s: %s", job.job.job_id, job.key, error)
        if isinstance(error, ModelRefused):  # it would refuse the same content again
            update["tries"] = max(tries, job.shortterm.reconstruct_max_retry + 1)
        return update
    return {**update, "answer": answer.model_dump()}
