"""Word tables, written as running text."""

from __future__ import annotations


def word_list(block: str) -> frozenset[str]:
    """Return the words of `block`, which white space separates."""
    return frozenset(block.split())
