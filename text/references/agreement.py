"""Verb agreement after a subject changed from "I" or "you" to a name: am → is, have → has, like → likes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..borders import ENDS, LOWER, UPPER
from ..edits import Edit
from ..word_lists import word_list, word_tables

_WORDS = {name: word_list(words) for name, words in word_tables("references/english.toml")["agreement"].items()}
_IRREGULAR = {
    "am": "is", "'m": "is", "are": "is", "'re": "is", "have": "has", "'ve": "has", "do": "does", "go": "goes",
    "don't": "doesn't", "dont": "doesn't", "haven't": "hasn't", "havent": "hasn't", "aren't": "isn't", "arent": "isn't",
    "ain't": "isn't", "were": "was", "weren't": "wasn't", "werent": "wasn't", "wanna": "wants to", "gotta": "has to",
    "gonna": "is going to", "dunno": "doesn't know", "r": "is",
}  # fmt: skip
_SPELT = rf"[{UPPER}{LOWER}]+(?:['’][A-Za-z]+)?"
_WORD = re.compile(_SPELT)
_GAP_WORD = re.compile(rf"([^\S\n]+)({_SPELT})")
_SENTENCE_STOP = re.compile(r"[.!?;\n]|[—(]")
_COORDINATION = re.compile(r"(?:,\s*(?:(?:and|or|but)(?:\s+then)?|then)?|\b(?:and|or|but)(?:\s+then)?)(?=\s)")


@dataclass(frozen=True, slots=True)
class Agreement:
    """Changes to the verb phrase after a new subject: the text that replaces a contraction, and further edits."""

    contraction_end: int
    after_subject: str
    edits: tuple[Edit, ...]


def third_person(verb: str) -> str:
    """Return the third person singular of a verb in its base form: try → tries, watch → watches, have → has."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if re.search(r"(?:s|x|z|ch|sh)$", verb):
        return verb + ("zes" if verb == "quiz" else "es")
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    if verb.endswith("o") and verb[-2:-1] not in "aeiou":
        return verb + "es"
    return verb + "s"


def is_base_form(word: str, *, habitual: bool = False) -> bool:
    """Return True if a word after "I" is a present-tense verb. Ambiguous forms (put, read) count only if `habitual`."""
    lower = word.lower().replace("’", "'")
    if (
        lower in _WORDS["not_verbs"]
        or lower in _WORDS["past"]
        or lower in _WORDS["modals"]
        or (word[0].isupper() and word != "I")
    ):
        return False
    if lower in _WORDS["same_form"]:
        return habitual
    if lower in _IRREGULAR:
        return True
    if "'" in lower or len(lower) < 2:
        return False
    if lower.endswith("ed") and lower not in _WORDS["ends_in_ed"]:
        return False
    if lower.endswith("ing") and lower not in _WORDS["ends_in_ing"]:
        return False
    return not (lower.endswith("s") and not lower.endswith("ss") and lower not in ("focus", "bias", "canvas"))


def is_common_verb(word: str) -> bool:
    """Return True if a word is the base form of a verb that commonly has persons as its subject (like, tell, know)."""
    return word in _WORDS["verbs"] or word in _WORDS["stative"] or word in _IRREGULAR


def is_past_verb(word: str) -> bool:
    """Return True if a word may be the past tense of a verb: sold, put, turned."""
    lower = word.lower()
    return lower in _WORDS["past"] or lower in _WORDS["same_form"] or (lower.endswith("ed") and len(lower) > 4)


def is_finite_verb(word: str) -> bool:
    """Return True if a word after a noun is the verb of a clause in the third person or the past: likes, has, broke, wants."""
    lower = word.lower().replace("’", "'")
    if is_past_verb(lower) or lower in _WORDS["modals"] or lower in _IRREGULAR.values():
        return True
    base = lower.removesuffix("s")
    return base != lower and (is_common_verb(base) or is_common_verb(base.removesuffix("e")))


def agree(text: str, end: int, *, plural: bool = False) -> Agreement:
    """Return the changes after a subject that ends at `end` and is replaced by a name.

    With `plural` the new subject is several names ("Ada and Tom"): only contractions are expanded.
    """
    contraction = re.compile(rf"['’](m|re|ve|ll|d|s){ENDS}", re.IGNORECASE).match(text, end)
    if contraction:
        words = _expand(text, contraction.end(), contraction.group(1).lower(), plural)
        stop = contraction.end()
        kind = "modal" if contraction.group(1).lower() in ("ll", "d") else "present"
        return Agreement(stop, words, () if plural else tuple(_coordinated(text, stop, kind)))
    if plural:
        return Agreement(end, "", ())
    position, habitual = end, False
    for _ in range(4):
        match = _GAP_WORD.match(text, position)
        if match is None:
            return Agreement(end, "", ())
        word = match.group(2)
        lower = word.lower().replace("’", "'")
        if lower in _WORDS["adverbs"] or (lower.endswith("ly") and lower not in _WORDS["not_adverbs"]):
            habitual = habitual or lower in _WORDS["habit"]
            position = match.end()
            continue
        if lower in _WORDS["modals"]:
            return Agreement(end, "", tuple(_coordinated(text, match.end(), "modal")))
        if not is_base_form(word, habitual=habitual):
            return Agreement(end, "", ())
        edits: list[Edit] = [(match.start(2), match.end(2), third_person(lower))]
        kind = "modal" if lower in ("do", "don't", "dont") and _next_is_bare(text, match.end()) else "present"
        edits.extend(_coordinated(text, match.end(), kind))
        return Agreement(end, "", tuple(edits))
    return Agreement(end, "", ())


def _next_is_bare(text: str, end: int) -> bool:
    match = _GAP_WORD.match(text, end)
    return match is not None and (match.group(2).lower() == "not" or is_base_form(match.group(2)))


def _expand(text: str, end: int, letters: str, plural: bool) -> str:
    """Return the full word of a contraction with a leading space: "'m" → " is", "'ve" → " has"."""
    match = _GAP_WORD.match(text, end)
    following = match.group(2).lower() if match else ""
    if following in _WORDS["adverbs"] and match is not None and (second := _GAP_WORD.match(text, match.end())):
        following = second.group(2).lower()
    if letters in ("m", "re"):
        return " are" if plural else " is"
    if letters == "ve":
        return " have" if plural else " has"
    if letters == "ll":
        return " will"
    if letters == "d":
        had = following in _WORDS["would_had"] or (following.endswith("ed") and following not in _WORDS["ends_in_ed"])
        return " had" if had else " would"
    if following in _WORDS["have_after_s"]:
        return " has"
    if following.endswith("ed") and following not in ("excited", "interested", "tired", "married", "worried", "bored", "scared"):
        return "'s"
    return " is"


def _coordinated(text: str, position: int, kind: str) -> list[Edit]:
    """Return edits for verbs that share the subject of the verb before `position`: "likes tea and hates coffee".

    After a modal or an infinitive only stative verbs are considered coordinated with the first verb. A word that is also
    a noun must be followed by an object or a preposition.
    """
    stop = _SENTENCE_STOP.search(text, position, min(len(text), position + 300))
    limit = stop.start() if stop else min(len(text), position + 300)
    edits: list[Edit] = []
    for match in _COORDINATION.finditer(text, position, limit):
        between = text[position : match.start()]
        if any(found.group().lower() in _WORDS["subject_words"] or found.group() == "I" for found in _WORD.finditer(between)):
            break
        start, adverb = match.end(), False
        while (found := _GAP_WORD.match(text, start)) and (
            found.group(2) in _WORDS["adverbs"] or (found.group(2).endswith("ly") and found.group(2) not in _WORDS["not_adverbs"])
        ):
            start, adverb = found.end(), True
        if found is None or found.end() > limit:
            continue
        word = found.group(2).replace("’", "'")
        if word in ("am", "don't", "dont", "haven't") or (word in ("are", "have", "do") and kind == "present"):
            edits.append((found.start(2), found.end(2), third_person(word)))
            continue
        if word not in _WORDS["verbs"] and word not in _WORDS["stative"]:
            continue
        infinitive = re.search(r"\bto\s+[a-z]+\b", between) is not None
        if (kind == "modal" or infinitive) and word not in _WORDS["stative"]:
            continue
        following = _GAP_WORD.match(text, found.end())
        after = following.group(2) if following else ""
        has_object = after.lower() in _WORDS["determiner_next"] or (
            word in _WORDS["light_nouns"] and after not in ("", "and", "or", "is", "are")
        )
        if word in _WORDS["nouns_too"] and not adverb and not has_object:
            continue
        edits.append((found.start(2), found.end(2), third_person(word)))
    return edits


def inverted_auxiliary(text: str, start: int) -> Edit | None:
    """Return the edit of the auxiliary before a subject in a question ("do I like" → "does Tom like"); None without one.

    The third element is "" if the auxiliary does not change.
    """
    shortened = re.search(
        r"\b(?:how|what|where|why|when|who)(['’](?:ve|re))\s+$", text[max(0, start - 20) : start], re.IGNORECASE
    )
    if shortened is not None:
        at = max(0, start - 20)
        return at + shortened.start(1), at + shortened.end(1), f"{shortened.group(1)[0]}s"
    match = re.search(r"([A-Za-z]+(?:['’]t)?)\s+$", text[max(0, start - 20) : start])
    if match is None:
        return None
    word = match.group(1).lower().replace("’", "'")
    if word not in _WORDS["inverting"]:
        return None
    at = max(0, start - 20) + match.start(1)
    before = text[max(0, at - 30) : at].rstrip()
    opener = re.search(r"([A-Za-z']+)$", before)
    if opener and opener.group(1).lower() not in _WORDS["before_inversion"]:
        return None
    new = _IRREGULAR.get(word, "")
    if new and match.group(1)[0].isupper():
        new = new[0].upper() + new[1:]
    return at, at + len(match.group(1)), new
