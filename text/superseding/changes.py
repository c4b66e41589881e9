"""Which former statement is over because of a new one, decided by rules from the words of both.

A statement is over if the new one gives another value of what one has only once (home, job), or says outright that it is over
(no longer, cancelled; 不再, 取消) or was wrong, in the former one's own words. Where a rule is not sure, both hold: a wrong link
hides what is true. Plans, visits and what is told of former times or of somebody else end nothing. All else is left to a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..support import share, weight
from .statement import MARKS, ONE_VALUE, Statement, says_something, terms_of

Change = Literal["", "superseded", "corrected"]

LONGEST = 240
"""A longer text (in characters) is no single statement: it ends nothing, and nothing ends it."""
ALIKE = 0.45
"""Likeness of vectors from which two facts of one subject may be about one thing."""
MOST_ENDED = 2
HALF, MOST = 0.5, 0.75
"""Shares of a statement's content words (`share`) that another one has as well."""


def change_by(new: Statement, old: Statement, *, values_only: bool = False) -> Change:
    """Return what the statement `new` does to `old`, an earlier one of the same conversation; "" if both hold.

    `values_only`: only another value of what one has once makes a change, besides a correction. So it is where `old` tells of
    what was over when it was said.

    >>> people = ("Ann", "Tom")
    >>> change_by(Statement("Ann moved to Vienna", people), Statement("Ann lives in Lisbon", people))
    'superseded'
    >>> change_by(Statement("Tom moved to Vienna", people), Statement("Ann lives in Lisbon", people))
    ''
    """
    if not _may_end(new, old) or MARKS.unreal.search(new.text):
        return ""
    if _corrects(new, old):
        return "corrected"
    if not new.is_real or not new.subject or new.subject != old.subject:
        return ""
    return "superseded" if _another_value(new, old) or (not values_only and _says_over(new, old)) else ""


def links_of(new: Statement, before: Sequence[Statement], values_only: Sequence[int] = ()) -> list[tuple[int, Change]]:
    """Return which of the former statements, the newest first, are over because of `new`: places and what it does to them.

    `values_only` are the places of those for which `change_by` is asked so. A correction takes back one statement: what it
    names most of. A change ends the MOST_ENDED that share most of its words: who ends more says so of nothing in particular.
    """
    found: list[tuple[int, Change]] = [
        (n, change) for n, one in enumerate(before) if (change := change_by(new, one, values_only=n in values_only))
    ]
    corrected = [pair for pair in found if pair[1] == "corrected"]
    if corrected:
        return [max(corrected, key=lambda pair: weight(before[pair[0]].terms & new.terms))]
    found.sort(key=lambda pair: share(before[pair[0]].terms, new.terms), reverse=True)
    return found[:MOST_ENDED]


def could_end(new: Statement, old: Statement, likeness: float = 0.0) -> bool:
    """Return True if `new` may end `old` where a model says so: the same subject, and a matter in common.

    `likeness` is that of their vectors, centred: what says the same thing in other words is alike.
    """
    is_near = new.subject == old.subject and (likeness >= ALIKE or is_of_matter(new, old))
    return is_near and may_concern(new, old)


def may_concern(new: Statement, old: Statement) -> bool:
    """Return True if `new` may end `old` in words of its own: it tells of what is so, and of nobody else by name."""
    subjects = {new.subject, old.subject} - {""}
    return _may_end(new, old) and new.is_real and same_whose(new, old) and len(subjects) < 2


def is_of_matter(new: Statement, old: Statement) -> bool:
    """Return True if the words of both tell that they are about one matter: a content word, or a value of one thing."""
    is_one = any(topic.search(new.said) and topic.search(old.said) for topic in ONE_VALUE)
    return is_one or says_something(new.terms & old.terms)


def same_whose(new: Statement, old: Statement) -> bool:
    """Return True if both tell of the same relative or thing of their subject, or of the subject itself.

    What is told of a thing may end that the subject has it: "Ann has a cat", "Ann's cat ran away".
    """
    told = new.owned in old.text.casefold() and old.owned in new.text.casefold()
    return new.relative == old.relative and told


def _may_end(new: Statement, old: Statement) -> bool:
    """Return True if both are short, not the same, and `old` says one thing only."""
    return new.text != old.text and max(map(len, (new.text, old.text))) <= LONGEST and not old.is_compound


def _another_value(new: Statement, old: Statement) -> bool:
    """Return True if both give a value of what their subject has only once, and the values differ."""
    if MARKS.besides.search(new.said) or any(one.search(old.text) for one in (MARKS.past, MARKS.visiting)):
        return False
    return any(
        one[:3] == former[:3] and one.words and former.words and not one.words & former.words
        for former in old.values
        for one in new.values
    )


def _says_over(new: Statement, old: Statement) -> bool:
    """Return True if `new` says outright, and in its words, that what `old` tells of is over."""
    if not same_whose(new, old):
        return False
    if MARKS.resigned.search(new.clause) and any(one.topic for one in old.values):  # not the home
        return terms_of(MARKS.resigned.sub(" ", new.clause), new.people) <= old.terms
    if not MARKS.ended.search(new.clause) or MARKS.ended.search(old.said):
        return False
    told = terms_of(MARKS.ended.sub(" ", new.clause), new.people)
    shared = old.terms & told
    return bool(shared) and min(share(old.terms, shared), share(told, shared)) >= MOST


def _corrects(new: Statement, old: Statement) -> bool:
    """Return True if `new` says that `old`, which is about who says so or about the same person, was wrong."""
    if not MARKS.wrong.search(new.text) or old.subject not in ("", new.subject, new.speaker):
        return False
    if new.subject and not same_whose(new, old):
        return False
    core = frozenset(term for term in old.terms if not term[0].isdigit())
    return says_something(core & new.terms) and share(core, core & new.terms) >= HALF
