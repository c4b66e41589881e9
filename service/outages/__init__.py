"""Outages of models and of the disk: pauses with backoff, outages that all callers share, and the
findings about a worker's model."""
