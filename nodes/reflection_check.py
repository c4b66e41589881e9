"""check_article: code decides whether a proposal may be written; when tries are spent, the old article takes the rules' way."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from langgraph.runtime import Runtime

from ..schema.article import Article, Proposal
from ..schema.reflection_states import ProposalState, ReflectionContext, ReflectionState, ReflectionUpdate
from ..text.article_check import check_article as violations
from ..text.article_rules import into_dynamic
from ..text.language import Language
from .reflection_job import ReflectionJob, read_article, reflection_job
from .reflection_reconstruct import dropped_lines, proposal_state, proposed_article

log = logging.getLogger(__name__)

_NOTHING: dict[Language, str] = {"zh": "没有给出可用的篇章。", "en": "No usable article was given."}


async def check_article(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """The reasons against a proposal go back to the model. After the last try the old chapters stand, and the stimulus
    goes into Dynamic by rule."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    article, revision = await read_article(job, context)
    stimulus, proposal = state["stimulus"], state["proposal"]
    reasons = await asyncio.to_thread(reasons_against, proposal, article, stimulus, job)
    if not reasons:
        return {"reasons": [], "passed": True}
    if context.chat is not None and state["tries"] <= job.shortterm.reconstruct_max_retry:
        return {"reasons": reasons, "passed": False}
    log.warning("job %s: the old chapters of %s stand, the new ones have %d faults", job.job.job_id, job.key, len(reasons))
    log.debug("job %s: %s", job.job.job_id, "; ".join(reasons))
    kept = await asyncio.to_thread(into_dynamic, article, stimulus, bounds=job.bounds, names=job.names)
    return {"reasons": reasons, "passed": True, "proposal": proposal_state(Proposal(kept), revision)}


def reasons_against(proposal: ProposalState, article: Article, stimulus: Sequence[str], job: ReflectionJob) -> list[str]:
    """What is wrong with a proposal; empty where it may be written."""
    language = job.language(article, stimulus)
    if not proposal["chapters"]:
        return [_NOTHING[language]]
    return violations(
        proposed_article(proposal),
        article,
        stimulus,
        dropped=dropped_lines(proposal),
        names=job.names,
        bounds=job.bounds,
        language=language,
    )
