"""Relative words, which only participants of a conversation understand: 我, he, 昨天, here.

    >>> [(one.kind, one.text) for one in find_relative_words("小王昨天把吉他还给我了").violations]
    [('time', '昨天'), ('pronoun', '我')]

The rules prefer precision to recall. Quotations, code, titles and proper nouns are not read.
"""

from __future__ import annotations

import re
from typing import Literal

from ...schema.language import LanguageChoice
from ...schema.names import Names
from ..protected import overlaps
from ..references.types import Reference
from ..sentence import NOBODY, Sentence, as_sentence
from .findings import Finding, Verdict

Pronouns = Literal["orphan", "all"]


def find_relative_words(
    text: str | Sentence,
    *,
    names: Names | None = None,
    pronouns: Pronouns = "orphan",
    language: LanguageChoice = "auto",
) -> Verdict:
    """Return the relative words of `text`, which only participants understand.

    Violations and notes are in text order. Kinds: "pronoun" (我, you, and "he" if no person is
    named before it), "reference" (对方, the user), "time" (昨天, next Friday), "place" (这里, this
    group). Quotations, code, addresses and proper nouns are never read as prose.

    A third-person pronoun passes if exactly one person is named before it. It is a violation if no
    person is named, or if several are named and the pronoun opens a main clause ("Tom met Bob and
    he paid"). It is a note in two cases: several persons are named and it is elsewhere in the
    clause, or the person is named right after an opening phrase ("After his exam, Tom …"). The bot
    is never an antecedent, and the subject of a clause is not an antecedent of its own object.
    `pronouns="all"` makes every third-person pronoun a violation. `names` are the names of the
    conversation: its people count as persons, and its names are never read as relative words. For
    a `Sentence`, the names of the sentence are used instead.
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
        elif _announces(sentence, reference) or (
            reference.antecedents and not _opens_clause(sentence.text, reference)
        ):
            notes.append(finding)
        else:
            violations.append(finding)
    return Verdict(tuple(sorted(violations, key=_position)), tuple(sorted(notes, key=_position)))


def _of_time(wording: str, start: int) -> Finding:
    bare = wording.removesuffix("'s").removesuffix("’s")
    return Finding("time", bare, start, start + len(bare), "relative")


_FRONTED = re.compile(
    r"(?:^|[.!?\n]\s*)(?:After|Before|During|In|With|Despite|Since|While|When|Although|Though|Because|As|On|Without|For|Through|If|Once|"
    r"Until|At|Like|From|By|To)\b[^,.;:!?\n]{0,120}$"
)
_MAIN_CLAUSE = re.compile(r"[^,.;:!?\n]{0,160},\s+")


def _announces(sentence: Sentence, reference: Reference) -> bool:
    """Return True if a person is named right after an opening phrase that contains the pronoun.

    Example: "During her exam, Maria fainted".
    """
    text = sentence.text
    if not reference.text.isascii() or not _FRONTED.search(
        text, max(0, reference.start - 160), reference.start
    ):
        return False
    main = _MAIN_CLAUSE.match(text, reference.end)
    at = main.end() if main is not None else -1
    return any(one.start == at and one.name != sentence.names.bot_name for one in sentence.people)


_OPENS_CLAUSE = re.compile(r"[，。！？；、,.!?;\n]\s*$|[,;\s](?:and|but|so|then)\s+$")


def _opens_clause(text: str, reference: Reference) -> bool:
    """Return True for the subject of a main clause: "Tom met Bob and he paid", 小梁带对象，他有大箱子."""
    is_subject = reference.text.casefold() in ("he", "she", "他", "她")
    return (
        is_subject
        and _OPENS_CLAUSE.search(text, max(0, reference.start - 8), reference.start) is not None
    )


_OURS = re.compile(r"(?:我|咱|俺)[们們]?|our\b", re.IGNORECASE)


def _finding(reference: Reference) -> Finding:
    """Return the finding for a reference; for 我们群 and "our server" it covers the pronoun only."""
    ours = _OURS.match(reference.text) if reference.kind == "place" else None
    if ours is not None:
        return Finding(
            "pronoun", ours.group(), reference.start, reference.start + ours.end(), "first"
        )
    return Finding(reference.kind, reference.text, reference.start, reference.end, _why(reference))


def _position(finding: Finding) -> tuple[int, int]:
    return finding.start, finding.end


def _why(reference: Reference) -> str:
    if reference.kind != "pronoun":
        return "relative"
    if reference.person != "third":
        return reference.person
    return "ambiguous" if len(reference.antecedents) > 1 else "orphan"
