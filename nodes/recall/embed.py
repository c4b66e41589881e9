"""embed: the vectors of the query; none if there is no embedder or it fails."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ...retrieval import driver
from ...retrieval.recall_states import RecallContext, RecallState, RecallUpdate


async def embed(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Without vectors the search uses keywords alone."""
    return {"vectors": await driver.embed(runtime.context.steps, state["request"])}
