"""The consolidation graph: states → summary → article.

START → buffer ─enough waits→ summarise → file_summary ─due or asked for→ digest → reconstruct → check_article → write_article
          │                       ↑ still enough │                       ↑  │         ↑ ↑ tries left │                │
          └→ digest or END        └──────────────┴→ END                  │  │         │ └────────────┘  revision moved│
                                             END ←── mark_promoted ──────┘  │         └─────────────────────────────┤
                                                       ↑  ↑ insignificant   │                               written │
                                                       │  └─────────────────┘                                       │
                                                       └────────────────────────────────────────────────────────────┘

Each run is one job of kind `states`. Where more is due afterwards (still too many summaries, or the job's own
reflection), mark_promoted leads to digest again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..nodes.reflection.buffer import buffer
from ..nodes.reflection.check_article import check_article
from ..nodes.reflection.digest import digest
from ..nodes.reflection.file_summary import file_summary
from ..nodes.reflection.mark_promoted import mark_promoted
from ..nodes.reflection.reconstruct import reconstruct
from ..nodes.reflection.summarise import summarise
from ..nodes.reflection.write_article import write_article
from ..schema.graph_states.reflection import ReflectionContext, ReflectionInput, ReflectionState

ReflectionGraph = CompiledStateGraph[ReflectionState, ReflectionContext, ReflectionInput, ReflectionState]


def after_filing(state: ReflectionState) -> Literal["summarise", "digest", "__end__"]:
    """Make summaries while enough states wait; then update the article if that is due."""
    if state.get("through"):
        return "summarise"
    return "digest" if state.get("occasion") else "__end__"


def after_digest(state: ReflectionState) -> Literal["reconstruct", "mark_promoted"]:
    """Summaries always become part of the article; an interaction only if it is significant."""
    wanted = state["occasion"] == "promotion" or state["digested"]["significant"]
    return "reconstruct" if wanted else "mark_promoted"


def after_check(state: ReflectionState) -> Literal["write_article", "reconstruct"]:
    """Return to the model with the reasons until a proposal passes or the one made by rules is taken."""
    return "write_article" if state.get("passed") else "reconstruct"


def after_write(state: ReflectionState) -> Literal["reconstruct", "mark_promoted", "__end__"]:
    """Reconstruct again if another writer changed the article meanwhile; end if the person was forgotten."""
    if state.get("forgotten"):
        return "__end__"
    return "reconstruct" if state.get("conflict") else "mark_promoted"


def after_promotion(state: ReflectionState) -> Literal["digest", "__end__"]:
    """Run again while something is due."""
    return "digest" if state.get("occasion") else "__end__"


def wire_reflection(
    graph: StateGraph[ReflectionState, Any, Any, Any], *, after: str = START, bound: Callable[[Any], Any] = lambda node: node
) -> None:
    """Add the nodes and edges to `graph`, starting `after` one of its nodes; `bound` may wrap each node's function."""
    for node in (buffer, summarise, file_summary, digest, reconstruct, check_article, write_article, mark_promoted):
        graph.add_node(node.__name__, bound(node))
    graph.add_edge(after, "buffer")
    graph.add_conditional_edges("buffer", after_filing)
    graph.add_edge("summarise", "file_summary")
    graph.add_conditional_edges("file_summary", after_filing)
    graph.add_conditional_edges("digest", after_digest)
    graph.add_edge("reconstruct", "check_article")
    graph.add_conditional_edges("check_article", after_check)
    graph.add_conditional_edges("write_article", after_write)
    graph.add_conditional_edges("mark_promoted", after_promotion)


def compile_reflection(checkpointer: BaseCheckpointSaver[str] | None = None) -> ReflectionGraph:
    """Return the graph, ready to run: `await graph.ainvoke({"job": …}, config, context=ReflectionContext(…))`."""
    graph = StateGraph(ReflectionState, context_schema=ReflectionContext, input_schema=ReflectionInput)
    wire_reflection(graph)
    return graph.compile(checkpointer=checkpointer, name="reflection")
