"""Nodes that work on a job of kind `talk` part by part: a message is a part, and so is a person whose profile changes.

Each part is a state of its own, as of a job with new information: its sender, its time, its items. A node need not know that
there are several. Of a job of another kind the whole state is the one part.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from langgraph.runtime import Runtime

from ...schema.graph_states.historian import HistorianPart, HistorianState, HistorianUpdate
from ...stores.historian_context import HistorianContext
from ...text.learnt import people_of

Node = Callable[[HistorianState, Runtime[HistorianContext]], Awaitable[HistorianUpdate]]


def each_message(node: Node) -> Node:
    """Return the node, run for every message of a talk that waits for it."""

    @wraps(node)
    async def run(state: Any, runtime: Runtime[Any]) -> Any:
        if "parts" not in state:
            return await node(state, runtime)
        parts = [one if _is_done(one) else await _run(node, one, runtime) for one in state["parts"]]
        return {"parts": parts, **_together(parts)}

    return run


def each_person(node: Node) -> Node:
    """Return the node, run once for each person of a talk, with all that they told."""

    @wraps(node)
    async def run(state: Any, runtime: Runtime[Any]) -> Any:
        if "parts" not in state:
            return await node(state, runtime)
        people = [await _run(node, one, runtime) for one in people_of(state)]
        return HistorianUpdate(people=people)

    return run


async def _run(node: Node, part: HistorianPart, runtime: Runtime[HistorianContext]) -> HistorianPart:
    return {**part, **await node(part, runtime)}  # type: ignore[arg-type,typeddict-unknown-key]


def _is_done(part: HistorianPart) -> bool:
    """Return True for a part that has been filed, which no node changes any more."""
    return "filed" in part


def _together(parts: list[HistorianPart]) -> dict[str, Any]:
    """Return what the edges and the statistics read: the items of all parts, and what became of them."""
    filed = {one.get("filed") for one in parts}
    outcome = next((one for one in ("new", "before", "forgotten") if one in filed), "new")
    return {
        "items": [item for one in parts for item in one.get("items", [])],
        "filed": outcome,
        "event_ids": [name for one in parts for name in one.get("event_ids", [])],
    }
