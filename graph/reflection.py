"""The reflection graph: it summarises what a person said, and writes an article from the summaries.

START → buffer, which adds the texts of the job to those that wait
buffer        → summarise      enough texts wait
              → reconstruct    the article must be rewritten
              → END            neither
summarise     → file_summary
file_summary  → summarise, reconstruct or END, as after buffer
reconstruct   → check_article
check_article → reconstruct    lines were refused, and attempts are left
              → write_article  otherwise
write_article → reconstruct    another process changed the article, or another rewrite is due
              → END            otherwise

Each run handles one job of kind `states`. Only a model can write an article: without one, the run
ends after the summaries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..nodes.historian import HistorianContext
from ..nodes.reflection.article import check_article, reconstruct, write_article
from ..nodes.reflection.summaries import buffer, file_summary, summarise
from ..schema.graph_states.reflection import ReflectionInput, ReflectionState

ReflectionGraph = CompiledStateGraph[
    ReflectionState, HistorianContext, ReflectionInput, ReflectionState
]


def after_filing(state: ReflectionState) -> Literal["summarise", "reconstruct", "__end__"]:
    """Go to `summarise` while enough texts wait; then to `reconstruct` if the article must be
    rewritten."""
    if state.get("through"):
        return "summarise"
    return "reconstruct" if state.get("occasion") else "__end__"


def after_check(state: ReflectionState) -> Literal["write_article", "reconstruct"]:
    """Ask the model again, with the reasons why lines of the article were refused, until all lines
    pass or no attempts are left."""
    return "write_article" if state.get("passed") else "reconstruct"


def after_write(state: ReflectionState) -> Literal["reconstruct", "__end__"]:
    """Reconstruct again if the article was changed meanwhile or another rewrite is due, unless the
    person of the article was forgotten."""
    is_more = state.get("conflict") or state.get("occasion")
    return "reconstruct" if is_more and not state.get("forgotten") else "__end__"


def wire_reflection(
    graph: StateGraph[ReflectionState, Any, Any, Any],
    *,
    after: str = START,
    bound: Callable[[Any], Any] = lambda node: node,
) -> None:
    """Add nodes and edges to `graph`, beginning after the node `after`; `bound` wraps each node."""
    for node in (buffer, summarise, file_summary, reconstruct, check_article, write_article):
        graph.add_node(node.__name__, bound(node))
    graph.add_edge(after, "buffer")
    graph.add_conditional_edges("buffer", after_filing)
    graph.add_edge("summarise", "file_summary")
    graph.add_conditional_edges("file_summary", after_filing)
    graph.add_edge("reconstruct", "check_article")
    graph.add_conditional_edges("check_article", after_check)
    graph.add_conditional_edges("write_article", after_write)


def compile_reflection(checkpointer: BaseCheckpointSaver[str] | None = None) -> ReflectionGraph:
    """Return the compiled graph.

    Run it by `await graph.ainvoke({"job": …}, config, context=HistorianContext(…))`.
    """
    graph = StateGraph(
        ReflectionState, context_schema=HistorianContext, input_schema=ReflectionInput
    )
    wire_reflection(graph)
    return graph.compile(checkpointer=checkpointer, name="reflection")
