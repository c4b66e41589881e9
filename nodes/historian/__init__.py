"""The nodes of the write graph, and their context class."""

from ...stores.historian_context import HistorianContext as HistorianContext
