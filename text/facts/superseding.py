"""Rules that decide which earlier statements are superseded or corrected by a new one.

A `Statement` is a fact as these rules read it: its reporter, its subject, its values and its
content words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from ..borders import begins_with
from ..content_words import Terms, is_negative, share, stem, terms_in, weight
from ..references.agreement import is_finite_verb
from ..remembered import remembered
from ..word_lists import compiled_patterns, word_list, word_tables

MOST_READ = 1_000
"""Maximum characters of a text that are read for names and words; a statement is much shorter."""
_TABLES = word_tables("facts/superseding.toml")
MARKS = compiled_patterns(_TABLES)
ONE_VALUE = (MARKS.home, MARKS.workplace, MARKS.trade)
"""Patterns of the properties that a person has only once at a time; one group is the value."""
_LIGHT = frozenset(map(stem, word_list(_TABLES["words"]["light"])))
"""Light words, which do not show the topic of a statement.

A term of two Chinese characters is light too if both are in `_LIGHT_CHARACTERS`.
"""
_LIGHT_CHARACTERS = frozenset(
    "喜欢爱吃喝用买养学打开年月日号周天星期新旧大小好人家最近今明昨上下点现已经觉得计划算准备始常每"
)
_DATES = re.compile(r"\d+|[年月日号]")
_HAN = re.compile(r"[㐀-鿿]")


class StatedValue(NamedTuple):
    """The value of a property that a person has only once at a time, such as a home.

    `topic` is the index of the property in ONE_VALUE. `whose` are the content words before the
    value: none for "Ann lives in Oslo", {"sister"} for "Ann's sister lives in Lyon". `is_named` is
    False if the value is only a kind of place: "a small flat" may be in the town that an earlier
    statement names. `is_all` is False if the clause says more ("in Leeds with a parrot").
    """

    topic: int
    whose: Terms
    is_named: bool
    words: Terms
    is_all: bool


_OF_ONESELF = re.compile(r"[我咱]|(?:I|my|we|our)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """The text of a fact, and the names in its conversation that may be its subject."""

    text: str
    people: tuple[str, ...]

    @cached_property
    def speaker(self) -> str:
        """The name with which the text begins: the name of its reporter or of its subject."""
        return _named_first(self._bare, self.people)

    @cached_property
    def said(self) -> str:
        """The text without an opening date and without its reporter.

        If the reported words have no subject, the name of the reporter is put before them: "Ann:
        Lives in Oslo" becomes "Ann lives in Oslo", "Ann: Sister in Oslo" "Ann's sister in Oslo".
        """
        told = MARKS.reported.match(self._bare, len(self.speaker)) if self.speaker else None
        if told is None:
            return self._bare
        words = self._bare[told.end() :].strip('”" ')
        if (
            told.group().strip() not in (":", "：")
            or _OF_ONESELF.match(words)
            or _named_first(words, self.people)
        ):
            return words
        if not words.isascii():
            return f"{self.speaker}{words}"
        first = words.partition(" ")[0].lower()
        return f"{self.speaker}{' ' if is_finite_verb(first) else chr(39) + 's '}{first}{words[len(first) :]}"

    @cached_property
    def subject(self) -> str:
        """The name with which the statement begins, or "" if it begins with no name."""
        return _named_first(self._undated, self.people)

    @cached_property
    def relative(self) -> str:
        """The relative of the subject whom the statement is about ("sister"), or "" for none."""
        return self._after_subject(MARKS.others)

    @cached_property
    def owned(self) -> str:
        """The first word after "Ann's" if the statement is about something of the subject, or "".

        Example: "desk" for "Ann's desk chair squeaks".
        """
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
        """The clauses of the statement, without words of time."""
        return [part.strip() for part in MARKS.joined.split(self._undated) if part and part.strip()]

    @cached_property
    def is_compound(self) -> bool:
        """True if the text may hold more than one statement.

        A compound statement is never superseded: its other statements would be lost.
        """
        told = self._undated[len(self.subject) :].rstrip(" .。!！")
        if MARKS.joined.search(told) or not all(one.is_all for one in self.values):
            return True
        return not self.owned and not self.relative and any(one.whose for one in self.values)

    @cached_property
    def clause(self) -> str:
        """The first clause, without the subject's name."""
        return (self.joined or [""])[0][len(self.subject) :]

    @cached_property
    def values(self) -> list[StatedValue]:
        """The values that the first clause gives for the properties in ONE_VALUE."""
        told = MARKS.adverbs.sub(" ", self.clause) if self.subject else ""
        found = ((topic, pattern.search(told)) for topic, pattern in enumerate(ONE_VALUE))
        return [
            self._value(topic, told, given)
            for topic, given in found
            if given and not is_negative(told[: given.start()])
        ]

    def _value(self, topic: int, told: str, given: re.Match[str]) -> StatedValue:
        before, text = told[: given.start()], next(one for one in given.groups() if one)
        words = terms_of(MARKS.value_ends.split(text)[0], self.people)
        is_all = "是" not in before and not MARKS.beside_value.search(
            told, told.find(text, given.start())
        )
        whose = terms_in(_DATES.sub(" ", before))
        return StatedValue(topic, whose, MARKS.kind_of_place.match(text) is None, words, is_all)

    @cached_property
    def terms(self) -> Terms:
        return terms_of(self.said, self.people)

    @cached_property
    def is_real(self) -> bool:
        """True unless the statement is a plan, wish, question or joke, or about a visit or the past."""
        return not any(one.search(self.text) for one in (MARKS.unreal, MARKS.visiting, MARKS.past))


def _named_first(text: str, people: Sequence[str]) -> str:
    """Return the longest name with which a text begins as a whole word, or ""."""
    folded = text.casefold()
    return max((one for one in people if begins_with(folded, one.casefold())), key=len, default="")


def terms_of(text: str, people: Sequence[str]) -> Terms:
    """Return the content words of a text's first MOST_READ characters.

    Names of `people` and light words are left out.
    """
    text = text[:MOST_READ]
    folded = text.casefold()
    return _terms_of(text, tuple(name for name in people if name and name.casefold() in folded))


@remembered(1024)  # most recalls of a conversation have the same facts
def _terms_of(text: str, names: tuple[str, ...]) -> Terms:
    # `names` occur in the text: patterns for hundreds of names would overflow the cache of `re`.
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"{re.escape(name)}(?:['’]s\b)?", " ", text, flags=re.IGNORECASE)
    return frozenset(
        term
        for term in terms_in(text, dates=False)
        if term not in _LIGHT and not _LIGHT_CHARACTERS.issuperset(term)
    )


def says_something(terms: Terms) -> bool:
    """Return True if a term has at least two characters in Chinese, or three in other scripts."""
    return any(len(term) >= (2 if _HAN.match(term) else 3) for term in terms)


Change = Literal["", "superseded", "corrected"]

LONGEST = 240
"""Maximum characters of a single statement. A longer text neither supersedes nor is superseded."""
ALIKE = 0.45
"""Two facts with the same subject may be about the same matter if their vectors are as similar."""
MOST_ENDED = 2
HALF, MOST = 0.5, 0.75
"""Minimum shares of content words that two statements have in common: HALF if the new one corrects
the old one, MOST if it says that the old one has ended."""


def change_by(new: Statement, old: Statement, *, values_only: bool = False) -> Change:
    """Return how the statement `new` changes `old`, an earlier one of the same conversation.

    The result is "" if both statements hold. With `values_only`, `old` is superseded only if `new`
    gives another value for the same property (another home); `old` may still be corrected. Callers
    use this if `old` describes something that was over when it was said.

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
    return (
        "superseded"
        if _another_value(new, old) or (not values_only and _says_ended(new, old))
        else ""
    )


def links_of(
    new: Statement, before: Sequence[Statement], values_only: Sequence[int] = ()
) -> list[tuple[int, Change]]:
    """Return the earlier statements that `new` changes, as pairs of index and change.

    `before` are the earlier statements, newest first, and the index is the position there.
    `values_only` are the indexes of the statements that are over, and for which `change_by` is
    called with `values_only=True`. A correction takes back one
    statement: the one that shares the most words with it. Otherwise at most MOST_ENDED statements
    are superseded, those with the largest share of words in `new`.
    """
    found: list[tuple[int, Change]] = [
        (n, change)
        for n, one in enumerate(before)
        if (change := change_by(new, one, values_only=n in values_only))
    ]
    corrected = [pair for pair in found if pair[1] == "corrected"]
    if corrected:
        return [max(corrected, key=lambda pair: weight(before[pair[0]].terms & new.terms))]
    found.sort(key=lambda pair: share(before[pair[0]].terms, new.terms), reverse=True)
    return found[:MOST_ENDED]


def could_end(new: Statement, old: Statement, likeness: float = 0.0) -> bool:
    """Return True if a model may be asked whether `new` supersedes `old`.

    Both need the same subject, and a common topic: shared words, or vectors that are similar.
    `likeness` is the similarity of their centred vectors.
    """
    is_near = new.subject == old.subject and (likeness >= ALIKE or is_on_same_matter(new, old))
    return is_near and may_concern(new, old)


def may_concern(new: Statement, old: Statement) -> bool:
    """Return True if `new` may supersede `old` whatever words it uses.

    It must be about the present, about the same relative or thing, and not about another named
    person.
    """
    subjects = {new.subject, old.subject} - {""}
    return _may_end(new, old) and new.is_real and has_same_owner(new, old) and len(subjects) < 2


def is_on_same_matter(new: Statement, old: Statement) -> bool:
    """Return True if both share a content word, or match the same pattern of ONE_VALUE."""
    is_one = any(topic.search(new.said) and topic.search(old.said) for topic in ONE_VALUE)
    return is_one or says_something(new.terms & old.terms)


def has_same_owner(new: Statement, old: Statement) -> bool:
    """Return True if both are about the subject itself, or about the same relative or possession.

    A statement about a thing may supersede a statement that the subject has the thing: "Ann has a
    cat", "Ann's cat ran away".
    """
    told = new.owned in old.text.casefold() and old.owned in new.text.casefold()
    return new.relative == old.relative and told


def _may_end(new: Statement, old: Statement) -> bool:
    """Return True if both are short and different, and `old` is not compound."""
    return (
        new.text != old.text
        and max(map(len, (new.text, old.text))) <= LONGEST
        and not old.is_compound
    )


def _another_value(new: Statement, old: Statement) -> bool:
    """Return True if both have values for the same property of the same owner that differ."""
    if MARKS.besides.search(new.said) or any(
        one.search(old.text) for one in (MARKS.past, MARKS.visiting)
    ):
        return False
    return any(
        one[:3] == former[:3] and one.words and former.words and not one.words & former.words
        for former in old.values
        for one in new.values
    )


def _says_ended(new: Statement, old: Statement) -> bool:
    """Return True if `new` says in the words of `old` that the fact in `old` has ended."""
    if not has_same_owner(new, old):
        return False
    if MARKS.resigned.search(new.clause) and any(one.topic for one in old.values):
        # Topic 0 is the home: people resign from a job, not from a home.
        return terms_of(MARKS.resigned.sub(" ", new.clause), new.people) <= old.terms
    if not MARKS.ended.search(new.clause) or MARKS.ended.search(old.said):
        return False
    told = terms_of(MARKS.ended.sub(" ", new.clause), new.people)
    shared = old.terms & told
    return bool(shared) and min(share(old.terms, shared), share(told, shared)) >= MOST


def _corrects(new: Statement, old: Statement) -> bool:
    """Return True if `new` says that `old` was wrong.

    `old` must be about the subject or the reporter of `new`, or have no subject.
    """
    if not MARKS.wrong.search(new.text) or old.subject not in ("", new.subject, new.speaker):
        return False
    if new.subject and not has_same_owner(new, old):
        return False
    core = frozenset(term for term in old.terms if not term[0].isdigit())
    return says_something(core & new.terms) and share(core, core & new.terms) >= HALF
