"""prepare: a request, bound to its conversation, from what was asked."""

from __future__ import annotations

from typing import cast

from langgraph.runtime import Runtime

from ...retrieval.recall_states import RecallContext, RecallState, RecallUpdate
from ...retrieval.request import scope_request
from ...schema.scope import RequestType, Scope


async def prepare(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Raises InvalidInput for an invalid scope or condition."""
    group_id, context = state.get("group_id", ""), runtime.context
    request_type = state.get("request_type") or ("group" if group_id else "private")
    request = scope_request(
        state.get("query", ""),
        Scope(cast(RequestType, request_type), state.get("user_id", ""), group_id),
        context.settings.query,
        top_k=state.get("top_k"),
        context=state.get("context", ()),
        conditions=state.get("conditions", {}),
        now=context.clock(),
        timezone=context.timezone,
    )
    return {"request": request}
