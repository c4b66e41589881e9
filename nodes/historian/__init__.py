"""Nodes of the write graph."""
