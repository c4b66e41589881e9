"""Historian's graphs, for LangGraph: public, like the names of `historian` itself.

`historian_graph`, `recall_graph` and `reflection_graph` return compiled graphs over an open `CognitiveService`; `turn`, `talk`
and `states` make the inputs of the first and the last.
"""

from .interfaces.langchain.graphs import historian_graph, recall_graph, reflection_graph, states, talk, turn

__all__ = ["historian_graph", "recall_graph", "reflection_graph", "states", "talk", "turn"]
