"""Notes without a subject, known by their form: "panics before exams", "into jazz", "terrible with names", 挺能吃辣, 更贵了.

English tells a verb by its ending and by whether the clause has another one: "marks essays on Sundays" has none, "exams start on
Monday" has. Chinese has no endings, but what always follows its subject (很, 也, 没) shows at the beginning that there is none.
"""

from __future__ import annotations

import re
from typing import Literal

from ..word_lists import compiled_patterns, word_list, word_tables
from .agreement import is_common_verb, is_finite_verb, is_past_verb

Form = Literal["verb", "is", "is a", "is an", "was", "has", ""]
"""What a name needs between itself and the note; "verb" is nothing, "" is no note of a person."""

_TABLES = word_tables("references/fragments.toml")
_RE = compiled_patterns(_TABLES)
_NOUNS, _NO_VERB_FORMS = word_list(_TABLES["words"]["nouns"]), word_list(_TABLES["words"]["no_verbs"])

_SENTENCE_END = re.compile(r"[.;:!?]|\b(?:because|when|while|if|since|until|who|which)\b", re.IGNORECASE)
_BEFORE_NOUN = frozenset(("a", "an", "the", "my", "his", "her", "their", "to", "no", "of"))
_IS_SHORT = re.compile(r"^[\w ]{0,12}['’]s\b|['’]s (?:an?|the|not|so|very|really|always|just|hard|good)\b", re.IGNORECASE)
_WORDS = re.compile(r"[a-z]+(?:['’][a-z]+)?", re.IGNORECASE)


def english_form(note: str) -> Form:
    """Return what a note without a subject is by its form; "" for one that has a subject, or tells of no person.

    >>> english_form("panics before exams"), english_form("exams start on Monday"), english_form("terrible with names")
    ('verb', '', 'is')
    """
    first = _RE.first.match(note)
    if first is None:
        return ""
    found = _fragment(note)
    if found:
        return found if not _goes_on(note[first.end() :]) else ""
    if _RE.own_deed.match(note) or _RE.modal.match(note):
        return "verb"
    word, rest = first["word"].lower(), note[first.end() :].strip()
    if word.endswith("ing") and len(word) > 5 and word not in _NOUNS and _RE.before_object.match(rest):
        return "" if _goes_on(rest, _SENTENCE_END) else "is"
    if _goes_on(rest) or (rest[:1] in ("", ",", ".", "!", ";") and (note[0].isupper() or _is_past(word))):
        return ""
    if _is_past(word) or _is_third_person(first["word"], rest):
        return "verb"
    return ""


def _fragment(note: str) -> Form:
    """Return the form of a note without a verb: "into jazz", "three cats", "grant writer by trade"."""
    if _RE.was.match(note):
        return "was"
    if _RE.is_so.match(note):
        return "is"
    if _RE.is_a.match(note):
        return "is an" if note[0].lower() in "aeiou" else "is a"
    return "has" if _RE.has.match(note) else ""


def _goes_on(rest: str, ends: re.Pattern[str] = _RE.clause_end) -> bool:
    """Return True if a finite verb follows in the clause, so that what stands before it is its subject."""
    clause = ends.split(rest, maxsplit=1)[0]
    words = _WORDS.findall(clause)
    finite = (at for at, word in enumerate(words) if is_finite_verb(word) and not word[0].isupper())
    return any(not at or words[at - 1].lower() not in _BEFORE_NOUN for at in finite) or _IS_SHORT.search(clause) is not None


def _is_past(word: str) -> bool:
    """Return True if a word is the past of a verb rather than an adjective: drew, skipped."""
    return is_past_verb(word) and word not in _NO_VERB_FORMS


def _is_third_person(word: str, rest: str) -> bool:
    """Return True if a word in "-s" at the beginning of a clause is its verb and not a plural noun."""
    is_capital, word = word[0].isupper(), word.lower()
    if not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")) or len(word) < 4 or word in _NOUNS:
        return False
    known = is_common_verb(word[:-1]) or is_common_verb(word.removesuffix("es"))
    if word.endswith(("tions", "sions", "ments", "ships", "ities", "ists", "ians", "tos", "ers", "ors")) and not known:
        return False
    if is_capital and not known and not _RE.after_verb.match(rest):  # Jonas, Texas
        return False
    following = rest.split(maxsplit=1)[0].lower() if rest else ""
    return known or following not in ("of", "from", "for", "to", "about", "with", "between", "and", "or", "are", "have", "do")


def chinese_form(note: str) -> Literal["state", "other", ""]:
    """Return "state" for a note of a person without a subject, "other" for one that may be of a thing (更贵了); "" for others."""
    if _RE.zh_state.match(note):
        return "state"
    return "other" if _RE.zh_after_subject.match(note) else ""
