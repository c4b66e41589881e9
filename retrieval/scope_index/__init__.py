"""The events of a scope in memory, with their vectors and words."""
