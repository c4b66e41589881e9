"""Rewriting a note by rules: whom its words mean, and the names in their place."""
