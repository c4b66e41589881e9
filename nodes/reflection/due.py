"""What is due next for a person: another summary, a promotion, the job's own reflection, or nothing. Shared by the nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import accumulate
from operator import sub

from ...prompts.summarising import absolute_lines
from ...schema.reflection_states import ReflectionContext, ReflectionUpdate
from ...schema.settings import ShorttermSettings
from ...schema.summary import Summary
from .job import ReflectionJob


async def next_step(job: ReflectionJob, context: ReflectionContext) -> ReflectionUpdate:
    """A summary where enough waits (`through` names its last state), else what the article is to be rewritten for."""
    through = await waiting_for_summary(job, context)
    return {"through": through} if through else {"through": "", **await what_is_due(job, context, reflected=False)}


async def waiting_for_summary(job: ReflectionJob, context: ReflectionContext) -> str:
    """The entry id of the last state of the next summary; "" where the threshold is not passed.

    Everything that waits becomes one summary, unless that is twice the threshold or more: then it takes several.
    """
    buffered = context.article_stores.buffer
    total = await asyncio.to_thread(buffered.tokens, job.key)
    if total < job.threshold:
        return ""
    states = await asyncio.to_thread(buffered.oldest, job.key, job.threshold if total >= 2 * job.threshold else total)
    return states[-1].entry_id if states else ""


async def what_is_due(job: ReflectionJob, context: ReflectionContext, *, reflected: bool) -> ReflectionUpdate:
    """For what the article is to be rewritten next; an empty `occasion` for nothing."""
    nothing: ReflectionUpdate = {"occasion": "", "sources": [], "stimulus": [], "tries": 0, "reasons": [], "passed": False}
    promoted = to_promote(await short_term(job, context), job.shortterm)
    if promoted:
        stimulus = [f"[{one.until[:10]}] {one.text}" for one in promoted]
        return {**nothing, "occasion": "promotion", "sources": [one.id for one in promoted], "stimulus": stimulus}
    if job.payload.reflect and not reflected:
        stimulus = await said(job)
        if stimulus:
            return {**nothing, "occasion": "reflection", "sources": [job.job.job_id], "stimulus": stimulus}
    return nothing


async def said(job: ReflectionJob) -> list[str]:
    """What the job's states say, true out of context: by rules, since what the article takes in must be dated before."""
    spoken = [one for _, one in job.payload.entries(job.job)]
    lines = await asyncio.to_thread(absolute_lines, spoken, job.names, job.job.moment, job.job.timezone)
    return ["\n".join([f"[{job.today.isoformat()}] {lines[0]}", *lines[1:]])] if lines else []


async def short_term(job: ReflectionJob, context: ReflectionContext) -> list[Summary]:
    """The summaries that are short-term memory, oldest first. One that the article has taken in already is marked now."""
    stores = context.article_stores
    waiting = [one for one in await asyncio.to_thread(stores.summaries.read, job.key) if one.is_short_term]
    known = await asyncio.to_thread(stores.articles.taken_in, job.key, [one.id for one in waiting])
    if known:
        stored = await asyncio.to_thread(stores.articles.read, job.key)
        revision = stored.revision if stored is not None else 0
        await asyncio.to_thread(stores.summaries.mark_promoted, job.key, known, at=job.now(context), into=revision)
    return [one for one in waiting if one.id not in known]


def to_promote(waiting: Sequence[Summary], settings: ShorttermSettings) -> list[Summary]:
    """The oldest summaries that are to become long-term memory now: `promote_count` of them where there are more than
    `promote_above`, and as few as it takes, at most so many, where together they are over `max_tokens`."""
    if len(waiting) > settings.promote_above:
        return list(waiting[: settings.promote_count])
    total = sum(one.tokens for one in waiting)
    # What is left when all before have gone; as long as that is too much, the next one goes too.
    left = accumulate((one.tokens for one in waiting), sub, initial=total)
    return [one for one, tokens in zip(waiting[: settings.promote_count], left, strict=False) if tokens > settings.max_tokens]
