"""A rule: cue words, a pattern that is tried only near one of them, a check of what it finds, and a label.

Ordinary talk holds hardly any cue, so most rules cost one search for a few substrings. Patterns are strings until a cue
calls for them: nothing is compiled when the package is imported.
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
    """Finds `pattern` near one of `cues`, in lower case, where `check` agrees.

    What is redacted is the group `value`, or all of the match where the pattern has no such group.
    """

    label: Label
    cues: tuple[str, ...]
    pattern: str
    check: Check | None = None
    before: int = 0
    """Characters before a cue at which the pattern may begin."""
    after: int = 300
    """Characters behind the beginning of a cue in which the pattern is looked for."""


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern, compiled once and not before it is needed."""
    return re.compile(pattern, flags)


def words(text: str) -> frozenset[str]:
    """The words of a list that is written as one text."""
    return frozenset(text.split())


def lowered(text: str) -> str:
    """The text in lower case with every offset kept: `İ` alone would become two characters."""
    return text.replace("İ", "I").lower()


def cue_places(text: str, cues: Iterable[str]) -> list[int]:
    """Offsets of all cues, in order."""
    places: set[int] = set()
    for cue in cues:
        at = text.find(cue)
        while at >= 0:
            places.add(at)
            at = text.find(cue, at + len(cue))
    return sorted(places)


def stretches(text: str, places: Sequence[int], before: int, after: int) -> Iterator[tuple[int, int]]:
    """The parts of the text around `places`, joined where they touch; none ends inside of a word."""
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
    """Rules that are tried together: what cues a text holds is found out once for all of them."""

    def __init__(self, *rules: Rule) -> None:
        self.rules = rules
        self._cues = tuple({cue for rule in rules for cue in rule.cues})

    def find(self, text: str, folded: str) -> Iterator[Redaction]:
        """What the rules find in `text`; `folded` is the same in lower case."""
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
