"""Checks of texts before they are stored."""
