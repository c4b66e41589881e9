"""Relative words of a text: pronouns without antecedent, stand-ins for persons, relative times and places."""

from __future__ import annotations

import re
from typing import Literal

from ...schema.language import LanguageChoice
from ...schema.names import Names
from ..protected import overlaps
from ..references.types import Reference
from ..sentence import NOBODY, Sentence, as_sentence
from .findings import Finding, GateResult

Pronouns = Literal["orphan", "all"]


def find_relative_words(
    text: str | Sentence, *, names: Names | None = None, pronouns: Pronouns = "orphan", language: LanguageChoice = "auto"
) -> GateResult:
    """Return the relative words of `text`, which only participants understand, as violations and notes in text order.

    Kinds: "pronoun" (我, you, and he without anybody named before), "reference" (对方, the user), "time" (昨天, next Friday),
    "place" (这里, this group). Quotations, code, addresses and proper nouns are never read as prose.

    A third-person pronoun passes if exactly one person is named before it. It is a violation if nobody is, and if several are
    and it opens a main clause ("Tom met Bob and he paid"). It is a note elsewhere in the clause of several, and if the person
    is named only after an opening phrase ("After his exam, Tom …"). The bot is never an antecedent, and the subject of a clause
    is not an antecedent of its own object. `pronouns="all"` makes every third-person pronoun a violation. `names` are those of
    the conversation: its people count as persons, and its names are never read as relative words; a sentence has its own.
    """
    sentence = as_sentence(text, names or NOBODY, language)
    violations = [_of_time(sentence.text[one.start : one.end], one.start) for one in sentence.times]
    notes: list[Finding] = []
    times = [(one.start, one.end) for one in sentence.times]
    for reference in sentence.references:
        if overlaps(times, reference.start, reference.end):
            continue
        finding = _finding(reference)
        if finding.kind != "pronoun" or reference.person != "third" or pronouns == "all":
            violations.append(finding)
        elif reference.anchored or len(reference.antecedents) == 1:
            continue
        elif _announces(sentence, reference) or (reference.antecedents and not _opens_clause(sentence.text, reference)):
            notes.append(finding)
        else:
            violations.append(finding)
    return GateResult(tuple(sorted(violations, key=_place)), tuple(sorted(notes, key=_place)))


def is_unread(text: str | Sentence, names: Names = NOBODY) -> bool:
    """Return True if a text is neither English nor Chinese, by its words without the names of the conversation."""
    return as_sentence(text, names).is_other_language


def _of_time(wording: str, start: int) -> Finding:
    bare = wording.removesuffix("'s").removesuffix("’s")
    return Finding("time", bare, start, start + len(bare), "relative")


_FRONTED = re.compile(
    r"(?:^|[.!?\n]\s*)(?:After|Before|During|In|With|Despite|Since|While|When|Although|Though|Because|As|On|Without|For|Through|If|Once|"
    r"Until|At|Like|From|By|To)\b[^,.;:!?\n]{0,120}$"
)
_MAIN_CLAUSE = re.compile(r"[^,.;:!?\n]{0,160},\s+")


def _announces(sentence: Sentence, reference: Reference) -> bool:
    """Return True if a person is named right after the opening phrase with the pronoun: "During her exam, Maria fainted"."""
    text = sentence.text
    if not reference.text.isascii() or not _FRONTED.search(text, max(0, reference.start - 160), reference.start):
        return False
    main = _MAIN_CLAUSE.match(text, reference.end)
    at = main.end() if main is not None else -1
    return any(one.start == at and one.name != sentence.names.bot_name for one in sentence.people)


_OPENS_CLAUSE = re.compile(r"[，。！？；、,.!?;\n]\s*$|[,;\s](?:and|but|so|then)\s+$")


def _opens_clause(text: str, reference: Reference) -> bool:
    """Return True for the subject of a main clause: "Tom met Bob and he paid", 小梁带对象，他有大箱子."""
    is_subject = reference.text.casefold() in ("he", "she", "他", "她")
    return is_subject and _OPENS_CLAUSE.search(text, max(0, reference.start - 8), reference.start) is not None


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
