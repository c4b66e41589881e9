"""Stores in `index.sqlite`."""
