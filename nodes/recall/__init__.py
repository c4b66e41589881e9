"""Nodes of the read graph."""
