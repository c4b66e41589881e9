"""Where a text is worth searching: the lines in which one of some words stands, and their neighbours.

A pattern that is tried at every character of a long text costs more than all else. Most of them need a word to begin
with, and a word is found at once.
"""

import re
from collections.abc import Iterable, Iterator

_SHORT = 400
"""Characters of a text that is searched whole."""


def stretches(text: str, folded: str, words: Iterable[str], *, above: int = 1, below: int = 2) -> list[tuple[int, int]]:
    """Give, in order and apart from each other, the stretches of whole lines around the words.

    A stretch holds `above` lines before a word's line and `below` lines after it. `folded` is `text` in lower case, of the
    same length; the words are in lower case too.
    """
    if len(text) < _SHORT:
        return [(0, len(text))] if any(word in folded for word in words) else []
    hit: list[tuple[int, int]] = []
    for word in words:
        at = folded.find(word)
        while at >= 0:
            start = text.rfind("\n", 0, at)
            for _ in range(above):
                start = text.rfind("\n", 0, max(start, 0))
            end = line_end = _line_end(text, at)
            for _ in range(below):
                end = _line_end(text, end + 1)
            hit.append((start + 1, end))
            at = folded.find(word, line_end)
    if len(hit) < 2:
        return hit
    hit.sort()
    joined = [hit[0]]
    for start, end in hit[1:]:
        if start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def matches_around(pattern: re.Pattern[str], text: str, folded: str, words: Iterable[str]) -> Iterator[re.Match[str]]:
    """Give what the pattern finds in the stretches around the words."""
    for start, end in stretches(text, folded, words):
        yield from pattern.finditer(text, start, end)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
