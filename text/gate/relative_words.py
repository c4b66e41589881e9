"""Relative words of a text: pronouns without antecedent, stand-ins for persons, relative times and places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ...schema.language import LanguageChoice
from ...schema.names import Names
from ..language import is_other_language
from ..protected import Span, overlaps, protected_spans
from ..references.finding import Reference, find_references, is_deictic_name
from ..references.people import find_people
from ..time_expressions import find_relative
from .findings import Finding, GateResult

Pronouns = Literal["orphan", "all"]

NOBODY = Names()


def find_relative_words(
    text: str, *, names: Names | None = None, pronouns: Pronouns = "orphan", language: LanguageChoice = "auto"
) -> GateResult:
    """Return the relative words of `text`, which only participants understand, as violations and notes in text order.

    Kinds: "pronoun" (我, you, and he without anybody named before), "reference" (对方, the user), "time" (昨天, next Friday),
    "place" (这里, this group). Quotations, code, addresses and proper nouns are never read as prose.

    A third-person pronoun passes if exactly one person is named before it. It is a note if several are, or if the
    person is named only after an opening phrase ("After his exam, Tom …"), and a violation if nobody is. The bot is
    never an antecedent, and the subject of a clause is not an antecedent of its own object. `pronouns="all"` makes
    every third-person pronoun a violation. `names` are those of the conversation: its people count as persons, and its
    names are never read as relative words.
    """
    references, times = relative_parts(text, names or NOBODY, language)
    return judge(text, references, times, names or NOBODY, pronouns)


def relative_parts(text: str, names: Names, language: LanguageChoice) -> tuple[list[Reference], list[tuple[int, int, str]]]:
    """Return the references of `text` (with antecedents) and its relative time expressions."""
    if not text.strip():
        return [], []
    protected = protected_text(text, names)
    return _references(text, names, protected, language), find_relative(text, language=language, protected=protected)


def references_of(text: str, names: Names, language: LanguageChoice) -> list[Reference]:
    """Return the references of `text`; people of the conversation count as persons, its names are protected."""
    return _references(text, names, protected_text(text, names), language)


def _references(text: str, names: Names, protected: Sequence[Span], language: LanguageChoice) -> list[Reference]:
    return find_references(text, protected=protected, language=language, people=names.everybody, bot=names.bot_name)


def protected_text(text: str, names: Names) -> list[Span]:
    """Return the protected spans. A nickname that is itself a pronoun (我, here) is not protected."""
    words = (*names.glossary, names.group_name, *names.everybody)
    return protected_spans(text, tuple(word for word in words if word.strip() and not is_deictic_name(word)))


def is_unread(text: str, names: Names) -> bool:
    """Return True if a text is neither English nor Chinese, by its words without the names of the conversation."""
    return is_other_language(text, ignore=protected_text(text, names))


def judge(
    text: str, references: Sequence[Reference], times: Sequence[tuple[int, int, str]], names: Names, pronouns: Pronouns = "orphan"
) -> GateResult:
    """Divide the relative words found in `text` into violations and notes."""
    violations: list[Finding] = []
    notes: list[Finding] = []
    spans: list[Span] = [(start, end) for start, end, _ in times]
    for start, _, wording in times:
        bare = wording.removesuffix("'s").removesuffix("’s")
        violations.append(Finding("time", bare, start, start + len(bare), "relative"))
    for reference in references:
        if overlaps(spans, reference.start, reference.end):
            continue
        finding = _finding(reference)
        if finding.kind != "pronoun" or reference.person != "third" or pronouns == "all":
            violations.append(finding)
        elif reference.anchored or len(reference.antecedents) == 1:
            continue
        elif reference.antecedents or _announces(text, reference, names):
            notes.append(finding)
        else:
            violations.append(finding)
    return GateResult(tuple(sorted(violations, key=_place)), tuple(sorted(notes, key=_place)))


_FRONTED = re.compile(
    r"(?:^|[.!?\n]\s*)(?:After|Before|During|In|With|Despite|Since|While|When|Although|Though|Because|As|On|Without|For|Through|If|Once|"
    r"Until|At|Like|From|By|To)\b[^,.;:!?\n]{0,120}$"
)
_MAIN_CLAUSE = re.compile(r"[^,.;:!?\n]{0,160},\s+")


def _announces(text: str, reference: Reference, names: Names) -> bool:
    """Return True if a person is named right after the opening phrase with the pronoun: "During her exam, Maria fainted"."""
    if not reference.text.isascii() or not _FRONTED.search(text[max(0, reference.start - 160) : reference.start]):
        return False
    main = _MAIN_CLAUSE.match(text, reference.end)
    if main is None:
        return False
    people = find_people(text[main.end() : main.end() + 60], names.everybody)
    return bool(people) and people[0].start == 0 and people[0].name != names.bot_name


_OURS = re.compile(r"(?:我|咱|俺)[们們]?|our\b", re.IGNORECASE)


def _finding(reference: Reference) -> Finding:
    """Return the finding for a reference; for 我们群 and "our server" it is about the pronoun only."""
    ours = _OURS.match(reference.text) if reference.kind == "place" else None
    if ours is not None:
        return Finding("pronoun", ours.group(), reference.start, reference.start + ours.end(), "first")
    return Finding(reference.kind, reference.text, reference.start, reference.end, _why(reference))


def _place(finding: Finding) -> tuple[int, int]:
    return finding.start, finding.end


def _why(reference: Reference) -> str:
    if reference.kind != "pronoun":
        return "relative"
    if reference.person != "third":
        return reference.person
    return "ambiguous" if len(reference.antecedents) > 1 else "orphan"
