"""English expressions of time."""
