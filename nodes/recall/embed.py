"""embed: the query as vectors; none if there is no embedder, or it fails."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ...retrieval.driver import embed
from ...retrieval.recall_states import RecallContext, RecallState, RecallUpdate


async def embed_query(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Keywords alone answer if the embedder does not."""
    return {"vectors": await embed(runtime.context.steps, state["request"])}
