"""fuse: the scores of vectors, keywords, neighbours, names and dates as one."""

from __future__ import annotations

import asyncio

from langgraph.runtime import Runtime

from ...retrieval.recall_states import RecallContext, RecallState, RecallUpdate


async def fuse(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    steps = runtime.context.steps
    return {"candidates": await asyncio.to_thread(steps.fuse, state["request"], state["survey"], state["vectors"])}
