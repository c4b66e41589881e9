"""check_article: code decides whether a proposal may be written; when tries are spent, the rules add the stimulus."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial

from langgraph.runtime import Runtime

from ...schema.article import CHAPTER_NAMES, Article, DroppedLine, Proposal
from ...schema.graph_states.reflection import ReflectionContext, ReflectionState, ReflectionUpdate
from ...text.articles.check import check_article as violations
from ...text.articles.rules import into_dynamic
from ...text.language import Language
from .job import ReflectionJob, read_article, reflection_job
from .proposals import proposal_by_rules, proposal_state, proposed

log = logging.getLogger(__name__)

Check = Callable[[Article], list[str]]
"""Returns the faults of an article; an empty list if it may be written."""

_NOTHING: dict[Language, str] = {"zh": "没有给出可用的文章。", "en": "No usable article was given."}


async def check_article(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """Return the faults of a proposal to the model. After the last try the old chapters stay and rules add the stimulus;
    if that does not pass either, the stimulus is added to Dynamic unchanged."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    article, revision = await read_article(job, context)
    stimulus, proposal = state["stimulus"], proposed(state["proposal"])
    against = _check(article, proposal.dropped, stimulus, job)
    if state["proposal"]["chapters"]:
        reasons = await asyncio.to_thread(against, proposal.article)
    else:
        reasons = [_NOTHING[job.language(article, stimulus)]]
    if not reasons:
        return {"reasons": [], "passed": True}
    if context.chat is not None and state["tries"] <= job.shortterm.reconstruct_max_retry:
        return {"reasons": reasons, "passed": False}
    log.debug("job %s: %s", job.job.job_id, "; ".join(reasons))
    if context.chat is None:
        # A line that the rules copied and the gate does not pass costs that line, not the whole article.
        mended = await asyncio.to_thread(without_faults, proposal.article, article, against)
        if not await asyncio.to_thread(against, mended):
            return {"reasons": reasons, "passed": True, "proposal": proposal_state(Proposal(mended), revision)}
    log.warning("job %s: the old chapters of %s stand; reasons against the new ones: %d", job.job.job_id, job.key, len(reasons))
    kept = await asyncio.to_thread(_by_rules, article, stimulus, job, against)
    return {"reasons": reasons, "passed": True, "proposal": proposal_state(kept, revision)}


def _by_rules(article: Article, stimulus: Sequence[str], job: ReflectionJob, against: Check) -> Proposal:
    """Return the article made by rules: statements of identity go into Bedrock; if that fails, the stimulus goes into Dynamic."""
    ruled = proposal_by_rules(article, stimulus, job)
    against_ruled = _check(article, ruled.dropped, stimulus, job)
    made = without_faults(ruled.article, article, against_ruled)
    if made != article and not against_ruled(made):
        return Proposal(made, ruled.dropped)
    kept = into_dynamic(article, stimulus, bounds=job.bounds, names=job.names)
    cleaned = without_faults(kept, article, against)
    return Proposal(kept if cleaned == article else cleaned)


def without_faults(new: Article, old: Article, against: Check) -> Article:
    """Return `new` without those of its new lines that alone cause a violation."""
    known = {line for name in CHAPTER_NAMES for line in old.lines(name)}
    reasons = against(new)
    for name in CHAPTER_NAMES:
        for line in new.lines(name):
            if not reasons:
                return new
            if line in known:
                continue
            shorter = new.with_chapters({name: "\n".join(one for one in new.lines(name) if one != line)})
            fewer = against(shorter)
            if set(reasons) - set(fewer) and len(fewer) <= len(reasons):
                new, reasons = shorter, fewer
    return new


def _check(article: Article, dropped: Sequence[DroppedLine], stimulus: Sequence[str], job: ReflectionJob) -> Check:
    """Return the check of proposals that replace `article` and leave out `dropped`."""
    return partial(
        violations,
        old=article,
        stimulus=stimulus,
        dropped=dropped,
        names=job.names,
        bounds=job.bounds,
        language=job.language(article, stimulus),
    )
