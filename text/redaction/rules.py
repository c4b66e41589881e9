"""Redaction rules: patterns with labels, the spans that they find, and placeholders."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, NamedTuple, get_args

from ..edits import edited
from ..word_lists import in_full, in_pieces, word_tables

Level = Literal["secrets", "all", "none"]
"""`secrets`: keys, tokens, passwords, cookies. `all`: also e-mail addresses and numbers of phones,
identity documents and bank cards."""

Label = Literal[
    "PRIVATE_KEY",
    "COOKIE",
    "API_KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "EMAIL",
    "ID_CARD",
    "BANK_CARD",
    "PHONE",
    "WECHAT",
]
LABELS: tuple[Label, ...] = get_args(Label)
_LONGEST = max(map(len, LABELS)) + 2
PLACEHOLDER = re.compile(r"\[(?:" + "|".join(LABELS) + r")\]")
"""Matches every placeholder; stored texts may already contain some."""


@dataclass(frozen=True, slots=True, order=True)
class Redaction:
    """Characters `start` to `end` (exclusive) of a text to redact, and their label."""

    start: int
    end: int
    label: Label


def placeholder(label: Label) -> str:
    """Return the placeholder of a label: `[PASSWORD]`."""
    return f"[{label}]"


def merged(found: Iterable[Redaction], text: str) -> list[Redaction]:
    """Return sorted spans, with overlapping ones merged (the more specific label wins).

    Spans that contain only placeholders are left out.
    """
    taken: list[Redaction] = []
    for span in sorted(found):
        if taken and span.start < taken[-1].end:
            last = taken[-1]
            label = min(last.label, span.label, key=LABELS.index)
            taken[-1] = Redaction(last.start, max(last.end, span.end), label)
        elif span.start < span.end:
            taken.append(span)
    if not taken:
        return taken
    near = (max(0, taken[0].start - _LONGEST), taken[-1].end + _LONGEST)
    standing = [match.span() for match in PLACEHOLDER.finditer(text, *near)]
    return list(_around_placeholders(taken, standing, text)) if standing else taken


def _around_placeholders(
    spans: list[Redaction], standing: list[tuple[int, int]], text: str
) -> Iterator[Redaction]:
    """Yield the spans extended to whole placeholders; spans of only placeholders are left out."""
    at = reached = 0
    for span in spans:
        start, end = max(span.start, reached), span.end
        while at < len(standing) and standing[at][1] <= start:
            at += 1
        inside = at
        while inside < len(standing) and standing[inside][0] < end:
            start, end = min(start, standing[inside][0]), max(end, standing[inside][1])
            inside += 1
        start = max(start, reached)
        if start < end and (inside == at or re.search(r"\w", PLACEHOLDER.sub("", text[start:end]))):
            yield Redaction(start, end, span.label)
            reached = end


def replaced(text: str, spans: Iterable[Redaction]) -> str:
    """Return the text with a placeholder for each span. Spans must be sorted and disjoint."""
    return edited(text, ((span.start, span.end, placeholder(span.label)) for span in spans))


Check = Callable[[re.Match[str]], bool]

_LONGEST_WORD = 600


class Rule(NamedTuple):
    """A row of a TOML file, with its pattern in full."""

    label: Label
    cues: list[str]
    pattern: str
    check: str
    before: int
    after: int


def found(match: re.Match[str], label: Label) -> Redaction:
    """Return the redaction for a match: its group `value`, or all of it without such a group."""
    return Redaction(*match.span("value" if "value" in match.re.groupindex else 0), label)


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return the compiled pattern, which is compiled once, on first use."""
    return re.compile(pattern, flags)


def lowered(text: str) -> str:
    """Return the text in lower case with unchanged offsets (`lower` makes `İ` two characters)."""
    return text.replace("İ", "I").lower()


def cue_places(text: str, cues: Iterable[str]) -> list[int]:
    """Return the offsets of all cues in a text, in order."""
    places: set[int] = set()
    for cue in cues:
        at = text.find(cue)
        while at >= 0:
            places.add(at)
            at = text.find(cue, at + len(cue))
    return sorted(places)


def stretches(
    text: str, places: Sequence[int], before: int, after: int
) -> Iterator[tuple[int, int]]:
    """Yield the spans of the text around `places`, merged if they touch, to the end of a word."""
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
    """The rules of a TOML file, applied together. Cues are looked up once for all rules."""

    def __init__(self, file: str, checks: Mapping[str, Check]) -> None:
        self._file = file
        self._checks = checks

    @cached_property
    def _rules(self) -> list[Rule]:
        tables = word_tables(f"redaction/{self._file}")
        pieces, given = (
            in_pieces(tables.get("pieces", {})),
            {"check": "", "before": 0, "after": 300},
        )
        rows = [
            {**given, **row, "pattern": in_full(row["pattern"], pieces)} for row in tables["rule"]
        ]
        return [Rule(**row) for row in rows]

    @cached_property
    def _cues(self) -> frozenset[str]:
        return frozenset(cue for rule in self._rules for cue in rule.cues)

    def find(self, text: str, folded: str) -> Iterator[Redaction]:
        """Yield the redactions found by the rules in `text`; `folded` is the text in lower case."""
        present = {cue for cue in self._cues if cue in folded}
        for rule in self._rules if present else ():
            cues = present.intersection(rule.cues)
            places = cue_places(folded, cues) if cues else ()
            for start, end in stretches(text, places, rule.before, rule.after):
                matches = compiled(rule.pattern).finditer(text, start, end)
                counts = self._checks[rule.check] if rule.check else None
                yield from (
                    found(match, rule.label) for match in matches if counts is None or counts(match)
                )
