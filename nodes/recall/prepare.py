"""prepare: a request, bound to its conversation, from what was asked."""

from __future__ import annotations

from typing import cast

from langgraph.runtime import Runtime

from ...retrieval.filters import bounded_top_k, event_filter
from ...retrieval.recall_states import RecallContext, RecallState, RecallUpdate
from ...retrieval.request import make_request
from ...schema.scope import RequestType, Scope


async def prepare(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Raises InvalidInput for a conversation or condition that is none."""
    context, settings = runtime.context, runtime.context.settings.query
    group_id, user_id = state.get("group_id", ""), state.get("user_id", "")
    request_type = cast(RequestType, state.get("request_type") or ("group" if group_id else "private"))
    scope = Scope(request_type, user_id, group_id)
    return {
        "request": make_request(
            state.get("query", ""),
            event_filter(scope, **{"timezone": context.timezone, **state.get("conditions", {})}),
            top_k=bounded_top_k(state.get("top_k"), settings.tool_default_top_k),
            half_life_days=settings.time_decay_half_life_days_tools,
            now=context.clock(),
            timezone=context.timezone,
            context=state.get("context", ()),
            speaker_id=scope.user_id,
        )
    }
