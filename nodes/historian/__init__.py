"""Nodes of the write graph, and the context that they are given."""

from ...stores.historian_context import HistorianContext as HistorianContext
