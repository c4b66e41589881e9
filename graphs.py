"""Historian's LangGraph graphs. The names are public, like those of the package `historian`.

`historian_graph`, `recall_graph` and `reflection_graph` return compiled graphs over an open
`CognitiveService`. `turn` and `talk` make inputs of the historian graph, `states` those of the
reflection graph.
"""

from .interfaces.langchain.graphs import (
    historian_graph,
    recall_graph,
    reflection_graph,
    states,
    talk,
    turn,
)

__all__ = ["historian_graph", "recall_graph", "reflection_graph", "states", "talk", "turn"]
