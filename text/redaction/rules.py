"""Rules: cue words, a pattern that is tried only near a cue, a check of its matches, and a label.

Ordinary text contains few cues, so most rules cost a search for a few substrings. Patterns are compiled on first use, not on
import.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from .spans import Label, Redaction

Check = Callable[[re.Match[str]], bool]

_LONGEST_WORD = 600


@dataclass(frozen=True, slots=True)
class Rule:
    """Finds `pattern` near one of `cues` (lower case) if `check` returns True.

    The group `value` is redacted, or the whole match if the pattern has no such group.
    """

    label: Label
    cues: tuple[str, ...]
    pattern: str
    check: Check | None = None
    before: int = 0
    """Characters before a cue at which the pattern may begin."""
    after: int = 300
    """Characters after the beginning of a cue that are searched."""


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return the compiled pattern; compiled once, on first use."""
    return re.compile(pattern, flags)


def words(text: str) -> frozenset[str]:
    """Return the words of a whitespace-separated list."""
    return frozenset(text.split())


def lowered(text: str) -> str:
    """Return the text in lower case with unchanged offsets: `İ` alone would become two characters."""
    return text.replace("İ", "I").lower()


def cue_places(text: str, cues: Iterable[str]) -> list[int]:
    """Return the offsets of all cues, in order."""
    places: set[int] = set()
    for cue in cues:
        at = text.find(cue)
        while at >= 0:
            places.add(at)
            at = text.find(cue, at + len(cue))
    return sorted(places)


def stretches(text: str, places: Sequence[int], before: int, after: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the text around `places`, merged if they touch; none ends inside a word."""
    start = end = -1
    for place in places:
        if end >= 0 and place - before > end:
            yield start, end
            end = -1
        if end < 0:
            start = max(0, place - before)
        if place + after > end:
            end = _word_end(text, min(len(text), place + after))
    if end >= 0:
        yield start, end


def _word_end(text: str, at: int) -> int:
    word = compiled(rf"\S{{0,{_LONGEST_WORD}}}").match(text, at)
    return word.end() if word else at


class Rules:
    """Rules that are applied together; the cues in a text are looked up once for all of them."""

    def __init__(self, *rules: Rule) -> None:
        self.rules = rules
        self._cues = tuple({cue for rule in rules for cue in rule.cues})

    def find(self, text: str, folded: str) -> Iterator[Redaction]:
        """Yield what the rules find in `text`; `folded` is the text in lower case."""
        present = {cue for cue in self._cues if cue in folded}
        for rule in self.rules if present else ():
            cues = present.intersection(rule.cues)
            if cues:
                yield from _found_by(rule, text, cue_places(folded, cues))


def _found_by(rule: Rule, text: str, places: Sequence[int]) -> Iterator[Redaction]:
    pattern = compiled(rule.pattern)
    group = "value" if "value" in pattern.groupindex else 0
    for start, end in stretches(text, places, rule.before, rule.after):
        for match in pattern.finditer(text, start, end):
            if rule.check is None or rule.check(match):
                yield Redaction(*match.span(group), rule.label)
