"""English grammar: combination of time words, and judgement which expressions mean a single time.

A head ("the end of", "two weeks after", "first Friday of") is a time word too; the time that
follows is its base. Two time words form one expression if only a comma or a few small words are
between them ("tomorrow at 5", "Tuesday of last week").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ...piecewise import matches
from ...word_lists import word_list
from .. import tense as verbs
from ..engine import FoldedText, Grammar
from ..engine import find as find_all
from ..reading import TimeToken
from . import lexicon as lexicon
from .joining import join, joined_range, touches
from .judging import judge
from .pieces import HOURS
from .words import TOKENS

_SENTENCE_BREAK = re.compile(r"[.!?\n]\s")
_ALNUM = re.compile(r"[a-z0-9]+")
_QUICK = re.compile(
    r"\d ?(?:[:/]\d|[ap]\b|[ap]\.?m|h|m|d|w|y|st\b|nd\b|rd\b|th\b)|(?:\b(?:in|at|around|about|from|between|by)|@) ?\d"
    rf"|\b(?:at|around|about) (?:{HOURS})\b"
)
_KEYS = {word for phrase in lexicon.HOLIDAYS for word in re.split("[^a-z]", phrase)} - word_list(
    "day of the new s st b may"
)
_KEYS |= lexicon.KEYS
_FOLD = str.maketrans("’", "'")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def might_hold(text: str) -> bool:
    """Return False if no word of the text can be part of a time expression (a fast pre-check)."""
    low = text.lower()
    return any(word.group() in _KEYS for word in matches(_ALNUM, low)) or any(matches(_QUICK, low))


def find(text: str, is_content: Callable[[TimeToken], bool]) -> list[TimeToken]:
    """Return the English expressions of a text that need a reference.

    Expressions for which `is_content` is True are left out.
    """
    right, slips = lexicon.corrected(text.translate(_FOLD))
    low = right.translate(_LOWER)
    said = FoldedText(right, low, verbs.without_names(right, low))
    if not slips:
        return find_all(_GRAMMAR, said, is_content)

    def at_home(item: TimeToken) -> TimeToken:
        """Return an expression with its offsets in the text before the corrections."""
        start, end = (
            at - sum(more for slip, more in slips if slip < at) for at in (item.start, item.end)
        )
        return replace(item, start=start, end=end)

    return [
        at_home(item) for item in find_all(_GRAMMAR, said, lambda item: is_content(at_home(item)))
    ]


def _parts(said: FoldedText, end: int, start: int) -> bool:
    return _SENTENCE_BREAK.search(said.low, end, start) is not None


_GRAMMAR = Grammar(TOKENS, join, joined_range, touches, _parts, judge)
