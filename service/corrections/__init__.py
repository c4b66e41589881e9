"""Corrections: the search for wrong statements, changes in all stores, undoing; and pins."""
