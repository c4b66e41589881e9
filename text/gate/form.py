"""The form of a rewrite: another language, chatter of the model, length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...schema.names import Names
from ..language import detect_language, is_other_language
from ..piecewise import matches
from ..word_lists import word_tables
from .findings import Finding

SHORTEST = 0.4
"""Minimum length of a rewrite as a share of the shorter of source and draft; a shorter one lost content."""
LONGEST = 2.5
"""Maximum length as a multiple of the longer one, not counting names and `LENGTH_ALLOWANCE`."""
LENGTH_ALLOWANCE = 24
"""Characters that a rewrite may exceed `LONGEST` by, for example for a date and a place."""

TOLD_BESIDE = 40
"""Characters more for what the messages before a text tell of it."""

_SECOND_PARAGRAPH = re.compile(r"\S\s*?\n[ \t]*\n\s*(\S[^\n]{0,60})")

# Chatter of models around an answer. Openings match only at the start of the text or of a line, remarks anywhere;
# neither counts if the source contains the same words.
_CHATTER = word_tables("gate/form.toml")
_OPENINGS = re.compile(_CHATTER["openings"], re.VERBOSE | re.MULTILINE | re.IGNORECASE)
_REMARKS = re.compile(_CHATTER["remarks"], re.VERBOSE | re.IGNORECASE)
_SAID_ALREADY = 12
"""Characters of a match that are looked up in the source; if the source contains them, the match is content."""


def malformed(
    candidate: str, *, source: str, drafts: Sequence[str], names: Names, name_spans: Sequence[tuple[int, int]], beside: str = ""
) -> Iterator[Finding]:
    """Yield findings for another language, chatter of the model, or a length out of bounds (more where messages are `beside`)."""
    yield from chatter(candidate, source)
    yield from _language(candidate, source, drafts, name_spans)
    yield from _length(candidate, source, drafts, names, LENGTH_ALLOWANCE + TOLD_BESIDE * bool(beside))


def chatter(candidate: str, source: str) -> Iterator[Finding]:
    """Yield chatter of the model ("Here is the …", a code fence) that the source does not contain."""
    lowered = source.casefold()
    taken = 0
    for match in sorted((*matches(_OPENINGS, candidate), *matches(_REMARKS, candidate)), key=lambda found: found.start()):
        start, end = match.span()
        start += len(match.group()) - len(match.group().lstrip())
        if start < taken or candidate[start:end].strip().casefold()[:_SAID_ALREADY] in lowered:
            continue
        taken = end
        yield Finding("refusal", candidate[start:end], start, end, "chatter")
    gap = _SECOND_PARAGRAPH.search(candidate)
    if gap and not taken and "\n" not in source:
        yield Finding("refusal", gap[1], gap.start(1), gap.end(1), "second paragraph")


def _language(candidate: str, source: str, drafts: Sequence[str], name_spans: Sequence[tuple[int, int]]) -> Iterator[Finding]:
    written = detect_language(candidate, ignore=name_spans)
    given = detect_language(source)
    if is_other_language(candidate, ignore=name_spans) and not any(map(is_other_language, drafts)):
        yield Finding("language", candidate, 0, len(candidate), f"{given} to another")
    elif given not in (written, detect_language(candidate)) and all(detect_language(draft) != written for draft in drafts):
        yield Finding("language", candidate, 0, len(candidate), f"{given} to {written}")


def _length(candidate: str, source: str, drafts: Sequence[str], names: Names, allowance: int) -> Iterator[Finding]:
    length, *lengths = (len("".join(text.split())) for text in (candidate, source, *drafts))
    allowance += sum(map(len, (names.bot_name, names.user_name, names.user_id, names.group_name)))
    if length > LONGEST * max(lengths) + allowance:
        yield Finding("length", candidate, 0, len(candidate), "too long")
    # A short text may lose particles, so a difference of up to four characters is accepted.
    elif length < SHORTEST * min(lengths) and min(lengths) - length > 4:
        yield Finding("length", candidate, 0, len(candidate), "too short")
