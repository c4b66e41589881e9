"""Rewriting of a text by rules: the referents of its words, and names in their place."""
