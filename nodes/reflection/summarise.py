"""summarise: one dated summary of the buffered states; one model call, or none."""

from __future__ import annotations

import asyncio

from langgraph.runtime import Runtime

from ...prompts import summarising
from ...schema.graph_states.reflection import (
    DraftState,
    ReflectionContext,
    ReflectionState,
    ReflectionUpdate,
)
from .job import reflection_job


async def summarise(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
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
    return {"draft": DraftState(text=draft.text, written_by=draft.written_by, is_absolute=draft.is_absolute)}
