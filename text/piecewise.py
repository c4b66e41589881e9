"""Search of long texts piece by piece, so that other threads can run in between.

A search of a regular expression, or a call of `str.translate`, holds the interpreter's lock until
it ends. In any thread it blocks the event loop, for some milliseconds per 10,000 characters.
"""

import re
from collections.abc import Iterator

PIECE = 4_000
REACH = 1_000
"""Characters after a piece that are searched together with it."""
_NEAR = 100
"""A match that ends at most this many characters before the end of the searched part may be cut.

Such a match is searched again in the whole text.
"""
_BREAK = re.compile(r"[\s。！？，；、]")


def matches(pattern: re.Pattern[str], text: str, start: int = 0) -> Iterator[re.Match[str]]:
    """Yield the matches of `pattern.finditer(text, start)`, searching a long text piece by piece.

    A match may have any length. But a match that ends within its searched part must not depend on
    characters after this part, which is up to REACH characters longer than a piece. These
    characters are searched a second time with the next piece.
    """
    while len(text) - start > PIECE + REACH:
        cut, seen = start + PIECE, start + PIECE + REACH
        for match in pattern.finditer(text, start, seen):
            if match.start() >= cut:
                break
            if match.end() > seen - _NEAR:
                whole = pattern.match(text, match.start())
                if whole is not None:
                    yield whole
                cut = max(match.start() + 1, whole.end() if whole else 0)
                break
            yield match
            cut = max(cut, match.end())
        start = cut
    yield from pattern.finditer(text, start)


def pieces(text: str, most: int = PIECE) -> Iterator[str]:
    """Yield a text in pieces of at most `most` characters.

    A piece ends at the last word border in its last quarter, if there is one.

    >>> [len(piece) for piece in pieces("tea " * 1_500)], list(pieces("tea"))
    ([4000, 2000], ['tea'])
    """
    start = 0
    while len(text) - start > most:
        end = start + most
        *_, last = (end, *(found.end() for found in _BREAK.finditer(text, end - most // 4, end)))
        yield text[start:last]
        start = last
    yield text[start:]
