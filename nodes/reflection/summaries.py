"""The nodes that make summaries: buffer the states, summarise those that are enough, file the summary."""

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
    """Buffer the states once; nothing if the person or group was forgotten meanwhile."""
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
        # Killed between the summary and the release, and the checkpoint lost: what a summary covers waits no more.
        await asyncio.to_thread(buffered.release, job.key, summaries[-1].through)
    return await next_step(job, context)


async def summarise(state: ReflectionState, runtime: Runtime[HistorianContext]) -> ReflectionUpdate:
    """Draft a summary; nothing is written here. The draft is empty if the states are gone (the person was forgotten)."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    states = await asyncio.to_thread(context.article_stores.buffer.through, job.key, state["through"])
    draft = await summarising.summarise(
        [one.spoken for one in states],
        chat=context.chat,
        names=job.names,
        moment=job.job.moment,
        timezone=job.job.timezone,
        language=job.configured_language,
    )
    return {"draft": draft}


async def file_summary(state: ReflectionState, runtime: Runtime[HistorianContext]) -> ReflectionUpdate:
    """File the event first, then the summary (`buffer` takes one for filed), and release the states last. All is idempotent."""
    context = runtime.context
    job = reflection_job(state, context.settings)
    states = await asyncio.to_thread(context.article_stores.buffer.through, job.key, state["through"])
    filed = list(state.get("filed", []))
    summary_id = id_of(job.key, state["through"])
    if states:
        if state["draft"]["text"]:
            summary = summary_of(job, states, state, created_at=job.now(context))
            if summary.written_by == "model" or any(one.spoken.role != "record" for one in states):
                # Without a vector: the worker embeds it when it is idle. Records alone are events already.
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
    """Return the id, in a file and as an event, of the summary whose last state is `through`."""
    return f"{ASSERTED if is_asserted(through) else ''}{SOURCE}-{digest_of(key.scope.key, key.user_id, through)}"


def summary_of(job: ReflectionJob, states: list[BufferedState], state: ReflectionState, *, created_at: str) -> Summary:
    """Return the summary made of the draft and its states."""
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
    """Return the summary as an event of its conversation, at the time of the last state that it covers."""
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
