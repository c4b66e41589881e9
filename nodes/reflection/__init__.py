"""Nodes of the reflection graph."""
