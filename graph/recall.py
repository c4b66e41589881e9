"""The recall graph: prepare → (survey ∥ embed) → fuse → rerank → select.

START → prepare ─┬→ survey ─┬→ fuse → rerank → select → END
                 └→ embed ──┘

The service does not use this graph before a reply: `retrieval.driver` runs the same steps within a
deadline, and the overhead of the graph is a few milliseconds per run, as much as the whole search.
The graph is for Studio, for experiments, and for chains that need a Runnable:

    await compile_recall().ainvoke({"query": "…", "group_id": "100"}, context=RecallContext(…))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..nodes.recall import embed, fuse, prepare, rerank, select, survey
from ..retrieval.recall_states import RecallContext, RecallInput, RecallOutput, RecallState

RecallGraph = CompiledStateGraph[RecallState, RecallContext, RecallInput, RecallOutput]


def wire_recall(
    graph: StateGraph[RecallState, Any, Any, Any],
    *,
    after: str = START,
    bound: Callable[[Any], Any] = lambda node: node,
) -> None:
    """Add nodes and edges to `graph`, beginning after the node `after`; `bound` wraps each node."""
    for node in (prepare, survey, embed, fuse, rerank, select):
        graph.add_node(node.__name__, bound(node))
    graph.add_edge(after, "prepare")
    graph.add_edge("prepare", "survey")
    graph.add_edge("prepare", "embed")
    graph.add_edge(["survey", "embed"], "fuse")
    graph.add_edge("fuse", "rerank")
    graph.add_edge("rerank", "select")
    graph.add_edge("select", END)


def compile_recall() -> RecallGraph:
    """Return the compiled graph. It has no checkpointer: a recall is restarted, never resumed."""
    graph = StateGraph(
        RecallState,
        context_schema=RecallContext,
        input_schema=RecallInput,
        output_schema=RecallOutput,
    )
    wire_recall(graph)
    return graph.compile(name="recall")
