"""Persons of a rewrite: everybody in the draft is still named and has the same role.

Small models keep the words and exchange the people: "Undefined explained trees to Tom" becomes "Tom explained trees to
Undefined". The rule-made draft holds the correct roles; a rewrite is rejected only if one of its clauses says the same
as a clause of the draft with the people exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from ...schema.names import Names
from ..protected import overlaps, whole_name_pattern
from ..references.people import find_people
from ..remembered import remembered
from .findings import Finding
from .role_clauses import Clause, Function, Mention, read_clauses

_SAME = 0.5
"""Minimum content overlap at which two clauses that name the same two people are considered equivalent."""
_CERTAIN = 0.66
"""The same limit if only the subject is compared."""


_CLAUSES = 60
"""Maximum clauses compared on each side, because the comparison is quadratic. Typical texts have a handful."""


def misattributed(
    candidate: str,
    draft: str,
    names: Names,
    language: str,
    item: Literal["action", "fact"],
    *,
    pronouns: Sequence[tuple[int, int]] = (),
    draft_pronouns: Sequence[tuple[int, int]] = (),
    open_subject: bool = False,
) -> list[Finding]:
    """Return persons of the draft that `candidate` does not name, and clauses in which it exchanges persons.

    If the draft omits the subject (and does not leave it open: `open_subject`), an action is the bot's and a fact is about the
    user. `pronouns` are the spans of third-person singular pronouns outside quotations: each refers to the one person besides
    the bot that its text names, if there is exactly one.
    """
    persons = _persons(names, language)
    # People outside the conversation can be exchanged as well if both texts name them.
    known = {alias for aliases in persons for alias in aliases}
    others = dict.fromkeys(one.name for one in find_people(draft, tuple(known)) if one.name in candidate)
    persons += tuple((name,) for name in others if name not in known and name not in (names.group_name, names.group_id))
    mine = _mentions(candidate, persons)
    theirs = _mentions(draft, persons)
    findings = [*_missing(candidate, draft, mine, theirs), *_missing_group(candidate, draft, names, language)]
    if mine and len(persons) > 1:
        own = read_clauses(candidate, _with_pronouns(mine, pronouns), language)
        writer = 0 if item == "action" else 1
        if theirs:
            given = read_clauses(draft, _with_pronouns(theirs, draft_pronouns), language, frozenset((writer,)))
            findings.extend(_exchanged(own, given))
        elif not open_subject and not any(mention.person == writer for mention in mine):
            unsaid = (Mention(writer, 0, 0),)
            findings.extend(_exchanged(own, read_clauses(draft, unsaid, language)))
    return findings


@remembered(256)
def _persons(names: Names, language: str) -> tuple[tuple[str, ...], ...]:
    """Return the persons of a job, each with all its names; the bot comes first."""
    user = [names.user(language)]
    if names.user_id:
        user.append(names.user_id)
    persons = [(names.bot(language),), tuple(user)]
    persons.extend((name,) for name in names.others if name.strip() and name not in (*user, names.bot_name))
    return tuple(persons) if persons[0][0] != user[0] else tuple(persons[1:])


@remembered(512)
def _mentions(text: str, persons: tuple[tuple[str, ...], ...]) -> tuple[Mention, ...]:
    folded = {alias.strip().casefold(): index for index, aliases in enumerate(persons) for alias in aliases}
    pattern = whole_name_pattern(tuple(folded))
    if pattern is None:
        return ()
    lowered = text.casefold()
    if len(lowered) != len(text):
        lowered = text
    return tuple(Mention(folded[match.group()], *match.span()) for match in pattern.finditer(lowered) if match.group() in folded)


def _with_pronouns(mentions: Sequence[Mention], pronouns: Sequence[tuple[int, int]]) -> list[Mention]:
    others = {mention.person for mention in mentions if mention.person != 0}
    if len(others) != 1 or not pronouns:
        return list(mentions)
    person = others.pop()
    taken = [(mention.start, mention.end) for mention in mentions]
    free = [span for span in pronouns if not overlaps(taken, *span)]
    return sorted((*mentions, *(Mention(person, *span) for span in free)), key=lambda mention: mention.start)


def _missing(candidate: str, draft: str, mine: Sequence[Mention], theirs: Sequence[Mention]) -> Iterator[Finding]:
    named = {mention.person for mention in mine}
    for mention in theirs:
        if mention.person not in named:
            named.add(mention.person)
            yield Finding("role", draft[mention.start : mention.end], len(candidate), len(candidate), "lost")


def _missing_group(candidate: str, draft: str, names: Names, language: str) -> Iterator[Finding]:
    """Yield a finding if the draft names the group and the candidate does not."""
    group = names.group(language)
    if group and group in draft and not any(name and name in candidate for name in (names.group_name, names.group_id)):
        yield Finding("place", group, len(candidate), len(candidate), "lost")


def _exchanged(own: Sequence[Clause], given: Sequence[Clause]) -> Iterator[Finding]:
    """Yield, once each, the clauses of the rewrite that repeat a clause of the draft with other people in it."""
    blamed: set[int] = set()
    own, given = own[:_CLAUSES], given[:_CLAUSES]
    unchanged = {clause.text.strip() for clause in given}
    for clause in given:
        for index, mirror in enumerate(own):
            if index in blamed or mirror.text.strip() in unchanged:
                continue
            if _reversed(clause, mirror, own, given) or _crossed(clause, mirror) or _other_subject(clause, mirror, own):
                blamed.add(index)
                yield Finding("role", mirror.text.strip(), *_trimmed(mirror), "swapped")


def _trimmed(clause: Clause) -> tuple[int, int]:
    lead = len(clause.text) - len(clause.text.lstrip())
    return clause.start + lead, clause.start + lead + len(clause.text.strip())


def _relations(clause: Clause) -> set[tuple[int, int, Function]]:
    """Return who acts on whom, and who acts on whose property ("Tim likes John's song")."""
    kinds: tuple[Function, ...] = ("patient", "owner")
    return {(agent, other, kind) for kind in kinds for agent in clause.agents for other in clause.persons(kind) if agent != other}


def _reversed(clause: Clause, mirror: Clause, own: Sequence[Clause], given: Sequence[Clause]) -> bool:
    """Return True if agent and patient are exchanged: "Tom hit Ann" became "Ann hit Tom"."""
    likeness = clause.overlap(mirror)
    if likeness < _SAME or not _comparable(clause, mirror):
        return False
    turned = {(other, agent, kind) for agent, other, kind in _relations(mirror)}
    for relation in _relations(clause) & turned:
        # Nothing is exchanged if the draft says it both ways or the rewrite says it correctly elsewhere.
        if any(relation in _relations(other) and clause.overlap(other) >= likeness for other in own):
            continue
        backwards = (relation[1], relation[0], relation[2])
        if any(backwards in _relations(other) and other.overlap(mirror) >= likeness for other in given):
            continue
        return True
    return False


def _crossed(clause: Clause, mirror: Clause) -> bool:
    """Return True if two people exchanged places between the same words. "A and B" for "B and A" is accepted."""
    if clause.overlap(mirror) < _SAME or not _comparable(clause, mirror):
        return False
    stated = _slots(clause)
    turned = _slots(mirror)
    both = sorted(stated.keys() & turned.keys())
    for first in both:
        for second in both:
            if first >= second or stated[first] == stated[second]:
                continue
            if stated[first] == turned[second] and stated[second] == turned[first]:
                return not {stated[first][0], stated[first][1]} & _JOINING
    return False


_JOINING = frozenset(("和", "与", "與", "跟", "同", "及", "and", "or"))


def _slots(clause: Clause) -> dict[int, tuple[str, str]]:
    """Return the words before and after each person; empty if a person is mentioned twice."""
    slots: dict[int, tuple[str, str]] = {}
    for (mention, _), slot in zip(clause.functions, clause.slots, strict=True):
        if mention.person in slots:
            return {}
        slots[mention.person] = slot
    return slots


def _other_subject(clause: Clause, mirror: Clause, own: Sequence[Clause]) -> bool:
    """Return True if the clause has one person and the rewrite says the same about another person."""
    function: Function = "agent" if clause.persons("agent") else "owner"
    subject, now = clause.persons(function), mirror.persons(function)
    if len(clause.everyone) != 1 or len(subject) != 1:
        return False
    if len(now) != 1 or now == subject or subject & mirror.everyone:
        return False
    likeness = clause.overlap(mirror)
    if likeness < _CERTAIN or not _comparable(clause, mirror):
        return False
    return not any(subject & other.everyone and clause.overlap(other) >= _SAME for other in own)


def _comparable(clause: Clause, mirror: Clause) -> bool:
    """Return True if the clauses have the same role-reversing words. Passives are already normalised."""
    undone = {"被", "由", "遭", "by", "was", "were", "been", "being", "has", "had"}
    return clause.turns - undone == mirror.turns - undone
