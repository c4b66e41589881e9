"""The quoted block that a prompt gets."""
