"""The state machines: nodes wired to edges, and nothing else."""
