"""Embedders: local, remote, and wrappers around them."""
