"""Rules: cue words, a pattern that is tried only near a cue, a check of its matches, and a label.

Ordinary text contains few cues, so most rules cost a search for a few substrings. The rules are data, in the TOML files of this
folder:

    label    of the placeholder
    cues     one of them stands near every match
    pattern  a regular expression, or the pieces of one; `<NAME>` stands for that of `[pieces]`. The group `value` is redacted,
             or the whole match if there is none
    check    the name of a function that says which matches count; none where the pattern says all
    before   characters before a cue at which the pattern may begin (0)
    after    characters after the beginning of a cue that are searched (300)

They are read and compiled on first use, not on import.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from ..word_lists import in_full, in_pieces, word_tables
from .spans import Label, Redaction

Check = Callable[[re.Match[str]], bool]

_LONGEST_WORD = 600


class Rule(NamedTuple):
    """A row of a TOML file, with its pattern complete."""

    label: Label
    cues: list[str]
    pattern: str
    check: str
    before: int
    after: int


def found(match: re.Match[str], label: Label) -> Redaction:
    """Return what a match of a pattern redacts."""
    return Redaction(*match.span("value" if "value" in match.re.groupindex else 0), label)


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return the compiled pattern; compiled once, on first use."""
    return re.compile(pattern, flags)


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
    """The rules of a TOML file, applied together; the cues in a text are looked up once for all of them."""

    def __init__(self, file: str, checks: Mapping[str, Check]) -> None:
        self._file = file
        self._checks = checks

    @cached_property
    def _rules(self) -> list[Rule]:
        tables = word_tables(f"redaction/{self._file}")
        pieces, given = in_pieces(tables.get("pieces", {})), {"check": "", "before": 0, "after": 300}
        rows = [{**given, **row, "pattern": in_full(row["pattern"], pieces)} for row in tables["rule"]]
        return [Rule(**row) for row in rows]

    @cached_property
    def _cues(self) -> frozenset[str]:
        return frozenset(cue for rule in self._rules for cue in rule.cues)

    def find(self, text: str, folded: str) -> Iterator[Redaction]:
        """Yield what the rules find in `text`; `folded` is the text in lower case, as the cues are."""
        present = {cue for cue in self._cues if cue in folded}
        for rule in self._rules if present else ():
            cues = present.intersection(rule.cues)
            places = cue_places(folded, cues) if cues else ()
            for start, end in stretches(text, places, rule.before, rule.after):
                matches = compiled(rule.pattern).finditer(text, start, end)
                counts = self._checks[rule.check] if rule.check else None
                yield from (found(match, rule.label) for match in matches if counts is None or counts(match))
