"""Split long texts into chunks for an embedder: at headings, paragraphs and sentences, else anywhere."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from .tokens import estimate_tokens

# From where a text is cut best: before a heading, behind a blank line, a sentence, a line, a word.
_BORDERS = (
    re.compile(r"^(?= {0,3}#{1,6}\s)", re.MULTILINE),
    re.compile(r"\n[ \t]*\n\s*"),
    re.compile(r"(?:[。！？…；]+|(?:[!?]+|(?<=\w\w\w)\.)(?=[\"'”’)\]]{0,4}\s))[\"'”’」』）)\]]*\s*"),
    re.compile(r"\n"),
    re.compile(r"[\s，、,;：:）)」』\]}]+"),
)


def chunk(text: str, max_tokens: int = 256) -> list[str]:
    """Return Markdown or plain text in chunks of at most `max_tokens` (`estimate_tokens`), which together are all of its words.

    A chunk ends at the best border in the second half of what fits: before a heading, between paragraphs, sentences, lines, or
    words. White space at its ends is left out; a text of white space alone has no chunks. Raises ValueError if `max_tokens` is
    less than 1.

    >>> chunk("# Tea\\nGreen tea is steeped at 80 degrees. Black tea is steeped for longer. Both need fresh water.", 16)
    ['# Tea\\nGreen tea is steeped at 80 degrees.', 'Black tea is steeped for longer. Both need fresh water.']
    """
    if max_tokens < 1:
        raise ValueError(f"max_tokens={max_tokens}: too few")
    pieces = (text[start:end].strip() for start, end in _spans(text, max_tokens))
    return [piece for piece in pieces if piece]


def _spans(text: str, max_tokens: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = _reach(text, start, max_tokens)
        if end < len(text):
            half = start + (end - start + 1) // 2
            borders = ([one.end() for one in border.finditer(text, half, end)] for border in _BORDERS)
            end = next((found[-1] for found in borders if found), end)
        yield start, end
        start = end


def _reach(text: str, start: int, max_tokens: int) -> int:
    """Return how far at most `max_tokens` from `start` go, to a sixteenth of them; at least one character."""
    low, high = start, start + max_tokens
    while estimate_tokens(text[start:high]) <= max_tokens:
        if high >= len(text):
            return len(text)
        low, high = high, start + 2 * (high - start)
    places = range(low + 1, min(high, len(text)), (high - low) // 16 + 1)
    fitting = bisect_right(places, max_tokens, key=lambda place: estimate_tokens(text[start:place]))
    return places[fitting - 1] if fitting else max(low, start + 1)
