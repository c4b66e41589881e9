"""Long texts piece by piece, so that other threads get their turn.

One search of a regular expression, like one call of `str.translate`, keeps the interpreter's lock until it ends, and the event
loop waiting with it: some milliseconds for 10,000 characters, whatever thread it runs in.
"""

import re
from collections.abc import Iterator

PIECE = 4_000
REACH = 1_000
"""Characters behind a piece that a match which begins in it may look at."""
_NEAR = 100
"""A match that ends so near to the end of what was seen may go on there, or may have taken that for the end of the text."""
_BREAK = re.compile(r"[\s。！？，；、]")


def matches(pattern: re.Pattern[str], text: str, start: int = 0) -> Iterator[re.Match[str]]:
    """Yield the matches of `pattern.finditer(text, start)`; of a long text a piece is searched at a time.

    A match may be of any length, but where it ends well before that, nothing more than REACH characters behind its beginning
    may decide on it. A search that finds nothing reads the characters behind a piece twice.
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
    """Yield a text in pieces of at most `most` characters, cut between words where words end within a piece.

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
