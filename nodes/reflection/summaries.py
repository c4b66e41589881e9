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
    return await asyncio.to_thread(_buffered, reflection_job(state, runtime.context))


def _buffered(job: ReflectionJob) -> ReflectionUpdate:
    if job.is_forgotten():
        return {"forgotten": True, "through": "", "occasion": ""}
    given, buffered = job.job, job.stores.buffer
    states, at = job.payload.entries(given), given.moment.timestamp()
    buffered.add(job.key, given.job_id, states, entities=given.entities, at=at)
    summaries = job.stores.summaries.read(job.key)
    if summaries and summaries[-1].through:
        # A process may have been killed after adding a summary and before releasing its states, and
        # have lost its checkpoint. States that a summary covers do not wait any more.
        buffered.release(job.key, summaries[-1].through)
    return next_step(job)


async def summarise(state: ReflectionState, runtime: Runtime[HistorianContext]) -> ReflectionUpdate:
    """Draft a summary, without storing it.

    The draft is empty if the states were deleted because the person was forgotten.
    """
    job = reflection_job(state, runtime.context)
    states = await asyncio.to_thread(job.stores.buffer.through, job.key, state["through"])
    draft = await summarising.summarise(
        [one.spoken for one in states],
        chat=runtime.context.chat,
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
    return await asyncio.to_thread(_filed, reflection_job(state, runtime.context), state)


def _filed(job: ReflectionJob, state: ReflectionState) -> ReflectionUpdate:
    states = job.stores.buffer.through(job.key, state["through"])
    filed = list(state.get("filed", []))
    if states and state["draft"]["text"]:
        summary = summary_of(job, states, state)
        if summary.written_by == "model" or any(one.spoken.role != "record" for one in states):
            # The event has no vector yet: the worker embeds it when idle. If the states are records
            # only, and no model summarised them, they are events already.
            job.context.events.file_new([event_of(summary, job)], [None])
        job.stores.summaries.add(summary, forgotten=job.is_forgotten)
        filed.append(summary.id)
    if states:
        job.stores.buffer.release(job.key, state["through"])
    if job.is_forgotten():
        return {"forgotten": True, "filed": filed, "through": "", "occasion": ""}
    return {"filed": filed, **next_step(job)}


def id_of(key: ArticleKey, through: str) -> str:
    """Return the id of the summary whose last state is `through`; its event has the same id."""
    return f"{ASSERTED if is_asserted(through) else ''}{SOURCE}-{digest_of(key.scope.key, key.user_id, through)}"


def summary_of(job: ReflectionJob, states: list[BufferedState], state: ReflectionState) -> Summary:
    """Return the summary for the draft in `state`, made from `states`."""
    draft = state["draft"]
    times = [one.spoken.at for one in states if one.spoken.at] or [job.job.timestamp]
    return Summary(
        id=id_of(job.key, state["through"]),
        key=job.key,
        text=draft["text"],
        since=times[0],
        until=times[-1],
        created_at=job.now(),
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
