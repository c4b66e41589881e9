"""The version of this package."""

VERSION = "0.1.0"
"""Stored with every event, so that texts of earlier versions can be found and rewritten."""
