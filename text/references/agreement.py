"""Verb agreement after a name has replaced "I" or "you": am → is, have → has, like → likes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..borders import ENDS, LOWER, UPPER
from ..edits import Edit
from ..word_lists import word_list, word_tables

_WORDS = {
    name: word_list(words)
    for name, words in word_tables("references/english.toml")["agreement"].items()
}
_IRREGULAR = {
    "am": "is", "'m": "is", "are": "is", "'re": "is", "have": "has", "'ve": "has", "do": "does", "go": "goes",
    "don't": "doesn't", "dont": "doesn't", "haven't": "hasn't", "havent": "hasn't", "aren't": "isn't", "arent": "isn't",
    "ain't": "isn't", "were": "was", "weren't": "wasn't", "werent": "wasn't", "wanna": "wants to", "gotta": "has to",
    "gonna": "is going to", "dunno": "doesn't know", "r": "is",
}  # fmt: skip
_SHORT = {"m": " is", "re": " is", "ve": " has", "ll": " will"}
_SPELT = rf"[{UPPER}{LOWER}]+(?:['’][A-Za-z]+)?"
_GAP_WORD = re.compile(rf"([^\S\n]+)({_SPELT})")
_CONTRACTION = re.compile(rf"['’](m|re|ve|ll|d|s){ENDS}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Changes to the verb after a new subject.

    `after_subject` replaces the contraction that ends at `contraction_end`; `edits` change a
    separate verb.
    """

    contraction_end: int
    after_subject: str
    edits: tuple[Edit, ...] = ()


def third_person(verb: str) -> str:
    """Return the third person singular of a base form: try → tries, watch → watches, have → has."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    is_hissed = verb.endswith(("s", "x", "z", "ch", "sh")) or (
        verb.endswith("o") and verb[-2:-1] not in "aeiou"
    )
    return verb + ("zes" if verb == "quiz" else "es" if is_hissed else "s")


def is_base_form(word: str, *, habitual: bool = False) -> bool:
    """Return True if a word after "I" is a present-tense verb.

    Ambiguous forms (put, read) count only if `habitual`.
    """
    lower = word.lower().replace("’", "'")
    if word[0].isupper() or any(lower in _WORDS[kind] for kind in ("not_verbs", "past", "modals")):
        return False
    if lower in _WORDS["same_form"] or lower in _IRREGULAR:
        return habitual or lower in _IRREGULAR
    if (
        "'" in lower
        or len(lower) < 2
        or (lower.endswith(("ed", "ing")) and lower not in _WORDS["ends_so"])
    ):
        return False
    return not lower.endswith("s") or lower.endswith("ss") or lower in ("focus", "bias", "canvas")


def is_common_verb(word: str) -> bool:
    """Return True if a word is the base form of a verb for acts of persons (like, tell, know)."""
    return word in _WORDS["verbs"] or word in _WORDS["stative"] or word in _IRREGULAR


def is_past_verb(word: str) -> bool:
    """Return True if a word may be the past tense of a verb: sold, put, turned."""
    lower = word.lower()
    return (
        lower in _WORDS["past"]
        or lower in _WORDS["same_form"]
        or (lower.endswith("ed") and len(lower) > 4)
    )


def is_finite_verb(word: str) -> bool:
    """Return True if a word after a noun is a verb in the third person or past: likes, broke."""
    lower = word.lower().replace("’", "'")
    if is_past_verb(lower) or lower in _WORDS["modals"] or lower in _IRREGULAR.values():
        return True
    base = lower.removesuffix("s")
    return base != lower and (is_common_verb(base) or is_common_verb(base.removesuffix("e")))


def agree(text: str, end: int, *, plural: bool = False) -> Agreement:
    """Return the changes to the verb after a subject that ends at `end` and is replaced by a name.

    With `plural` the new subject is several names ("Ada and Tom"): only contractions are expanded.
    """
    short = _CONTRACTION.match(text, end)
    if short is not None:
        letters, stop = short.group(1).lower(), short.end()
        written = _expand(text, stop, letters)
        if plural:
            return Agreement(stop, {" is": " are", " has": " have"}.get(written, written))
        return Agreement(stop, written)
    match, habitual = _GAP_WORD.match(text, end), False
    while (
        match is not None and not plural and match.end() - end < 60 and _is_adverb(match.group(2))
    ):
        habitual = habitual or match.group(2).lower() in _WORDS["habit"]
        match = _GAP_WORD.match(text, match.end())
    if match is None or plural or not is_base_form(match.group(2), habitual=habitual):
        return Agreement(end, "")
    verb = third_person(match.group(2).lower().replace("’", "'"))
    return Agreement(end, "", ((match.start(2), match.end(2), verb),))


def _is_adverb(word: str) -> bool:
    lower = word.lower()
    return lower in _WORDS["adverbs"] or (
        lower.endswith("ly") and lower not in _WORDS["not_adverbs"]
    )


def _expand(text: str, end: int, letters: str) -> str:
    """Return the full word of a contraction with a leading space: "'m" → " is", "'ve" → " has"."""
    if letters in _SHORT:
        return _SHORT[letters]
    match = _GAP_WORD.match(text, end)
    if match is not None and match.group(2).lower() in _WORDS["adverbs"]:
        match = _GAP_WORD.match(text, match.end())
    following = match.group(2).lower() if match is not None else ""
    participle = following in _WORDS["participles"] or (
        following.endswith("ed") and following not in _WORDS["ends_so"]
    )
    if letters == "d":
        return " had" if participle else " would"
    return (
        " has"
        if following in _WORDS["participles"]
        else "'s"
        if participle and following not in _WORDS["moods"]
        else " is"
    )
