"""Stores that write files atomically, and the formats of these files."""
