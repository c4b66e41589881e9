"""rerank: the best candidates in the order of a reranker, where one is configured."""

from __future__ import annotations

import asyncio
import logging

from langgraph.runtime import Runtime

from ...retrieval.event_recall import PATIENCE_SECONDS
from ...retrieval.recall_states import RecallContext, RecallState, RecallUpdate
from ...schema.errors import ModelError

log = logging.getLogger(__name__)


async def rerank(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """The order before stands where the reranker fails or takes too long."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return {"candidates": await runtime.context.steps.rerank(state["request"], state["candidates"])}
    except (ModelError, TimeoutError) as error:
        log.warning("the order before reranking stands: %s", str(error) or "out of time")
        return {}
