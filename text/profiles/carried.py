"""Decide what of a profile by a model stands: only what the old profile or the facts of the job carry.

A statement is carried if most of its content words stand in a few sources that speak of the same person, if it
denies nothing that they affirm and affirms nothing that they deny, and if its names, numbers, dates and titles stand in them.
Words that only arrange a profile ("Occupation:", "likes", 爱好) need no source. Every step is linear in the length of the texts.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...schema.names import Names
from ..gate import find_invented
from ..gate.latin_names import latin_names
from ..instructions import split_instructions
from ..protected import whole_name_pattern
from ..statements import statements, without_bullet
from ..superseding import Statement, same_whose
from ..support import ENOUGH, Terms, has_ended, is_negative, share, weight, words_only
from .rules import topics_of
from .terms import label_terms, opening_of, profile_terms

log = logging.getLogger(__name__)

SUPPORT = 0.6
"""The share of a statement's content words that its sources must hold."""
SUPPORT_OF_PAIRS = 0.4
"""The same where pairs of Chinese characters count as well."""
TOUCHES = 0.3
"""A fact that holds this share of an old line's words may be the reason why the line is gone."""
_POSTINGS = 16
"""Sources considered for one word, the newest first: what is said more often is found by its other words."""
_SOURCES = 12
"""Most sources of one statement."""
_LINES = 200
"""Most lines of a profile that are looked at; what comes after them is left out."""
_CLAUSE_CHARACTERS = 500
"""A longer clause of a source is several."""
_LABEL = re.compile(r"^(?:\*\*|__)?(?P<label>[^:：。.!?,，]{1,30}?)(?:\*\*|__)?[:：](?!\d\d)(?:\*\*|__)?\s*(?=\S)")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+\S.*|\*\*[^*]+\*\*[:：]?|[^。.!?]{1,30}[:：])\s*$")
_CLAUSE = re.compile(r"(?:[,，、;；。!?！？()（）]|\.(?!\d))+\s*|\b(?:but|while|although)\b|但是?|不过|而是?")
_LEADING = re.compile(r"^[\W_]*(?:(?:on|since|in|from|at)\s+)?(?:\d{4}-\d{2}(?:-\d{2})?\s*)?[\W_]*", re.IGNORECASE)
_HAN = re.compile(r"[㐀-鿿豈-﫿]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_PREDICATE = re.compile(r"\s+(?:[a-z]+s|had|can|could|may|might|must|shall|should|will|would)\b")
"""What follows the subject of an English sentence."""
_PLACE = re.compile(r"\b(?:home|location|based|address|city)\b|居|所在地|家在|老家", re.IGNORECASE)
_DENIES = re.compile(r"忌|戒")
# What is said with these may be told as a denial or as the contrary: somebody who moved lives there no longer.
_BOTH = re.compile(
    r"过敏|怕|糖尿病|素食|吃素|搬|离|辞|卖|停|退|分手|改|换|曾|原来|以前"
    r"|\b(?:allerg\w+|afraid|fear\w*|diabet\w+|vegetarian|vegan|moved?|left|leav\w+|quit|sold|stopped|ended|gave up"
    r"|former\w*|used to|over|instead|rather|\w+-free)\b",
    re.IGNORECASE,
)


def carried(summary: str, old: str, facts: Sequence[str], names: Names, *, of_group: bool = False, also: str = "") -> str | None:
    """Return `summary` without what neither `old` nor `facts` carry; None if it must be refused.

    The profile is that of the user of `names`, or with `of_group` of the group. `also` holds numbers and dates that may be
    named besides. It is refused if nothing stands, if most lines of `old` are gone although no fact concerns them, or if one is
    gone that tells what one has only once (a home) although no fact gives its subject another.
    """
    basis = _Basis.of(old, facts, names, of_group=of_group, also=also)
    kept: list[str] = []
    headings: list[str] = []
    for line in summary.splitlines()[:_LINES]:
        if not line.strip():
            kept += [""] if kept and not headings else []
        elif _HEADING.match(line):
            headings = [line] if _is_arranging(line, basis) else []
        elif stands := _standing(line, basis):
            kept += [*headings, stands]
            headings = []
    result = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    missing = len(summary.split("\n")) - len(result.split("\n"))
    if missing:
        log.info("%d lines of a profile are left out: nothing that was given carries them", missing)
    if not result or _erases(result, old, facts, basis):
        log.info("a profile by the model is refused: it would take the place of what is known")
        return None
    return result


def carried_tags(tags: Sequence[str], old: Sequence[str], told: str, names: Names) -> tuple[str, ...]:
    """Return the tags that stand in `old` or share a word with the text `told`."""
    held, known, said = profile_terms(told, names), frozenset(old), told.casefold()
    return tuple(tag for tag in tags if tag in known or profile_terms(tag, names) & held or tag.casefold() in said)


@dataclass(frozen=True, slots=True)
class _Source:
    """One clause of an old line or of a fact. `head` is a person or thing that it speaks of instead of the profile's own."""

    text: str
    terms: Terms
    affirms: bool
    denies: bool
    head: str = ""


@dataclass(slots=True)
class _Basis:
    """The sources of a profile, the newest first, and where each word stands."""

    names: Names
    of_group: bool
    also: str
    sources: list[_Source] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    lines: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, old: str, facts: Sequence[str], names: Names, *, of_group: bool, also: str) -> _Basis:
        basis = cls(names, of_group, also)
        for fact in reversed(facts):
            for told in split_instructions(fact)[0]:
                basis.add(told, "" if of_group else _head(told, names))
        for line in reversed(old.splitlines()):
            basis.lines.add(_plain(line))
            for told in statements(line):
                basis.add(told, "")
        return basis

    def add(self, told: str, head: str) -> None:
        both = _BOTH.search(told) is not None
        self.named.update(one.text.casefold() for one in latin_names(told, "en"))
        for clause in _clauses(told):
            terms = profile_terms(clause, self.names)
            denies = _denies(clause)
            for term in terms:
                places = self.places.setdefault(term, [])
                if len(places) < _POSTINGS:
                    places.append(len(self.sources))
            self.sources.append(_Source(clause, terms, both or not denies, both or denies, head))

    def chosen(self, terms: Terms, statement: str) -> list[_Source]:
        """Return at most twelve sources that together hold most of `terms` and speak of what `statement` speaks of."""
        said = statement.casefold()
        counted: Counter[int] = Counter()
        for term in terms:
            for place in self.places.get(term, ()):
                counted[place] += 2 if len(term) > 1 else 1
        near = [self.sources[place] for place in sorted(counted, key=lambda one: (-counted[one], one))[: 4 * _SOURCES]]
        near = [source for source in near if not source.head or source.head in said]
        adding: list[_Source] = []
        left = set(terms)
        for source in near:
            if left & source.terms:
                adding.append(source)
                left -= source.terms
        return [*adding, *(source for source in near if source not in adding)][:_SOURCES]


def _clauses(told: str) -> Iterator[str]:
    for clause in _CLAUSE.split(told):
        for at in range(0, len(clause.strip()), _CLAUSE_CHARACTERS):
            yield clause.strip()[at : at + _CLAUSE_CHARACTERS]


def _standing(line: str, basis: _Basis) -> str:
    """Return what of a line is carried: all of it, some of its statements, or nothing."""
    if _plain(line) in basis.lines:
        return line
    found = statements(line)
    good = [one for one in found if _is_carried(one, basis)]
    if len(good) == len(found):
        return line
    bullet = line[: len(line) - len(line.lstrip(" \t-*•"))]
    return bullet + ("；" if _HAN.search(line) else "; ").join(good) if good else ""


def _is_carried(statement: str, basis: _Basis) -> bool:
    label = _LABEL.match(statement)
    told = statement[label.end() :] if label and _is_arranging(label["label"], basis) else statement
    terms = profile_terms(told, basis.names)
    found = basis.chosen(terms, told)
    if not basis.of_group and not _speaks_of_the_person(told, found, basis):
        return False
    held: Terms = frozenset().union(*(source.terms for source in found))
    telling = profile_terms(told, basis.names, light=False)
    if not telling or not _is_held(telling, held) or not _lives_there(told, found, basis.names):
        return False
    if not all(_agrees(clause, found, basis.names) for clause in _CLAUSE.split(told)):
        return False
    given = "\n".join([*dict.fromkeys(source.text for source in found), basis.also])
    return not any(one.kind in {"number", "title", "name"} for one in find_invented(told, given, basis.names))


def _is_held(terms: Terms, held: Terms) -> bool:
    """Return True if enough of `terms` stands in the sources; pairs of Chinese characters often straddle two words.

    Figures are compared by themselves, since "two" is 2.
    """
    terms = frozenset(term for term in terms if not term[0].isdigit()) or terms
    return share(words_only(terms), held) >= SUPPORT and share(terms, held) >= SUPPORT_OF_PAIRS


def _speaks_of_the_person(told: str, found: Sequence[_Source], basis: _Basis) -> bool:
    """Return True if the subject of a statement may be the person: their name, or a word that its sources hold."""
    names = basis.names
    is_named = any(name.casefold() in told.casefold() for name in _own(names))
    begins, other = _beginning(told, names)
    if other:
        return is_named
    first = _WORD.match(begins)
    if is_named or first is None:
        return True
    opens = _CLAUSE.split(begins, maxsplit=1)[0]
    held = {term for source in found for term in source.terms}
    if _HAN.match(begins):
        opening = profile_terms(opening_of(begins), names, light=False)
        return not opening or (bool(opening & held) and _is_told_of(max(opening, key=len), opens, found, names))
    word = first.group()
    if word.casefold() in basis.named:
        return _is_told_of(word.casefold(), opens, found, names)
    terms = profile_terms(word, names)
    return not terms or bool(terms & held) or _PREDICATE.match(begins, first.end()) is None


def _is_told_of(what: str, opens: str, found: Sequence[_Source], names: Names) -> bool:
    """Return True if the sources that name `what` hold what the clause `opens` says of it."""
    of_it: Terms = frozenset().union(*(source.terms for source in found if what in source.text.casefold()))
    return _is_held(profile_terms(opens, names, light=False), of_it)


def _lives_there(told: str, found: Sequence[_Source], names: Names) -> bool:
    """Return True unless a statement says where somebody lives and its sources only name the place."""
    if "home" not in topics_of(told):
        return True
    terms = profile_terms(told, names, light=False)
    return any(terms & source.terms and ("home" in topics_of(source.text) or _PLACE.search(source.text)) for source in found)


def _agrees(clause: str, found: Sequence[_Source], names: Names) -> bool:
    """Return True if the sources affirm what a clause affirms, and deny what it denies."""
    terms = profile_terms(clause, names)
    holding = [source for source in found if terms & source.terms]
    if not holding:
        return True
    if _denies(clause):
        return _mostly(terms, holding, [source for source in holding if source.denies])
    if has_ended(clause) or _BOTH.search(clause):
        return True
    return _mostly(terms, holding, [source for source in holding if source.affirms])


def _mostly(terms: Terms, holding: Sequence[_Source], agreeing: Sequence[_Source]) -> bool:
    """Return True if at least half of what `holding` hold of `terms` is in `agreeing`."""
    held: Terms = terms & frozenset().union(*(source.terms for source in holding))
    return weight(held & frozenset().union(*(source.terms for source in agreeing))) * 2 >= weight(held)


def _erases(new: str, old: str, facts: Sequence[str], basis: _Basis) -> bool:
    """Return True if most lines of `old` are gone, although no fact concerns them."""
    if _lost_value(new, old, facts, basis.names):
        return True
    held: Terms = profile_terms(new, basis.names, light=False)
    told: Terms = frozenset().union(*(profile_terms(fact, basis.names, light=False) for fact in facts))
    concerned = frozenset[str]().union(*map(topics_of, facts))
    lines = [line for line in old.splitlines() if line.strip() and not _HEADING.match(line)]
    gone = 0
    for line in lines:
        terms = profile_terms(line, basis.names, light=False)
        is_kept = share(terms, held) >= ENOUGH
        gone += not is_kept and share(terms, told) < TOUCHES and not topics_of(line) & concerned
    return gone * 2 > len(lines)


def _lost_value(new: str, old: str, facts: Sequence[str], names: Names) -> bool:
    """Return True if a clause is gone that gives a value of what one has only once, and no fact gives that subject another."""
    own = tuple(_own(names))
    given = {value[:2] for fact in facts for value in Statement(fact, own).values}
    lines = [(profile_terms(line, names, light=False), Statement(without_bullet(line), own)) for line in new.splitlines()]
    clauses = (clause for line in old.splitlines() for clause in Statement(without_bullet(line), own).parts)
    for one in clauses:
        lost = {value[:2] for value in one.values} - given
        terms = profile_terms(one.text, names, light=False) if lost else frozenset()
        if lost and not any(share(terms, held) >= ENOUGH and same_whose(other, one) for held, other in lines):
            return True
    return False


def _head(fact: str, names: Names) -> str:
    """Return whom or what a fact speaks of, in lower case, if it is not the user: another person, or its first word."""
    begins, other = _beginning(fact, names)
    if other:
        return other.casefold()
    if any(name.casefold() in fact.casefold() for name in _own(names)):
        return ""
    first = _WORD.match(begins)
    if first is None:
        return ""
    return begins[:2] if _HAN.match(begins) else first.group().casefold()


def _beginning(told: str, names: Names) -> tuple[str, str]:
    """Return a statement without its date, and the name of another person that it then begins with, or ""."""
    begins = _LEADING.sub("", told)
    people = whole_name_pattern((names.bot_name, *names.others))
    other = people.match(begins) if people else None
    return begins, other.group() if other else ""


def _own(names: Names) -> list[str]:
    return [name for name in (names.user_name, names.user("zh"), names.user("en")) if name and name not in ("用户", "user")]


def _is_arranging(text: str, basis: _Basis) -> bool:
    """Return True if a heading or label only arranges a profile, or its words are carried."""
    terms = label_terms(text, basis.names)
    return share(terms, frozenset(term for term in terms if term in basis.places)) >= SUPPORT


def _denies(text: str) -> bool:
    return is_negative(text) or _DENIES.search(text) is not None


def _plain(line: str) -> str:
    return " ".join(without_bullet(line).split()).casefold().rstrip(".。；;")
