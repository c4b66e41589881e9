"""Work of a worker while no job waits."""
