"""Spans to redact, their labels, and replacing them in a text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from ..edits import edited

Level = Literal["secrets", "all", "none"]
"""`secrets`: keys, tokens, passwords, cookies. `all`: e-mail, phone, identity and bank card numbers too."""

Label = Literal[
    "PRIVATE_KEY", "COOKIE", "API_KEY", "TOKEN", "SECRET", "PASSWORD", "EMAIL", "ID_CARD", "BANK_CARD", "PHONE", "WECHAT"
]
LABELS: tuple[Label, ...] = get_args(Label)
_LONGEST = max(map(len, LABELS)) + 2
PLACEHOLDER = re.compile(r"\[(?:" + "|".join(LABELS) + r")\]")
"""Every placeholder; stored texts may already contain some."""


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
    """Sort spans, merge overlapping ones (the more specific label wins) and leave out those that hold only placeholders."""
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


def _around_placeholders(spans: list[Redaction], standing: list[tuple[int, int]], text: str) -> Iterator[Redaction]:
    """Yield the spans extended to whole placeholders; a span that holds nothing but placeholders is left out."""
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
    """Return the text with a placeholder for each span; spans must be ordered and disjoint."""
    return edited(text, ((span.start, span.end, placeholder(span.label)) for span in spans))
