"""The events of a scope in memory: outlines, vectors and words."""
