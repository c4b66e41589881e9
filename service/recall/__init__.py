"""Recall within a time limit, with fallback levels."""
