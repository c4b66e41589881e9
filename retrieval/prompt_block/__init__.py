"""The quoted block of memories that is put into a prompt."""
