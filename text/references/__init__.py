"""Deictic words: found, resolved to names, rewritten."""
