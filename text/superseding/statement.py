"""A fact as the rules on what is over read it: who reports it, whom it is about, its clauses and content words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..borders import begins_with
from ..references.people import find_people
from ..remembered import remembered
from ..support import Terms, is_negative, stem, terms_in
from .marks import HAN, LIGHT, MARKS, ONE_VALUE

MOST_READ = 1_000
"""Characters of a text that are read for names and words; a statement is much shorter."""
_OWNED = re.compile(r"['’]s (?P<en>\w+(?: \w+){0,2})|家?的(?P<zh>\w{1,4})")
_DATES = re.compile(r"\d+|[年月日号]")
_DATE = r"\d{4}(?:-\d\d(?:-\d\d)?|年(?:\d{1,2}月(?:\d{1,2}[日号])?)?)"
_WHEN = re.compile(
    rf"\s*\(as of {_DATE}\)|\s*\b(?:as of|around|on|in) {_DATE}\b"
    rf"|\s*(?:截至)?{_DATE}(?:至{_DATE})?(?:前后)?(?=[㐀-鿿])"
)
"""When it is so, as resolved times are written: "(as of 2026-02-20)", 截至2026-02-20."""
_FIRST = re.compile(r"[㐀-鿿]{2}|[A-Z][\w-]+")
_LIGHT = frozenset(map(stem, LIGHT))
"""Words that say nothing of what a statement is about; a Chinese pair is light if both of its characters are."""
_LONGEST_VALUE = 24
_LIGHT_CHARACTERS = frozenset("喜欢爱吃喝用买养学打开年月日号周天星期新旧大小好人家最近今明昨上下点现已经觉得计划算准备始常每")


class Value(NamedTuple):
    """A value of something that its subject has only once.

    `topic` is the place of its pattern in ONE_VALUE. `whose` are the content words between the name with which the
    clause begins and the value: none of "Ann lives in Oslo", {"sister"} of "Ann's sister lives in Lyon". `is_named` is False
    for a kind of thing ("a small flat"), which may be in the place that was named before. `is_all` is False where the
    clause says more ("in Leeds with a parrot").
    """

    topic: int
    whose: Terms
    is_named: bool
    value: Terms
    is_all: bool


@dataclass(frozen=True)
class Statement:
    """The text of a fact, and the names of the people and things of its conversation that may be its subject."""

    text: str
    people: tuple[str, ...]

    @cached_property
    def said(self) -> str:
        """The text without an opening date and without who reports it."""
        bare = MARKS.opening.sub("", self.text[:MOST_READ].strip())
        speaker = named_first(bare, self.people)
        told = MARKS.reported.match(bare, len(speaker)) if speaker else None
        return bare[told.end() :].strip('”" ') if told else bare

    @cached_property
    def speaker(self) -> str:
        return named_first(MARKS.opening.sub("", self.text[:MOST_READ].strip()), self.people)

    @cached_property
    def subject(self) -> str:
        """The name with which the statement begins; "" if it is about no one by name."""
        return named_first(self.said, self.people)

    @cached_property
    def begins(self) -> Terms:
        """The content word with which it begins if it has no subject: it may be somebody's name."""
        found = None if self.subject else _FIRST.match(self.said)
        return terms_of(found.group(), self.people) if found else frozenset()

    @cached_property
    def relative(self) -> str:
        """The relative, friend or colleague of the subject of whom it tells: "sister"; "" if it is the subject."""
        found = MARKS.others.match(self.said[len(self.subject) :]) if self.subject else None
        return (found["zh"] or found["en"]).casefold() if found else ""

    @cached_property
    def owned(self) -> tuple[str, ...]:
        """Words of the thing or relative of the subject of which it tells: ("desk", "chair") of "Ann's desk chair squeaks".

        Of a Chinese one all pairs of its first characters, since its end is not known. Empty if it tells of the subject.
        """
        found = _OWNED.match(self.said[len(self.subject) :]) if self.subject else None
        if found is None:
            return ()
        if found["en"]:
            return tuple(re.findall(r"\w{3,}", found["en"].casefold()))
        return tuple(found["zh"][n : n + 2] for n in range(len(found["zh"]) - 1))

    @cached_property
    def _undated(self) -> str:
        return _WHEN.sub("", self.said)

    @cached_property
    def is_compound(self) -> bool:
        """True if it may hold more than one statement. Nothing ends it: what else it says would be lost."""
        if MARKS.joined.search(self._undated[len(self.subject) :].rstrip(" .。!！")):
            return True
        if not all(one.is_all for one in self.values):
            return True
        return not self.owned and not self.relative and any(one.whose for one in self.values)

    @cached_property
    def joined(self) -> list[str]:
        """What a compound statement may be joined of."""
        return [clause.strip() for clause in MARKS.joined.split(self._undated) if clause and clause.strip()]

    @cached_property
    def parts(self) -> list[Statement]:
        """The clauses that are statements by themselves, since they begin with the subject's name; without one, the first."""
        if not self.subject:
            return [Statement(clause, self.people) for clause in self.joined[:1]]
        named = (clause for clause in self.joined if named_first(clause, self.people) == self.subject)
        return [Statement(clause, self.people) for clause in named]

    @cached_property
    def own_part(self) -> str:
        """What it says until it names another person, of whom the rest may tell: "Ann is glad Tom" of "Ann is glad Tom left"."""
        about = MARKS.others.match(self.said[len(self.subject) :]) if self.subject else None
        begin = len(self.subject) + (about.end() if about else 0)
        rest = find_people(self.said[begin:], [one for one in self.people if one != self.subject]) if self.subject else []
        return self.said[: begin + rest[0].end] if rest else self.said

    @cached_property
    def values(self) -> list[Value]:
        """The values of what its subject has only once, of the clauses that begin with the subject's name."""
        found: list[Value] = []
        for part in self.parts if self.subject else []:
            told = MARKS.adverbs.sub(" ", part.text[len(self.subject) :])
            for topic, pattern in enumerate(ONE_VALUE):
                given = pattern.search(told)
                if given is None or is_negative(told[: given.start()]):
                    continue
                text = next((one for one in given.groups() if one), "")
                value = terms_of(MARKS.value_ends.split(text)[0][:_LONGEST_VALUE], self.people)
                whose = terms_in(_DATES.sub(" ", told[: given.start()]))
                more = MARKS.beside_value.search(told, given.start() + given.group().find(text))
                is_all = "是" not in told[: given.start()] and not (more and core_of(more["more"], self.people))
                found.append(Value(topic, whose, MARKS.kind_of_place.match(text) is None, value, is_all))
        return found

    @cached_property
    def clauses(self) -> list[str]:
        return [clause.strip() for clause in MARKS.clauses.split(self.said) if clause and clause.strip()]

    @cached_property
    def terms(self) -> Terms:
        return terms_of(self.said, self.people)

    @cached_property
    def topic(self) -> Terms:
        """The content words besides those of change and of liking: {"coffee"} of "Ann no longer likes coffee"."""
        bare = self.said
        for pattern in (MARKS.changed, MARKS.disliked, MARKS.liked):
            bare = pattern.sub(" ", bare)
        return terms_of(bare, self.people)

    @cached_property
    def is_real(self) -> bool:
        """True if it tells of what is so now: no plan, wish, question, joke, visit or former time, but for what was said then."""
        if MARKS.unreal.search(self.text) or MARKS.visiting.search(self.text):
            return False
        return not MARKS.past.search(self.text) or MARKS.wrong.search(self.text) is not None


def named_first(text: str, people: Sequence[str]) -> str:
    """Return the longest of the names with which a text begins, as whole words; "" if there is none."""
    folded = text.casefold()
    return max((one for one in people if begins_with(folded, one.casefold())), key=len, default="")


def names_in(text: str, people: Sequence[str]) -> list[str]:
    """Return the names that occur in a text, in whatever case."""
    folded = text.casefold()
    return [name for name in people if name and name.casefold() in folded]


def terms_of(text: str, people: Sequence[str]) -> Terms:
    """Return the content words of the beginning of a text, without the names of people and what is light."""
    text = text[:MOST_READ]
    return _terms_of(text, tuple(names_in(text, people)))


@remembered(1024)  # the same facts come up in most recalls of a conversation
def _terms_of(text: str, names: tuple[str, ...]) -> Terms:
    return frozenset(
        term
        for term in terms_in(_without(text, names), dates=False)
        if term not in _LIGHT and not (term[0] in _LIGHT_CHARACTERS and _LIGHT_CHARACTERS.issuperset(term))
    )


def without_names(text: str, people: Sequence[str]) -> str:
    """Return a text with a blank for each name of people in its first MOST_READ characters."""
    head = text[:MOST_READ]
    return _without(head, tuple(names_in(head, people))) + text[MOST_READ:]


@remembered(1024)
def _without(text: str, names: tuple[str, ...]) -> str:
    # A pattern for each of hundreds of names would be compiled anew every time: the cache of `re` holds 512.
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"{re.escape(name)}(?:['’]s\b)?", " ", text, flags=re.IGNORECASE)
    return text


def first_named(text: str, people: Sequence[str]) -> str:
    folded = text[:MOST_READ].casefold()
    places = [(folded.find(name.casefold()), -len(name), name) for name in people if name and name.casefold() in folded]
    return min(places)[2] if places else ""


def says_something(terms: Terms) -> bool:
    """Return True if these words name something: a Chinese word of two characters, or a word of another script."""
    return any(len(term) >= 2 if HAN.match(term) else len(term) >= 3 for term in terms)


def core_of(text: str, people: Sequence[str]) -> Terms:
    """Return the content words besides numbers, times of day and days of the week."""
    # First the names: of "201王姐" nothing must be left.
    return without_numbers(terms_of(MARKS.number.sub(" ", without_names(text[:MOST_READ], people)), people))


def without_numbers(terms: Terms) -> Terms:
    return frozenset(term for term in terms if not term[0].isdigit())


def numbers_in(text: str) -> frozenset[str]:
    return frozenset(MARKS.number.findall(text))
