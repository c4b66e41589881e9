"""Stores that are files, written atomically."""
