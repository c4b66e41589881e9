"""Deictic words: finding, resolution to names, rewriting."""
