"""Finds what is due next for a person. Shared by the nodes.

This is another summary, a promotion of summaries, the reflection of the job itself, or nothing. All
functions are blocking.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import sub

from ...prompts.summarising import TALK_TOKENS, said_lines, under_days
from ...schema.graph_states.reflection import ReflectionUpdate
from ...schema.summary import Summary, summaries_waiting
from ...text.statements import stamped
from .job import ReflectionJob


def next_step(job: ReflectionJob) -> ReflectionUpdate:
    """Return the next step: a summary if enough states wait, else what is due for the article.

    `through` is the entry id of the last state of the summary, or "".
    """
    through = waiting_for_summary(job)
    due = {} if through else what_is_due(job, reflected=False)
    return {"through": through, **due}


def waiting_for_summary(job: ReflectionJob) -> str:
    """Return the entry id of the last state of the next summary; "" below the threshold.

    All waiting states become one summary, or several from twice the threshold on. Without a model
    the threshold is at most TALK_TOKENS, since a summary then contains the talk itself.
    """
    said, recorded = job.stores.buffer.fill(job.key)
    threshold = job.threshold if job.context.chat is not None else min(job.threshold, TALK_TOKENS)
    summaries = summaries_waiting(said, recorded, threshold, job.shortterm.record_token_threshold)
    if summaries < 1:
        return ""
    total = said + recorded
    wanted = total if summaries < 2 else int(total / summaries)
    states = job.stores.buffer.read(job.key)
    sums = accumulate(one.tokens for one in states)
    enough = (one for one, tokens in zip(states, sums, strict=True) if tokens >= wanted)
    return next((one.entry_id for one in enough), "")


def what_is_due(job: ReflectionJob, *, reflected: bool) -> ReflectionUpdate:
    """Return why the article is to be rewritten next; `occasion` is "" if nothing is due.

    Without a model there is no article. The oldest summaries then leave short-term memory if all
    together have more than `max_tokens` tokens.
    """
    nothing: ReflectionUpdate = {
        "occasion": "",
        "sources": [],
        "stimulus": [],
        "tries": 0,
        "reasons": [],
        "passed": False,
    }
    summaries = job.stores.summaries
    waiting = [one for one in summaries.read(job.key) if one.is_short_term]
    if job.context.chat is None:
        if leaving := [one.id for one in beyond(waiting, job.shortterm.max_tokens)]:
            summaries.mark_promoted(job.key, leaving, at=job.now(), into=None)
        return nothing
    many = (
        waiting
        if len(waiting) > job.shortterm.promote_above
        else beyond(waiting, job.shortterm.max_tokens)
    )
    if promoted := many[: job.shortterm.promote_count]:
        stimulus = [
            one.text if stamped(one.text)[0] else f"[{one.until[:10]}] {one.text}"
            for one in promoted
        ]
        return {
            **nothing,
            "occasion": "promotion",
            "sources": [one.id for one in promoted],
            "stimulus": stimulus,
        }
    if job.payload.reflect and not reflected and (stimulus := said(job)):
        return {
            **nothing,
            "occasion": "reflection",
            "sources": [job.job.job_id],
            "stimulus": stimulus,
        }
    return nothing


def said(job: ReflectionJob) -> list[str]:
    """Return a list of one text with the job's states, `2026-02-21 Ann: …`; [] if none has text."""
    spoken = [one for _, one in job.payload.entries(job.job)]
    lines = said_lines(spoken, job.names, job.job.moment, job.job.timezone)
    return ["\n".join(under_days(lines))] if lines else []


def beyond(waiting: Sequence[Summary], tokens: int) -> list[Summary]:
    """Return the oldest summaries that must leave so that the others have at most `tokens` tokens.

    The newest summary is never returned.
    """
    # `left` are the tokens before each summary leaves. It leaves if these are still too many.
    left = accumulate(
        (one.tokens for one in waiting), sub, initial=sum(one.tokens for one in waiting)
    )
    return [one for one, held in zip(waiting[:-1], left, strict=False) if held > tokens]
