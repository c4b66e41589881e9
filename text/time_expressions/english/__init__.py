"""English time expressions."""
