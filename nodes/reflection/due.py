"""What is due next for a person: another summary, a promotion, the job's own reflection, or nothing. Shared by the nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import accumulate
from operator import sub

from ...prompts.summarising import TALK_TOKENS, said_lines, under_days
from ...schema.graph_states.reflection import ReflectionContext, ReflectionUpdate
from ...schema.settings import ShorttermSettings
from ...schema.summary import Summary, summaries_waiting
from ...text.statements import stamped
from .job import ReflectionJob


async def next_step(job: ReflectionJob, context: ReflectionContext) -> ReflectionUpdate:
    """Return the next summary if enough states wait (`through` is its last state), else the reason to rewrite the article."""
    through = await waiting_for_summary(job, context)
    return {"through": through} if through else {"through": "", **await what_is_due(job, context, reflected=False)}


async def waiting_for_summary(job: ReflectionJob, context: ReflectionContext) -> str:
    """Return the entry id of the last state of the next summary; "" below the threshold.

    Everything that waits becomes one summary; from twice the threshold on, several. Without a model the threshold is at most
    TALK_TOKENS: a summary is then the talk itself, and holds no more.
    """
    buffered = context.article_stores.buffer
    said, recorded = await asyncio.to_thread(buffered.fill, job.key)
    threshold = job.threshold if context.chat is not None else min(job.threshold, TALK_TOKENS)
    summaries = summaries_waiting(said, recorded, threshold, job.shortterm.record_token_threshold)
    if summaries < 1:
        return ""
    total = said + recorded
    states = await asyncio.to_thread(buffered.oldest, job.key, total if summaries < 2 else int(total / summaries))
    return states[-1].entry_id if states else ""


async def what_is_due(job: ReflectionJob, context: ReflectionContext, *, reflected: bool) -> ReflectionUpdate:
    """Return why the article is to be rewritten next; `occasion` is empty if nothing is due.

    Without a model an interaction changes nothing by itself: the article takes in summaries only.
    """
    nothing: ReflectionUpdate = {"occasion": "", "sources": [], "stimulus": [], "tries": 0, "reasons": [], "passed": False}
    promoted = to_promote(await short_term(job, context), job.shortterm)
    if promoted:
        stimulus = [one.text if stamped(one.text)[0] else f"[{one.until[:10]}] {one.text}" for one in promoted]
        return {**nothing, "occasion": "promotion", "sources": [one.id for one in promoted], "stimulus": stimulus}
    if job.payload.reflect and not reflected and context.chat is not None:
        stimulus = await said(job)
        if stimulus:
            return {**nothing, "occasion": "reflection", "sources": [job.job.job_id], "stimulus": stimulus}
    return nothing


async def said(job: ReflectionJob) -> list[str]:
    """Return the job's states as one text, `2026-02-21 Ann: …`; nothing if none has words."""
    spoken = [one for _, one in job.payload.entries(job.job)]
    lines = await asyncio.to_thread(said_lines, spoken, job.names, job.job.moment, job.job.timezone)
    return ["\n".join(under_days(lines))] if lines else []


async def short_term(job: ReflectionJob, context: ReflectionContext) -> list[Summary]:
    """Return the short-term summaries, oldest first. Those that the article has already taken in are marked as promoted."""
    stores = context.article_stores
    waiting = [one for one in await asyncio.to_thread(stores.summaries.read, job.key) if one.is_short_term]
    known = await asyncio.to_thread(stores.articles.taken_in, job.key, [one.id for one in waiting])
    if known:
        stored = await asyncio.to_thread(stores.articles.read, job.key)
        revision = stored.revision if stored is not None else 0
        await asyncio.to_thread(stores.summaries.mark_promoted, job.key, known, at=job.now(context), into=revision)
    return [one for one in waiting if one.id not in known]


def to_promote(waiting: Sequence[Summary], settings: ShorttermSettings) -> list[Summary]:
    """Return the oldest summaries to promote now: `promote_count` of them if there are more than
    `promote_above`; as few as needed, at most so many, if together they exceed `max_tokens`."""
    if len(waiting) > settings.promote_above:
        return list(waiting[: settings.promote_count])
    total = sum(one.tokens for one in waiting)
    # The tokens left once the earlier summaries are promoted; while that is too much, the next one is promoted too.
    left = accumulate((one.tokens for one in waiting), sub, initial=total)
    return [one for one, tokens in zip(waiting[: settings.promote_count], left, strict=False) if tokens > settings.max_tokens]
