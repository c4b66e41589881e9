"""Which former statement is over because of a new one.

A `Statement` is a fact as these rules read it: who reports it, whom it is about, its values and content words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from .borders import begins_with
from .references.agreement import is_finite_verb
from .remembered import remembered
from .support import Terms, is_negative, share, stem, terms_in, weight
from .word_lists import compiled_patterns, word_list, word_tables

MOST_READ = 1_000
"""Characters of a text that are read for names and words; a statement is much shorter."""
_TABLES = word_tables("superseding.toml")
MARKS = compiled_patterns(_TABLES)
ONE_VALUE = (MARKS.home, MARKS.workplace, MARKS.trade)
"""What one has only once, with the value behind the words that name it."""
_LIGHT = frozenset(map(stem, word_list(_TABLES["words"]["light"])))
"""Words that say nothing of what a statement is about; a Chinese pair is light if both of its characters are."""
_LIGHT_CHARACTERS = frozenset("喜欢爱吃喝用买养学打开年月日号周天星期新旧大小好人家最近今明昨上下点现已经觉得计划算准备始常每")
_DATES = re.compile(r"\d+|[年月日号]")
_HAN = re.compile(r"[㐀-鿿]")


class Value(NamedTuple):
    """A value of something that its subject has only once.

    `topic` is the place of its pattern in ONE_VALUE. `whose` are the content words before it: none of "Ann lives in Oslo",
    {"sister"} of "Ann's sister lives in Lyon". `is_named` is False for a kind of thing ("a small flat"), which may be in the
    place that was named before. `is_all` is False where the clause says more ("in Leeds with a parrot").
    """

    topic: int
    whose: Terms
    is_named: bool
    words: Terms
    is_all: bool


_OF_ONESELF = re.compile(r"[我咱]|(?:I|my|we|our)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """The text of a fact, and the names of the people and things of its conversation that may be its subject."""

    text: str
    people: tuple[str, ...]

    @cached_property
    def speaker(self) -> str:
        """The name with which the text begins: that of who reports it, or of its subject."""
        return _named_first(self._bare, self.people)

    @cached_property
    def said(self) -> str:
        """The text without an opening date and without who reports it: "Ann: Lives in Oslo" tells of Ann or what is hers."""
        told = MARKS.reported.match(self._bare, len(self.speaker)) if self.speaker else None
        if told is None:
            return self._bare
        words = self._bare[told.end() :].strip('”" ')
        if told.group().strip() not in (":", "：") or _OF_ONESELF.match(words) or _named_first(words, self.people):
            return words
        if not words.isascii():
            return f"{self.speaker}{words}"
        first = words.partition(" ")[0].lower()
        return f"{self.speaker}{' ' if is_finite_verb(first) else chr(39) + 's '}{first}{words[len(first) :]}"

    @cached_property
    def subject(self) -> str:
        """The name with which the statement begins; "" if it is about no one by name."""
        return _named_first(self._undated, self.people)

    @cached_property
    def relative(self) -> str:
        """The relative or colleague of the subject of whom it tells: "sister"; "" if it is the subject."""
        return self._after_subject(MARKS.others)

    @cached_property
    def owned(self) -> str:
        """The first word of the thing or relative of the subject of which it tells: "desk" of "Ann's desk chair squeaks"."""
        return self._after_subject(MARKS.owned)

    def _after_subject(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.said[len(self.subject) :]) if self.subject else None
        return (found["zh"] or found["en"]).casefold() if found else ""

    @cached_property
    def _bare(self) -> str:
        return MARKS.opening.sub("", self.text[:MOST_READ].strip())

    @cached_property
    def _undated(self) -> str:
        return MARKS.when.sub("", self.said)

    @cached_property
    def joined(self) -> list[str]:
        """What a compound statement may be joined of, without when it is so."""
        return [part.strip() for part in MARKS.joined.split(self._undated) if part and part.strip()]

    @cached_property
    def is_compound(self) -> bool:
        """True if it may hold more than one statement. Nothing ends it: what else it says would be lost."""
        told = self._undated[len(self.subject) :].rstrip(" .。!！")
        if MARKS.joined.search(told) or not all(one.is_all for one in self.values):
            return True
        return not self.owned and not self.relative and any(one.whose for one in self.values)

    @cached_property
    def clause(self) -> str:
        """What it says first of its subject, without the subject's name."""
        return (self.joined or [""])[0][len(self.subject) :]

    @cached_property
    def values(self) -> list[Value]:
        """The values of what its subject has only once, of its first clause."""
        told = MARKS.adverbs.sub(" ", self.clause) if self.subject else ""
        found = ((topic, pattern.search(told)) for topic, pattern in enumerate(ONE_VALUE))
        return [self._value(topic, told, given) for topic, given in found if given and not is_negative(told[: given.start()])]

    def _value(self, topic: int, told: str, given: re.Match[str]) -> Value:
        before, text = told[: given.start()], next(one for one in given.groups() if one)
        words = terms_of(MARKS.value_ends.split(text)[0], self.people)
        is_all = "是" not in before and not MARKS.beside_value.search(told, told.find(text, given.start()))
        whose = terms_in(_DATES.sub(" ", before))
        return Value(topic, whose, MARKS.kind_of_place.match(text) is None, words, is_all)

    @cached_property
    def terms(self) -> Terms:
        return terms_of(self.said, self.people)

    @cached_property
    def is_real(self) -> bool:
        """True if it tells of what is so now: no plan, wish, question, joke, visit or former time."""
        return not any(one.search(self.text) for one in (MARKS.unreal, MARKS.visiting, MARKS.past))


def _named_first(text: str, people: Sequence[str]) -> str:
    """Return the longest of the names with which a text begins, as whole words; "" if there is none."""
    folded = text.casefold()
    return max((one for one in people if begins_with(folded, one.casefold())), key=len, default="")


def terms_of(text: str, people: Sequence[str]) -> Terms:
    """Return the content words of the beginning of a text, without the names of people and what is light."""
    text = text[:MOST_READ]
    folded = text.casefold()
    return _terms_of(text, tuple(name for name in people if name and name.casefold() in folded))


@remembered(1024)  # the same facts come up in most recalls of a conversation
def _terms_of(text: str, names: tuple[str, ...]) -> Terms:
    # A pattern for each of hundreds of names would be compiled anew every time: the cache of `re` holds 512.
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"{re.escape(name)}(?:['’]s\b)?", " ", text, flags=re.IGNORECASE)
    return frozenset(
        term for term in terms_in(text, dates=False) if term not in _LIGHT and not _LIGHT_CHARACTERS.issuperset(term)
    )


def says_something(terms: Terms) -> bool:
    """Return True if these words name something: a Chinese word of two characters, or another word."""
    return any(len(term) >= (2 if _HAN.match(term) else 3) for term in terms)


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
