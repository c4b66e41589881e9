"""The jobs of a queue as rows, for both engines."""
