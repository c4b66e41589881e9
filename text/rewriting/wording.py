"""The words that replace resolved Chinese and English references."""

from __future__ import annotations

import re

from ..edits import Edit
from ..references.agreement import agree
from ..references.english import WORDS, is_object_her, previous_word
from ..references.types import Reference
from ..word_lists import by_word, compiled_patterns, word_tables

_RE = compiled_patterns(word_tables("rewriting/chinese_rewriting.toml"))


def followed_by_institution(text: str, end: int) -> bool:
    """Return True if a plural pronoun means one person's company, school or teacher: 他们公司, 你们老师."""
    return _RE.institution_or_home.match(text, end) is not None


def rewrite_person(text: str, reference: Reference, name: str) -> list[Edit]:
    """Return the edits that replace a pronoun or stand-in by one person's name."""
    end = reference.end
    if reference.form == "where_person_is":
        return [(reference.start, end, f"{name}那{reference.text[-1]}")]
    if reference.plural:
        joint = (
            "所在的"
            if _RE.institution.match(text, end)
            else ""
            if text.startswith(("家", "一家"), end)
            else "的"
        )
    else:
        joint = "的" if _RE.belongs.match(text, end) else ""
    return [(reference.start, end, f"{name}{joint}")]


def rewrite_group(reference: Reference, group: str) -> list[Edit]:
    """Return the edits that replace 本群, 这里 or 你们 by the group's name."""
    name = f"{group}的成员" if reference.person == "second" else group
    return [(reference.start, reference.end, name)]


_POSSESSIVES = frozenset({"possessive", "possessive_alone", "his"})
_CHAT_VERB = by_word({"is": "im youre ur hes shes theyre", "has": "ive youve theyve"})
_JOINED_SUBJECT = re.compile(
    r"(?:^|[.!?,;:\n]\s*|\b(?:that|when|if|because|while|and|where|what|as|since|so|but)\s+)"
    r"(?:[A-Z][\w'’]*|[Yy]ou|[Hh]e|[Ss]he|[Tt]hey|(?:[Mm]y|[Hh]is|[Hh]er|[Yy]our|[Tt]heir|[Tt]he)\s+\w+)\s+(?:and|or|nor)\s+$"
)
_BEFORE_SUBJECT = re.compile(r"(?:^|[.!?,;:\n]\s*|\b(?:that|if|when|because|and|so|but)\s+)$")
_IS_OR_HAS = re.compile(r" (?:are|were|have|r)\b")
_JOINS_ON = re.compile(r"\s+(?:and|or)\s+(?:[A-Z]\w+|you|he|she|they|my|your|his|her|the|both)\b")
_NOUN_NAME = re.compile(r"(?:the bot|the members|user|group)(?: |$)")
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n]\s*|[\"“(]\s*)$")


def english_person(
    text: str, reference: Reference, name: str, *, plural: bool = False, is_bot: bool = False
) -> list[Edit] | None:
    """Return the edits that replace a pronoun or stand-in by a name and make the verb agree.

    `plural` is True if the name consists of several names ("Ada and Tom"). `is_bot` is True if it
    is the name of the bot, whose reflexive is "itself". Return None if the sentence cannot be
    rewritten safely.
    """
    start, end = reference.start, reference.end
    written = capital(text, start, name)
    form = reference.form
    if form == "invitation" or (
        re.match(r"\s+(?:two|three|four|both|guys|folks)\b", text[end : end + 8]) and form == "you"
    ):
        return None
    if form in _POSSESSIVES:
        return [(start, end, f"{written}'s")]
    if form == "her":
        return [(start, end, written if is_object_her(text, start, end) else f"{written}'s")]
    if form == "reflexive":
        first = reference.person == "first" and not reference.plural
        return [(start, end, "itself" if first and is_bot else "themselves")]
    if form == "chat":
        return [(start, end, f"{written} {_CHAT_VERB[reference.text.lower()]}")]
    if reference.kind == "reference" or form == "object":
        return [(start, end, written)]
    return _subject(text, reference, written, plural)


def _subject(text: str, reference: Reference, name: str, plural: bool) -> list[Edit]:
    """Return the edits of a subject and its verb."""
    start, end = reference.start, reference.end
    is_short = text[end : end + 1] in ("'", "’")
    if reference.gender:
        made = agree(text, end) if is_short else None
        return [
            (
                start,
                made.contraction_end if made else end,
                name + (made.after_subject if made else ""),
            )
        ]
    is_subject = (
        is_short
        or _BEFORE_SUBJECT.search(text[max(0, start - 10) : start])
        or _IS_OR_HAS.match(text, end)
    )
    if reference.form == "you" and not is_subject:
        return [(start, end, name)]  # "told you lies"
    joined = _JOINED_SUBJECT.search(text[max(0, start - 60) : start]) or _JOINS_ON.match(text, end)
    made = agree(text, end, plural=plural or joined is not None)
    return [(start, made.contraction_end, name + made.after_subject), *made.edits]


def english_group(text: str, reference: Reference, group: str) -> list[Edit]:
    """Return the edits that replace "this group", "here" or "you all" by the group's name."""
    start, end = reference.start, reference.end
    if reference.person == "second":
        group = f"the members of {group}"
    elif reference.form == "here" and previous_word(text, start) not in WORDS["prepositions"]:
        group = (
            f"{'In' if _SENTENCE_START.search(text[max(0, start - 3) : start]) else 'in'} {group}"
        )
    return [(start, end, capital(text, start, group))]


def capital(text: str, start: int, name: str) -> str:
    """Return `name`, capitalised at the start of a sentence if it is a substitute for a name.

    Substitutes for missing names are "the bot" and "user 42".
    """
    if _NOUN_NAME.match(name) and _SENTENCE_START.search(text[max(0, start - 3) : start]):
        return name[0].upper() + name[1:]
    return name
