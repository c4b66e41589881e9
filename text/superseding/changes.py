"""Which former statement is over because of a new one, decided by rules from the words of both.

A statement is over if the new one is about the same subject and gives another value of something that one has only once
(home, job, a phone's model), or says by a mark (moved, no longer, cancelled; 搬到, 不再, 取消) that what the former one tells of
has changed. Where a rule is not sure, both hold: a wrong link hides what is true. Plans, wishes, suppositions, questions, jokes,
visits and what is told of former times end nothing, nor does what is told of somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ..references.people import find_people
from ..support import is_negative, share, weight
from .marks import ENDED_BY, MARKS, ONE_VALUE
from .statement import (
    Statement,
    core_of,
    first_named,
    numbers_in,
    says_something,
    terms_of,
    without_numbers,
)

Change = Literal["", "superseded", "corrected"]

LONGEST = 240
"""A longer text (in characters) is no single statement: it ends nothing, and nothing ends it."""
_POSSESSED = re.compile(r"\b(?!(?:\w+['’]s? )*$)[a-z]+['’]s\b")
ALIKE = 0.45
"""Likeness of vectors from which two facts of one subject may be about one thing."""
MOST_ENDED = 2
SOME, HALF, MOST = 0.3, 0.5, 0.75
"""Shares of a statement's content words (`share`) that another one has as well."""


def change_by(new: Statement, old: Statement, *, values_only: bool = False) -> Change:
    """Return what the statement `new` does to `old`, an earlier one of the same conversation; "" if both hold.

    `values_only`: only another value of what one has once (home, job) makes a change, besides a correction. So it is where `old`
    tells of what was over when it was said, and in talk, where "pushed back" and "instead" are said of much.

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
    if MARKS.past.search(new.text):
        return ""
    if _another_value(new, old) or (not values_only and any(_ends(part, old) for part in new.parts)):
        return "superseded"
    return ""


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
    return sorted(found, key=lambda pair: -share(before[pair[0]].terms, before[pair[0]].terms & new.terms))[:MOST_ENDED]


def could_end(new: Statement, old: Statement, likeness: float = 0.0) -> bool:
    """Return True if `new` may end `old` where somebody says so who understands both: same subject, and a topic in common.

    `likeness` is that of their vectors, centred: what says the same thing in other words is alike.
    """
    if not _may_end(new, old) or not new.is_real or not same_whose(new, old):
        return False
    if likeness >= ALIKE and same_subject(new, old):
        return True
    topics = any(pattern.search(new.said) and pattern.search(old.said) for pattern in ONE_VALUE)
    return new.subject == old.subject and (topics or says_something(new.terms & old.terms))


def may_concern(new: Statement, old: Statement) -> bool:
    """Return True if `new` may end `old` in words of its own: it tells of what is so, and of nobody else by name."""
    return _may_end(new, old) and new.is_real and same_whose(new, old) and same_subject(new, old, unnamed=True)


def is_of_matter(new: Statement, old: Statement) -> bool:
    """Return True if the words of both tell that they are about one matter: a content word, or a value of one thing."""
    topics = any(pattern.search(new.said) and pattern.search(old.said) for pattern in ONE_VALUE)
    ended = any(state.search(old.said) and end.search(new.said) for state, end in ENDED_BY)
    return topics or ended or says_something(new.terms & old.terms)


def same_subject(new: Statement, old: Statement, *, unnamed: bool = False) -> bool:
    """Return True if both begin with the same name, or one names the other's subject; without names, if they share a word.

    `unnamed`: True as well where either has no subject by name.
    """
    if new.subject and old.subject:
        return new.subject == old.subject
    if unnamed:
        return True
    if new.subject or old.subject:
        named, other = (new.subject, old.text) if new.subject else (old.subject, new.text)
        return named.casefold() in other.casefold()
    return says_something(new.terms & old.terms)


def _may_end(new: Statement, old: Statement) -> bool:
    """Return True if both are short, not the same, and `old` says one thing only."""
    return new.text != old.text and max(len(new.text), len(old.text)) <= LONGEST and not old.is_compound


def same_whose(new: Statement, old: Statement) -> bool:
    """Return True if both tell of the same relative or thing of their subject, or of the subject itself.

    What is told of a thing may end that the subject has it: "Ann has a cat", "Ann's cat ran away".
    """
    if new.relative != old.relative:
        return False
    pairs = ((new, old.text.casefold()), (old, new.text.casefold()))
    return all(one.owned[0] in text for one, text in pairs if one.owned)


def _ends(new: Statement, old: Statement) -> bool:
    """Return True if `new`, which says one thing, says by its words that what `old` tells of is over."""
    return same_whose(new, old) and (_marked_change(new, old) or _ended(new, old) or _restated(new, old))


def _another_value(new: Statement, old: Statement) -> bool:
    """Return True if both give a value of something that their subject has only once, and the values differ."""
    if new.subject != old.subject or MARKS.besides.search(new.said) or not new.is_real:
        return False
    if MARKS.past.search(old.text) or MARKS.visiting.search(old.text):
        return False
    return any(
        one[:3] == former[:3] and one.value and former.value and not one.value & former.value
        for former in old.values
        for one in new.values
    )


def _marked_change(new: Statement, old: Statement) -> bool:
    """Return True if `new` says by a mark that what `old` tells of has changed."""
    told_of = new.subject == old.subject if new.subject or not old.subject else first_named(new.said, new.people) == old.subject
    marks = list(MARKS.changed.finditer(new.own_part))
    core = core_of(still := MARKS.changed.sub(" ", old.own_part), new.people) or terms_of(still, new.people)
    if not marks or not told_of or not core:
        return False
    if MARKS.besides.search(new.said) and not is_negative(new.said):
        return False
    if MARKS.resumed.search(new.said) and bool(MARKS.over.search(old.said)) == bool(MARKS.stopped.search(new.said)):
        return False  # what is resumed was so before it was over
    other = MARKS.other_object.search(new.said)
    if other is not None and old.subject and other["verb"] in old.said:
        return True
    replaced = MARKS.replaced.search(new.said)
    if replaced is not None and replaced["kind"][-1] not in old.said:
        return False
    told = core_of(MARKS.changed.sub(" ", _POSSESSED.sub(" ", MARKS.towards.sub("", new.said))), new.people)
    shared = core & told
    if any(one.value and not one.value & told for one in old.values):
        return False  # who no longer lives in Vienna may live in Lisbon still
    numbers, given = numbers_in(old.said), numbers_in(new.said)
    if all(MARKS.weak.match(new.said, found.start()) for found in marks):
        enough = min(share(core, shared), share(told, shared)) >= MOST
    elif MARKS.rescheduled.search(new.said) and not numbers:
        return False  # what has no time keeps it
    else:
        needed = SOME if old.subject or (numbers and given and not numbers & given) else HALF
        # A new number ends only what gives a number too.
        enough = share(core, shared) >= needed or (share(told, shared) >= MOST and (not given or bool(numbers)))
    return enough and (says_something(shared) or shared == core) and not _same_state(new.said, old)


def _ended(new: Statement, old: Statement) -> bool:
    """Return True if `new` ends the state that `old` tells of: in hospital, discharged."""
    called = MARKS.called.search(old.said)
    name = (called["zh"] or called["en"]) if called else ""
    if name and new.said.startswith(name) and MARKS.died.search(new.said):
        return True
    if new.subject != old.subject or not (old.subject or says_something(new.terms & old.terms)):
        return False
    said = [new.own_part, old.own_part]
    felt = [(MARKS.disliked.search(one) is not None, MARKS.liked.search(one) is not None) for one in said]
    objects = [core_of(MARKS.liked.sub(" ", MARKS.disliked.sub(" ", one.said)), one.people) for one in (new, old)]
    if {(True, False), (False, True)} == set(felt) and objects[1] <= objects[0] and says_something(objects[1]):
        return True
    return any(state.search(said[1]) and end.search(said[0]) and not end.search(old.said) for state, end in ENDED_BY)


def _same_state(clause: str, old: Statement) -> bool:
    """Return True if the mark of the clause stands in the old statement as well: the same change, told again."""
    return any(found.group() in old.text for found in MARKS.changed.finditer(clause)) and numbers_in(clause) <= numbers_in(
        old.said
    )


def _restated(new: Statement, old: Statement) -> bool:
    """Return True if `new` says that the same thing is called or numbered otherwise: a phone's model, a code."""
    if MARKS.besides.search(new.said) or new.subject != old.subject or not new.is_real:
        return False
    mine, theirs = MARKS.stated.match(new.said), MARKS.stated.match(old.said)
    if mine is None or theirs is None:
        return False
    heads = [terms_of(found["head"] or found["english"], new.people) for found in (mine, theirs)]
    values = [(found["value"] or found["told"]).strip() for found in (mine, theirs)]
    if min(share(heads[0], heads[1]), share(heads[1], heads[0])) < MOST or weight(heads[0]) < 1:
        return False
    if MARKS.namelike.search((mine["head"] or mine["english"]).strip()):
        return values[0] not in values[1] and values[1] not in values[0]
    named = [frozenset(MARKS.named_value.findall(value)) for value in values]
    return all(named) and not named[0] <= named[1] and not named[1] <= named[0]


def _corrects(new: Statement, old: Statement) -> bool:
    """Return True if `new` says that `old` was never so."""
    strong = MARKS.wrong.search(new.text) is not None
    if not strong and (MARKS.past.search(new.text) or not MARKS.rather.search(new.text)):
        return False
    if old.subject and old.subject not in (new.subject, new.speaker) and old.subject not in new.text:
        return False
    if new.subject and (not same_whose(new, old) or new.subject != (old.subject or new.subject)):
        return False
    if not new.subject and any(one.start == 0 for one in find_people(new.said)):
        return False  # what was told of another person
    core = without_numbers(old.terms)
    shared = core & new.terms
    if not strong:
        numbers = [numbers_in(new.said), numbers_in(old.said)]
        denied = any(
            says_something(terms_of(found["zh"] or found["en"], new.people) & core) for found in MARKS.denied.finditer(new.said)
        )
        return denied or (share(core, shared) >= HALF and all(numbers) and not numbers[0] & numbers[1])
    return says_something(shared - old.begins) and share(core, shared) >= SOME
