"""embed: the query as vectors; none if there is no embedder, or it fails."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ...retrieval.driver import embed, warn
from ...retrieval.recall_states import RecallContext, RecallState, RecallUpdate


async def embed_query(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Keywords alone answer if the embedder does not."""
    reasons: list[str] = []
    vectors = await embed(runtime.context.steps, state["request"], reasons)
    warn(state["request"], reasons)
    return {"vectors": vectors}
