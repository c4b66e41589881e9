"""check_article: code decides whether a proposal may be written; when tries are spent, the old article takes the rules' way."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from langgraph.runtime import Runtime

from ...schema.article import CHAPTER_NAMES, Article, DroppedLine, Proposal
from ...schema.reflection_states import ReflectionContext, ReflectionState, ReflectionUpdate
from ...text.articles.check import check_article as violations
from ...text.articles.rules import into_dynamic
from ...text.language import Language
from .job import ReflectionJob, read_article, reflection_job
from .reconstruct import dropped_lines, proposal_by_rules, proposal_state, proposed_article

log = logging.getLogger(__name__)

_NOTHING: dict[Language, str] = {"zh": "没有给出可用的篇章。", "en": "No usable article was given."}


async def check_article(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """The reasons against a proposal go back to the model. After the last try the old chapters stand and the rules add the
    stimulus; where that does not pass either, it goes into Dynamic as it is."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    article, revision = await read_article(job, context)
    stimulus, proposal = state["stimulus"], state["proposal"]
    proposed = proposed_article(proposal)

    def against(candidate: Article) -> list[str]:
        return reasons_against(candidate, dropped_lines(proposal), article, stimulus, job)

    reasons = await asyncio.to_thread(against, proposed) if proposal["chapters"] else [_NOTHING[job.language(article, stimulus)]]
    if not reasons:
        return {"reasons": [], "passed": True}
    if context.chat is not None and state["tries"] <= job.shortterm.reconstruct_max_retry:
        return {"reasons": reasons, "passed": False}
    log.debug("job %s: %s", job.job.job_id, "; ".join(reasons))
    if context.chat is None:
        # A line that the rules copied and the gate does not pass costs that line, not the whole article.
        mended = await asyncio.to_thread(without_faults, proposed, article, against)
        if not await asyncio.to_thread(against, mended):
            return {"reasons": reasons, "passed": True, "proposal": proposal_state(Proposal(mended), revision)}
    log.warning("job %s: the old chapters of %s stand; reasons against the new ones: %d", job.job.job_id, job.key, len(reasons))
    ruled = await asyncio.to_thread(_by_rules, article, stimulus, job)
    if ruled is not None:
        return {"reasons": reasons, "passed": True, "proposal": proposal_state(ruled, revision)}
    kept = await asyncio.to_thread(into_dynamic, article, stimulus, bounds=job.bounds, names=job.names)
    cleaned = await asyncio.to_thread(without_faults, kept, article, against)
    return {
        "reasons": reasons,
        "passed": True,
        "proposal": proposal_state(Proposal(kept if cleaned == article else cleaned), revision),
    }


def _by_rules(article: Article, stimulus: Sequence[str], job: ReflectionJob) -> Proposal | None:
    """What the rules make of it where the model failed: who somebody says they are gets into Bedrock all the same."""
    ruled = proposal_by_rules(article, stimulus, job)

    def against(candidate: Article) -> list[str]:
        return reasons_against(candidate, ruled.dropped, article, stimulus, job)

    made = without_faults(ruled.article, article, against)
    return None if made == article or against(made) else Proposal(made, ruled.dropped)


def without_faults(new: Article, old: Article, against: Callable[[Article], list[str]]) -> Article:
    """`new` without those of its new lines that alone are the cause of some reason against it."""
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


def reasons_against(
    proposed: Article, dropped: Sequence[DroppedLine], article: Article, stimulus: Sequence[str], job: ReflectionJob
) -> list[str]:
    """What is wrong with a proposal; empty where it may be written."""
    return violations(
        proposed,
        article,
        stimulus,
        dropped=dropped,
        names=job.names,
        bounds=job.bounds,
        language=job.language(article, stimulus),
    )
