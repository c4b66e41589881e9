"""Wrappers that run a node for each part of a job of kind `talk`.

A part is one message, or one person whose profile changes. Each part is a state of its own, like
the state of a hand-over: it has a job (with sender and time) and items. So a node does not have to
handle several parts. For a job of another kind, the node gets the whole state.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from langgraph.runtime import Runtime

from ...schema.graph_states.historian import HistorianPart, HistorianState, HistorianUpdate
from ...stores.historian_context import HistorianContext
from ...text.facts.learnt import people_of

Node = Callable[[HistorianState, Runtime[HistorianContext]], Awaitable[HistorianUpdate]]


def each_message(node: Node) -> Node:
    """Return a node that runs `node` for each message of a talk that is not filed yet."""

    @wraps(node)
    async def run(state: Any, runtime: Runtime[Any]) -> Any:
        if "parts" not in state:
            return await node(state, runtime)
        parts = [one if _is_done(one) else await _run(node, one, runtime) for one in state["parts"]]
        return {"parts": parts, **_together(parts)}

    return run


def each_person(node: Node) -> Node:
    """Return a node that runs `node` once per person of a talk, with all facts of the person."""

    @wraps(node)
    async def run(state: Any, runtime: Runtime[Any]) -> Any:
        if "parts" not in state:
            return await node(state, runtime)
        people = [await _run(node, one, runtime) for one in people_of(state)]
        return HistorianUpdate(people=people)

    return run


async def _run(
    node: Node, part: HistorianPart, runtime: Runtime[HistorianContext]
) -> HistorianPart:
    return {**part, **await node(part, runtime)}  # type: ignore[arg-type,typeddict-unknown-key]


def _is_done(part: HistorianPart) -> bool:
    """Return True if the part is filed: no node changes it any more."""
    return "filed" in part


def _together(parts: list[HistorianPart]) -> dict[str, Any]:
    """Return the items and event ids of all parts, and the outcome of filing.

    The outcome is "new" if any part is new, else "before" if any part was filed before. The edges
    of the graph and the statistics read these keys.
    """
    filed = {one.get("filed") for one in parts}
    outcome = next((one for one in ("new", "before", "forgotten") if one in filed), "new")
    return {
        "items": [item for one in parts for item in one.get("items", [])],
        "filed": outcome,
        "event_ids": [name for one in parts for name in one.get("event_ids", [])],
    }
