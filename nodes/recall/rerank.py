"""rerank: the best candidates in the order of a reranker, if one is configured."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ...retrieval import driver
from ...retrieval.recall_states import RecallContext, RecallState, RecallUpdate


async def rerank(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Keep the previous order if the reranker fails or takes too long."""
    reasons: list[str] = []
    candidates = await driver.rerank(runtime.context.steps, state["request"], state["candidates"], reasons)
    driver.warn(state["request"], reasons)
    return {"candidates": candidates}
