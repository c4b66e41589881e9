"""survey: what the scope holds, and the keywords of the query in it."""

from __future__ import annotations

import asyncio

from langgraph.runtime import Runtime

from ...retrieval.recall_states import RecallContext, RecallState, RecallUpdate


async def survey(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Raises StorageError."""
    return {"survey": await asyncio.to_thread(runtime.context.steps.survey, state["request"])}
