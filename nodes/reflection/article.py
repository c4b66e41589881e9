"""The nodes that write an article: ask a model for changes, apply those that pass, store it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from langgraph.runtime import Runtime

from ...prompts import reconstructing
from ...schema.errors import ContentDeclined, ModelError, ModelRefused, RevisionConflict
from ...schema.graph_states.reflection import ReflectionState, ReflectionUpdate
from ...stores.historian_context import HistorianContext
from .due import what_is_due
from .job import ReflectionJob, article_of, proposal_of, reflection_job

log = logging.getLogger(__name__)


async def reconstruct(
    state: ReflectionState, runtime: Runtime[HistorianContext]
) -> ReflectionUpdate:
    """Ask a model for changes of the article, in one call.

    If lines of the last answer were refused, ask only for these; the article that is shown then
    contains the accepted lines.
    """
    context, job = runtime.context, reflection_job(state, runtime.context)
    stimulus, reasons = state["stimulus"], state.get("reasons", [])
    tries = state.get("tries", 0) + 1
    article = (
        article_of(job, state["proposal"]) if reasons else await asyncio.to_thread(job.article)
    )
    update: ReflectionUpdate = {
        "proposal": proposal_of(article),
        "answer": None,
        "tries": tries,
        "conflict": False,
    }
    if context.chat is None:  # the model was removed from the settings while the job waited
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
        log.warning(
            "job %s: the model gave no article about %s: %s", job.job.job_id, job.key, error
        )
        if isinstance(
            error, ModelRefused | ContentDeclined
        ):  # it would refuse the same content again
            update["tries"] = max(tries, job.shortterm.reconstruct_max_retry + 1)
        return update
    return {**update, "answer": answer.model_dump()}


async def check_article(
    state: ReflectionState, runtime: Runtime[HistorianContext]
) -> ReflectionUpdate:
    """Apply the lines that pass. Return the reasons against the others, for the next attempt."""
    job = reflection_job(state, runtime.context)
    article, answer = article_of(job, state["proposal"]), state.get("answer")
    article, reasons = await asyncio.to_thread(
        reconstructing.believed,
        article,
        None if answer is None else reconstructing.Reconstruction.model_validate(answer),
        dict(zip(state["sources"], state["stimulus"], strict=True)),
        names=job.names,
        bounds=job.bounds,
        language=job.language(article, state["stimulus"]),
    )
    is_last = state["tries"] > job.shortterm.reconstruct_max_retry
    if reasons and is_last:
        log.debug("job %s: %s", job.job.job_id, "; ".join(reasons))
        log.warning(
            "job %s: refused lines of the article about %s: %d",
            job.job.job_id,
            job.key,
            len(reasons),
        )
    passed = is_last or not reasons
    return {
        "proposal": proposal_of(article),
        "reasons": reasons,
        "passed": passed,
    }


async def write_article(
    state: ReflectionState, runtime: Runtime[HistorianContext]
) -> ReflectionUpdate:
    """Write the article by compare and swap, promote the summaries, and find what is due next.

    If the article changed meanwhile, it is reconstructed again. For a forgotten person nothing is
    written. If no new line passed, the article is unchanged. Promoted summaries leave short-term
    memory all the same: they remain stored, and the model is not asked about them again.
    """
    return await asyncio.to_thread(_written, reflection_job(state, runtime.context), state)


def _written(job: ReflectionJob, state: ReflectionState) -> ReflectionUpdate:
    sources, into = state["sources"], None
    new, old = replace(article_of(job, state["proposal"]), sources=tuple(sources)), job.article()
    if old.revision and set(sources) <= set(old.sources):
        into = old.revision  # an earlier run was killed after writing it
    elif new.chapters != old.chapters:
        try:
            stored = job.stores.articles.write(
                new,
                expected_revision=new.revision,
                now=job.now(),
                forgotten=job.is_forgotten,
            )
        except RevisionConflict as error:
            log.info("job %s: %s", job.job.job_id, error)
            return {"conflict": True, "passed": False, "tries": 0, "reasons": []}
        if stored is None:
            return {"forgotten": True, "conflict": False}
        into = stored.revision
    if state["occasion"] == "promotion":
        job.stores.summaries.mark_promoted(job.key, sources, at=job.now(), into=into)
    reflected = state.get("reflected", False) or state["occasion"] == "reflection"
    due = what_is_due(job, reflected=reflected)
    if not due["occasion"]:  # keep `tries`, `reasons` and `passed` in the state for inspection
        due = {"occasion": "", "sources": [], "stimulus": []}
    return {
        "conflict": False,
        "reflected": reflected,
        **({"written": [*state.get("written", []), into]} if into else {}),
        **due,
    }
