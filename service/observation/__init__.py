"""Observation of tool calls and messages: queue, records, filing."""
