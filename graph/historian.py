"""The write graph, which files jobs and updates profiles.

Hand-overs pass through rewrite and gate, talk through extract and gate; then both update profiles.

START ─(hand-over)→ rewrite ⇄ gate ─pass, or tries spent─→ embed ─new information─→ link → merge_profile → write_profile → END
  └────(talk)─────→ extract ⇄                                └─none─→ END                       ↑              │
                           violations, tries left                                               └──────────────┘ revision moved

A run whose profiles are merged later ends after link. A job of kind `profile` starts at
merge_profile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..nodes.historian import HistorianContext
from ..nodes.historian.embed import embed
from ..nodes.historian.extract import extract
from ..nodes.historian.gate import gate
from ..nodes.historian.link import link
from ..nodes.historian.merge_profile import merge_profile
from ..nodes.historian.parts import each_message, each_person
from ..nodes.historian.rewrite import rewrite
from ..nodes.historian.write_profile import write_profile
from ..schema.graph_states.historian import HistorianInput, HistorianState

HistorianGraph = CompiledStateGraph[
    HistorianState, HistorianContext, HistorianInput, HistorianState
]


def first_node(state: HistorianState) -> Literal["extract", "rewrite", "merge_profile"]:
    """Return the first node for a job, which is talk, filed facts for a profile, or a hand-over."""
    kind = state["job"].get("kind")
    return "extract" if kind == "talk" else "merge_profile" if kind == "profile" else "rewrite"


def after_gate(state: HistorianState) -> Literal["extract", "rewrite", "embed"]:
    """Return to the model if a text has not passed and attempts are left; else go on to embed."""
    if "parts" in state:
        return "extract" if state.get("refused") and not state.get("spent") else "embed"
    waiting = any(not item["passed"] for item in state["items"])
    return "rewrite" if waiting and not state.get("spent") else "embed"


def after_embed(state: HistorianState) -> Literal["link", "__end__"]:
    """Link and merge if there are new facts, unless the user or group was forgotten meanwhile."""
    learnt = any(item["kind"] == "fact" for item in state["items"])
    return "link" if learnt and state["filed"] != "forgotten" else "__end__"


def after_link(state: HistorianState) -> Literal["merge_profile", "__end__"]:
    """Merge profiles in this run, unless they are merged later with further facts."""
    return "__end__" if state.get("merges_later") else "merge_profile"


def after_write(state: HistorianState) -> Literal["merge_profile", "__end__"]:
    """Merge again after a conflict with another writer, or if profiles are left to be merged."""
    return "merge_profile" if state.get("conflict") else "__end__"


def wire_historian(
    graph: StateGraph[HistorianState, Any, Any, Any],
    *,
    after: str = START,
    bound: Callable[[Any], Any] = lambda node: node,
) -> None:
    """Add nodes and edges to `graph`, beginning after the node `after`; `bound` wraps each node."""
    graph.add_node("extract", bound(extract))
    graph.add_node("rewrite", bound(rewrite))
    graph.add_node("gate", bound(gate))
    graph.add_node("embed", bound(each_message(embed)))
    graph.add_node("link", bound(each_person(link)))
    for node in (merge_profile, write_profile):
        graph.add_node(node.__name__, bound(node))
    graph.add_conditional_edges(after, first_node)
    graph.add_edge("extract", "gate")
    graph.add_edge("rewrite", "gate")
    graph.add_conditional_edges("gate", after_gate)
    graph.add_conditional_edges("embed", after_embed)
    graph.add_conditional_edges("link", after_link)
    graph.add_edge("merge_profile", "write_profile")
    graph.add_conditional_edges("write_profile", after_write)


def compile_rewriting() -> HistorianGraph:
    """Return a graph of rewrite and gate only: it writes and checks texts, and files nothing."""
    graph = StateGraph(HistorianState, context_schema=HistorianContext, input_schema=HistorianInput)
    graph.add_node("rewrite", rewrite)
    graph.add_node("gate", gate)
    graph.add_edge(START, "rewrite")
    graph.add_edge("rewrite", "gate")
    graph.add_conditional_edges("gate", after_gate, {"rewrite": "rewrite", "embed": END})
    return graph.compile(name="rewriting")


def compile_historian(checkpointer: BaseCheckpointSaver[str] | None = None) -> HistorianGraph:
    """Return the compiled graph.

    Run it by `await graph.ainvoke({"job": …}, config, context=HistorianContext(…))`.
    """
    graph = StateGraph(HistorianState, context_schema=HistorianContext, input_schema=HistorianInput)
    wire_historian(graph)
    return graph.compile(checkpointer=checkpointer, name="historian")
