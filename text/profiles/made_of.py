"""Lines in other words than the text from which they were made."""

from __future__ import annotations

from collections.abc import Collection

from ..search_words import search_tokens

_MOST = 0.6
"""A line counts as made of a text that contains at least this share of the line's words."""


def made_of(lines: Collection[str], texts: Collection[str]) -> set[str]:
    """Return the lines whose words mostly occur in one of `texts` (see `_MOST`).

    >>> made_of(["lives in Leeds", "likes tea"], ["Ann lives in Leeds since May"])
    {'lives in Leeds'}
    """
    words = {line: set(search_tokens(line)) for line in lines}
    wanted = frozenset[str]().union(*words.values())
    found: set[str] = set()
    for text in texts if wanted else ():
        folded = text.casefold()
        held = {word for word in wanted if word in folded}  # ten times faster than search_tokens
        found |= {
            line for line, its in words.items() if its and len(its & held) >= _MOST * len(its)
        }
    return found
