"""Rewriting of resolved English references."""

from __future__ import annotations

import re

from ..borders import ENDS
from ..edits import Edit
from ..word_lists import by_word, word_list, word_tables
from .agreement import agree, inverted_auxiliary, is_common_verb
from .english import is_object_her, next_word, previous_word
from .types import Reference

_POSSESSIVES = frozenset({"possessive", "possessive_alone", "his"})
_CHAT_VERB = by_word({"is": "im youre ur hes shes theyre", "has": "ive youve theyve"})
_WORDS = {name: word_list(words) for name, words in word_tables("references/english.toml")["rewriting"].items()}
_MANDATIVE = re.compile(
    r"\b(?:suggest|recommend|insist|propos|demand|request|advis|urg|prefer)(?:e|es|ed|s|ing)?\s+(?:that\s+)?$", re.IGNORECASE
)
_JOINED_SUBJECT = re.compile(
    r"(?:^|[.!?,;:\n]\s*|\b(?:that|when|if|because|while|and|where|what|as|since|so|but)\s+)"
    r"(?:[A-Z][\w'’]*|[Yy]ou|[Hh]e|[Ss]he|[Tt]hey|(?:[Mm]y|[Hh]is|[Hh]er|[Yy]our|[Tt]heir|[Tt]he)\s+\w+)\s+(?:and|or|nor)\s+$"
)
_JOINS_ON = re.compile(r"\s+(?:and|or)\s+(?:[A-Z]\w+|you|he|she|they|my|your|his|her|the|both)\b")
_NOUN_NAME = re.compile(r"(?:the bot|the members|user|group)(?: |$)")
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n]\s*|[\"“(]\s*)$")


def english_person(
    text: str, reference: Reference, name: str, *, plural: bool = False, is_bot: bool = False
) -> list[Edit] | None:
    """Return the edits that replace a pronoun or stand-in by a name and make the verb agree.

    `plural`: the name is several names ("Ada and Tom"); `is_bot`: it is the bot's, which is no "themselves". Returns None if
    the sentence cannot be rewritten safely.
    """
    start, end = reference.start, reference.end
    written = capital(text, start, name)
    form = reference.form
    if form == "invitation" or (re.match(r"\s+(?:two|three|four|both|guys|folks)\b", text[end : end + 8]) and form == "you"):
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
    start, end = reference.start, reference.end
    if reference.gender:
        contraction = re.match(rf"['’](?:s|d|ll){ENDS}", text[end : end + 4])
        if contraction is None:
            return [(start, end, name)]
        made = agree(text, end)
        return [(start, made.contraction_end, name + made.after_subject)]
    if reference.form == "you" and not _is_subject(text, start, end):
        return [(start, end, name)]
    joined = _JOINED_SUBJECT.search(text[max(0, start - 60) : start]) is not None or _JOINS_ON.match(text, end) is not None
    plural = plural or joined
    inverted = inverted_auxiliary(text, start)
    if inverted is not None and not (reference.form == "you" and text[end : end + 1] in ("'", "’")):
        changed = [inverted] if inverted[2] and not plural else []
        return [*changed, (start, end, name)]
    if _MANDATIVE.search(text[max(0, start - 30) : start]):
        return [(start, end, name)]
    made = agree(text, end, plural=plural)
    return [(start, made.contraction_end, name + made.after_subject), *made.edits]


def _is_subject(text: str, start: int, end: int) -> bool:
    """Return True if "you" is the subject of a verb and not an object."""
    if text[end : end + 1] in ("'", "’") or inverted_auxiliary(text, start) is not None:
        return True
    word = previous_word(text, start)
    after = next_word(text, end)
    if not after:
        return False
    if not word or word in _WORDS["opens_clause"] or after in _WORDS["auxiliaries"]:
        return True
    # "something you feel", "the shots you got": a noun precedes "you", not a verb that takes an object.
    if (
        word in _WORDS["takes_object"]
        or is_common_verb(word)
        or is_common_verb(word.removesuffix("s"))
        or (word.endswith(("ed", "ing")) and not word.endswith("thing"))
    ):
        return False
    return is_common_verb(after)


def english_group(text: str, reference: Reference, group: str) -> list[Edit]:
    """Return the edits that replace "this group", "here" or "you all" by the group's name."""
    start, end = reference.start, reference.end
    if reference.person == "second":
        return [(start, end, capital(text, start, f"the members of {group}"))]
    if reference.form != "here":
        return [(start, end, capital(text, start, group))]
    word = previous_word(text, start)
    if word in _WORDS["prepositions"]:
        return [(start, end, group)]
    preposition = "to" if word in _WORDS["moving"] else "in"
    if _SENTENCE_START.search(text[max(0, start - 3) : start]):
        preposition = preposition.capitalize()
    return [(start, end, f"{preposition} {group}")]


def capital(text: str, start: int, name: str) -> str:
    """Return `name`; a substitute for a missing name ("the bot", "user 42") is capitalised at the start of a sentence."""
    if _NOUN_NAME.match(name) and _SENTENCE_START.search(text[max(0, start - 3) : start]):
        return name[0].upper() + name[1:]
    return name
