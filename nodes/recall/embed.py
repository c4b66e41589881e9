"""embed: the query as vectors; none where there is no embedder, or it fails."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ...retrieval.recall_states import RecallContext, RecallState, RecallUpdate


async def embed_query(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Keywords alone answer where the embedder does not."""
    return {"vectors": await runtime.context.steps.embed_or_not(state["request"])}
