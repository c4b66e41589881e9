"""select: recency, diversity, top_k, and the texts."""

from __future__ import annotations

import asyncio

from langgraph.runtime import Runtime

from ...retrieval.recall_states import FoundEvent, RecallContext, RecallState, RecallUpdate


async def select(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Raises StorageError."""
    hits = await asyncio.to_thread(runtime.context.steps.select, state["request"], state["candidates"])
    return {
        "hits": [
            FoundEvent(
                event_id=hit.event.event_id,
                text=hit.event.text,
                timestamp=hit.event.timestamp_local,
                user_id=hit.event.user_id,
                group_id=hit.event.group_id,
                kind=hit.event.kind,
                score=hit.score,
                scores=dict(hit.scores),
            )
            for hit in hits
        ]
    }
