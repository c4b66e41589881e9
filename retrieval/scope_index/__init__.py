"""The events of a scope in memory: events, vectors and words."""
