"""reconstruct: propose the whole new article. Nothing is written here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import cast

from langgraph.runtime import Runtime

from ...schema.article import CHAPTER_NAMES, Article, ChapterName, Digest, DroppedLine, Proposal
from ...schema.errors import ModelAnswerUnusable, ModelRefused
from ...schema.reflection_states import DroppedState, ProposalState, ReflectionContext, ReflectionState, ReflectionUpdate
from ...text.articles.rules import reconstruct_by_rules, replaced_lines
from . import reconstructing
from .job import ReflectionJob, read_article, reflection_job

log = logging.getLogger(__name__)


async def reconstruct(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """One model call with the reasons that the check gave for the last proposal; without a model, by rules."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    article, revision = await read_article(job, context)
    stimulus, tries = state["stimulus"], state.get("tries", 0) + 1
    if context.chat is None:
        ruled = await asyncio.to_thread(proposal_by_rules, article, stimulus, job)
        return {"proposal": proposal_state(ruled, revision), "tries": tries, "conflict": False}
    digested = state["digested"]
    try:
        proposal = await reconstructing.reconstruct(
            article,
            Digest(digested["significant"], tuple(digested["chapters"]), tuple(digested["points"])),
            stimulus,
            state.get("reasons", []),
            chat=context.chat,
            names=job.names,
            bounds=job.bounds,
            language=job.language(article, stimulus),
        )
    except (ModelAnswerUnusable, ModelRefused) as error:
        if isinstance(error, ModelRefused) and not error.about_content:
            raise
        log.warning("job %s: the model gave no article about %s: %s", job.job.job_id, job.key, error)
        spent = job.shortterm.reconstruct_max_retry + 1 if isinstance(error, ModelRefused) else tries
        return {"proposal": no_proposal(revision), "tries": max(spent, tries), "conflict": False}
    return {"proposal": proposal_state(proposal, revision), "tries": tries, "conflict": False}


def proposal_by_rules(article: Article, stimulus: Sequence[str], job: ReflectionJob) -> Proposal:
    """What the rules make of an article and new information, and the Bedrock lines that they replace."""
    made = reconstruct_by_rules(article, stimulus, names=job.names, bounds=job.bounds, today=job.today)
    return Proposal(made, replaced_lines(article, made, job.names))


def no_proposal(base_revision: int) -> ProposalState:
    """What stands where the model gave nothing usable."""
    return ProposalState(chapters={}, dropped=[], base_revision=base_revision)


def proposal_state(proposal: Proposal, base_revision: int) -> ProposalState:
    """A proposal as JSON data."""
    return ProposalState(
        chapters={name: proposal.article.chapter(name) for name in CHAPTER_NAMES},
        dropped=[DroppedState(line=one.line, reason=one.reason) for one in proposal.dropped],
        base_revision=base_revision,
    )


def proposed_article(proposal: ProposalState) -> Article:
    """The article that is proposed."""
    return Article().with_chapters(cast(dict[ChapterName, str], proposal["chapters"]))


def dropped_lines(proposal: ProposalState) -> tuple[DroppedLine, ...]:
    """The Bedrock lines that it leaves out on purpose."""
    return tuple(DroppedLine(one["line"], one["reason"]) for one in proposal["dropped"])
