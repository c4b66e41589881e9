"""The write graph: rewrite → gate → (retry) → embed → (new information?) merge_profile → write_profile.

START → rewrite → gate ─pass or tries spent─→ embed → [new_info?] ─yes→ merge_profile → write_profile → END
           ↑        │                                     └no→ END            ↑              │
           └────────┘ violations, tries left                                  └──────────────┘ revision moved
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..nodes.historian.embed import embed
from ..nodes.historian.gate import gate
from ..nodes.historian.merge_profile import merge_profile
from ..nodes.historian.rewrite import rewrite
from ..nodes.historian.write_profile import write_profile
from ..schema.states import HistorianContext, HistorianInput, HistorianState

HistorianGraph = CompiledStateGraph[HistorianState, HistorianContext, HistorianInput, HistorianState]


def after_gate(state: HistorianState) -> Literal["rewrite", "embed"]:
    """Back to the rewriter while something was sent back and tries are left."""
    waiting = any(not item["passed"] for item in state["items"])
    return "rewrite" if waiting and not state.get("spent") else "embed"


def after_embed(state: HistorianState) -> Literal["merge_profile", "__end__"]:
    """Profiles change only where there is new information, and never for what was forgotten meanwhile."""
    learnt = any(item["kind"] == "fact" for item in state["items"])
    return "merge_profile" if learnt and state["filed"] != "forgotten" else "__end__"


def after_write(state: HistorianState) -> Literal["merge_profile", "__end__"]:
    """A profile that was changed by somebody else meanwhile is merged anew."""
    return "merge_profile" if state.get("conflict") else "__end__"


def build_historian() -> StateGraph[HistorianState, HistorianContext, HistorianInput, HistorianState]:
    """The graph, not compiled."""
    graph = StateGraph(HistorianState, context_schema=HistorianContext, input_schema=HistorianInput)
    wire_historian(graph)
    return graph


def wire_historian(
    graph: StateGraph[HistorianState, Any, Any, Any], *, after: str = START, bound: Callable[[Any], Any] = lambda node: node
) -> None:
    """Put the nodes and edges into `graph`, beginning `after` one of its nodes; `bound` may wrap each node's function."""
    graph.add_node("rewrite", bound(rewrite))
    graph.add_node("gate", bound(gate))
    graph.add_node("embed", bound(embed))
    graph.add_node("merge_profile", bound(merge_profile))
    graph.add_node("write_profile", bound(write_profile))
    graph.add_edge(after, "rewrite")
    graph.add_edge("rewrite", "gate")
    graph.add_conditional_edges("gate", after_gate)
    graph.add_conditional_edges("embed", after_embed)
    graph.add_edge("merge_profile", "write_profile")
    graph.add_conditional_edges("write_profile", after_write, {"merge_profile": "merge_profile", "__end__": END})


def compile_historian(checkpointer: BaseCheckpointSaver[str] | None = None) -> HistorianGraph:
    """The graph, ready to run: `await graph.ainvoke({"job": …}, config, context=HistorianContext(…))`."""
    return build_historian().compile(checkpointer=checkpointer, name="historian")
