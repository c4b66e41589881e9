"""The nodes that make summaries: buffer states, summarise enough of them, file the summary."""

from __future__ import annotations

import asyncio
from datetime import datetime
from zoneinfo import ZoneInfo

from langgraph.runtime import Runtime

from ...prompts import summarising
from ...schema.event import Event
from ...schema.graph_states.reflection import ReflectionState, ReflectionUpdate
from ...schema.ids import digest_of
from ...schema.scope import ASSERTED, is_asserted
from ...schema.summary import ArticleKey, BufferedState, Summary
from ...stores.historian_context import HistorianContext
from ...text.tokens import estimate_tokens
from .due import next_step
from .job import ReflectionJob, reflection_job

SOURCE = "summary"


async def buffer(state: ReflectionState, runtime: Runtime[HistorianContext]) -> ReflectionUpdate:
    """Buffer the states once, unless the person or group was forgotten meanwhile."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    if await asyncio.to_thread(job.is_forgotten, context):
        return {"forgotten": True, "through": "", "occasion": ""}
    buffered = context.article_stores.buffer
    await asyncio.to_thread(
        buffered.add,
        job.key,
        job.job.job_id,
        job.payload.entries(job.job),
        entities=job.job.entities,
        at=job.job.moment.timestamp(),
    )
    summaries = await asyncio.to_thread(context.article_stores.summaries.read, job.key)
    if summaries and summaries[-1].through:
        # A process may have been killed after adding a summary and before releasing its states, and
        # have lost its checkpoint. States that a summary covers do not wait any more.
        await asyncio.to_thread(buffered.release, job.key, summaries[-1].through)
    return await next_step(job, context)


async def summarise(state: ReflectionState, runtime: Runtime[HistorianContext]) -> ReflectionUpdate:
    """Draft a summary, without storing it.

    The draft is empty if the states were deleted because the person was forgotten.
    """
    context = runtime.context
    job = reflection_job(state, context.settings)
    states = await asyncio.to_thread(
        context.article_stores.buffer.through, job.key, state["through"]
    )
    draft = await summarising.summarise(
        [one.spoken for one in states],
        chat=context.chat,
        names=job.names,
        moment=job.job.moment,
        timezone=job.job.timezone,
        language=job.configured_language,
    )
    return {"draft": draft}


async def file_summary(
    state: ReflectionState, runtime: Runtime[HistorianContext]
) -> ReflectionUpdate:
    """File the event first, then the summary, and release the states last.

    Every step is idempotent. For `buffer`, an existing summary means that its event is filed.
    """
    context = runtime.context
    job = reflection_job(state, context.settings)
    states = await asyncio.to_thread(
        context.article_stores.buffer.through, job.key, state["through"]
    )
    filed = list(state.get("filed", []))
    summary_id = id_of(job.key, state["through"])
    if states:
        if state["draft"]["text"]:
            summary = summary_of(job, states, state, created_at=job.now(context))
            if summary.written_by == "model" or any(one.spoken.role != "record" for one in states):
                # The event has no vector yet: the worker embeds it when idle. If the states are
                # records only, and no model summarised them, they are events already.
                await asyncio.to_thread(context.events.file_new, [event_of(summary, job)], [None])
            await asyncio.to_thread(
                context.article_stores.summaries.add,
                summary,
                forgotten=lambda: job.is_forgotten(context),
            )
            filed.append(summary_id)
        await asyncio.to_thread(context.article_stores.buffer.release, job.key, state["through"])
    if await asyncio.to_thread(job.is_forgotten, context):
        return {"forgotten": True, "filed": filed, "through": "", "occasion": ""}
    return {"filed": filed, **await next_step(job, context)}


def id_of(key: ArticleKey, through: str) -> str:
    """Return the id of the summary whose last state is `through`; its event has the same id."""
    return f"{ASSERTED if is_asserted(through) else ''}{SOURCE}-{digest_of(key.scope.key, key.user_id, through)}"


def summary_of(
    job: ReflectionJob, states: list[BufferedState], state: ReflectionState, *, created_at: str
) -> Summary:
    """Return the summary for the draft in `state`, made from `states`."""
    draft = state["draft"]
    times = [one.spoken.at for one in states if one.spoken.at] or [job.job.timestamp]
    return Summary(
        id=id_of(job.key, state["through"]),
        key=job.key,
        text=draft["text"],
        since=times[0],
        until=times[-1],
        created_at=created_at,
        tokens=estimate_tokens(draft["text"]),
        written_by=draft["written_by"],
        is_absolute=draft["is_absolute"],
        through=state["through"],
    )


def event_of(summary: Summary, job: ReflectionJob) -> Event:
    """Return the summary as an event of its conversation, with the time of its last state."""
    moment = datetime.fromisoformat(summary.until).astimezone(ZoneInfo(job.job.timezone))
    return Event.in_scope(
        summary.key.scope,
        moment,
        job.job.timezone,
        event_id=summary.id,
        job_id=summary.id,
        kind="action",
        text=summary.text,
        user_name=job.job.user_name,
        is_absolute=summary.is_absolute,
        gate_reasons=summary.gate_reasons,
        rewritten_by=summary.written_by,
        source=SOURCE,
    )
