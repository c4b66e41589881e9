"""Statements that lean on what was said before them: "It was great", "the second one", 不对，是下周三来, 那个挺好吃的.

Only the beginning of a statement is looked at: what stands before a word in the same statement may be what it means. "It" that
means nothing ("it rains", "it takes two hours to get there", "it is important that …") leans on nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ...schema.names import Names
from ..borders import begins_with, names_one
from ..word_lists import compiled_patterns, word_tables
from .agreement import is_finite_verb, is_past_verb


@dataclass(frozen=True, slots=True)
class Leaning:
    """The wording of a statement that means what was said before it, by its offsets, and why.

    "thing" is a word for something that the statement does not name before (it, that one, 那个), "elliptic" an answer, a
    correction or a comparison without what it is about.
    """

    start: int
    end: int
    why: Literal["thing", "elliptic"]


LONGEST_CLAUSE = 160
"""Characters of a first clause that are looked at."""
LONGEST_STATEMENT = 400
"""Characters up to which "this guide" points out of a statement; a longer text may be the guide itself."""

_RE = compiled_patterns(word_tables("references/elliptic.toml"))

_WORD = re.compile(r"\s+([a-z]+(?:['’]t)?)", re.IGNORECASE)
_SOMEBODY = re.compile(r"(?:I|we|he|she|they)\b|[我他她]们?", re.IGNORECASE)

_POINTER = re.compile(r"(?P<word>it|this|that|these|those)\b(?!-)", re.IGNORECASE)

_ZH_USUAL = re.compile("老地方|老样子|老时间|老规矩")
_REPORTED = re.compile(r"that (?!(?:is|was|has|had|will|would|can|could)\b)", re.IGNORECASE)
"""A conjunction: "Ann believes that moments like these …", not "Ann thinks that was fun"."""
_WORDS = re.compile(r"[a-z]+(?:['’]t)?", re.IGNORECASE)
_CAPITAL = re.compile(r"[A-Z][a-z]|[一-鿿]")
_SHORT = re.compile(r"['’](?:s|re|ll|d|ve)\b")


def leans_on_what_was_said(text: str, names: Names) -> Leaning | None:
    """Return what in a statement means something that was said before it; None if nothing does."""
    opening = _RE.opening.match(text)
    start = opening.end() if opening is not None else 0
    who = _somebody(text, start, names)
    if who:
        clause = _RE.says.match(text, start + who)
        if clause is None:
            return _after_a_person(text, start, start + who)
        start = clause.end()
    return None if who and _REPORTED.match(text, start) else _at_beginning(text, start, names)


def _somebody(text: str, start: int, names: Names) -> int:
    """Return the length of the name or pronoun of a person at `start`, 0 for none."""
    for name in names.everybody:
        if begins_with(text, name, start):
            return len(name)
    pronoun = _SOMEBODY.match(text, start)
    return len(pronoun.group()) if pronoun is not None else 0


def _after_a_person(text: str, start: int, end: int) -> Leaning | None:
    """Return what is open in what somebody is, has or did: "Ann did too", "Ann loved it", 林悦也是."""
    if _RE.left_out.match(text, end):
        return Leaning(start, len(text), "elliptic")
    found = (_RE.object.match(text, end) or _RE.zh_object.match(text, end)) if not _RE.likes_that.match(text, end) else None
    return Leaning(*found.span("word"), "thing") if found is not None else None


def _at_beginning(text: str, start: int, names: Names) -> Leaning | None:
    """Return what is open in a statement, without the words that lead to it, that begins with nobody."""
    clause = text[start : start + LONGEST_CLAUSE]
    chosen = _RE.one.match(clause) or _ZH_USUAL.search(clause)
    if chosen is not None:
        return Leaning(start + chosen.start(), start + chosen.end(), "thing")
    pointer = _POINTER.match(clause)
    if pointer is not None and not _is_somebody(clause, pointer.end(), names):
        end = _english_pointer(clause, pointer, len(text) <= LONGEST_STATEMENT)
        return Leaning(start, start + end, "thing") if end else None
    if pointer is not None:
        return None
    pointer = _RE.zh_pointer.match(clause)
    if pointer is not None and (pointer["word"] or len(text) <= LONGEST_STATEMENT):
        return Leaning(start, start + pointer.end(), "thing")
    named = names_one(clause, names.everybody)
    if (_RE.zh_headless.match(clause) and not named) or _RE.zh_answer.match(clause):
        return Leaning(start, len(text), "elliptic")
    if start and not clause.strip():
        return Leaning(0, len(text), "elliptic")
    bare = _RE.compared.match(clause) or _RE.where_or_when.match(clause)
    nothing = bare is not None and not _has_verb(bare["rest"]) and not _CAPITAL.search(bare["rest"])
    return Leaning(start, len(text), "elliptic") if nothing or _RE.sensed.match(text, start) else None


_IS = re.compile(r"(?:['’]s| is| was) (?P<who>me|us|you)?", re.IGNORECASE)


def _is_somebody(clause: str, end: int, names: Names) -> bool:
    """Return True if a pronoun is only said to be somebody: "that's me"."""
    shown = _IS.match(clause, end)
    return shown is not None and (shown["who"] is not None or _somebody(clause, shown.end(), names) > 0)


def _english_pointer(clause: str, pointer: re.Match[str], is_short: bool) -> int:
    """Return where a pronoun ends that is the subject of a clause and means something, with the noun after it; 0 if it is not."""
    word, end = pointer["word"].lower(), pointer.end()
    if _RE.reaction.match(clause):
        return 0
    if word == "it":
        return 0 if _RE.it_alone.match(clause, end) or _RE.extraposed.match(clause, end) else end
    position = end
    while (adverb := _RE.adverb.match(clause, position)) is not None:
        position = adverb.end()
    following = _WORD.match(clause, position)
    if following is not None and following[1].lower() == "said":
        return 0
    if _RE.auxiliary.match(clause, position) or (following is not None and is_finite_verb(following[1])):
        shown = {"this": _RE.own, "these": _RE.own, "that": _RE.extraposed}.get(word)
        return 0 if shown is not None and shown.match(clause, end) else end
    pointed = _RE.pointed.match(clause) if is_short else None
    return pointed.end() if pointed is not None and _has_verb(clause[pointed.end() :]) else 0


def _has_verb(clause: str) -> bool:
    """Return True if a clause goes on with a finite verb before it ends."""
    head = _RE.clause_end.split(clause, maxsplit=1)[0]
    words = _WORDS.findall(head)
    return any(is_finite_verb(word) or is_past_verb(word) for word in words) or _SHORT.search(head) is not None
