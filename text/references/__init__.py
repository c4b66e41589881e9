"""Deictic words: finding, their antecedents, and verb agreement."""
