"""Who did what to whom: the people of a clause, compared between a text and its sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...schema.names import Names
from ..borders import places_of
from ..content_words import Terms, terms_in
from ..word_lists import compiled_patterns, word_tables
from .clauses import NEAR, split_clauses
from .findings import Finding, SourceTexts

_RE = compiled_patterns(word_tables("checks/supported.toml"))
_PERSONS = {"first": _RE.first, "second": _RE.second, "third": _RE.third}
MOST_NAMED = 6
"""Maximum number of people of a clause who are compared."""


def persons_in(text: str) -> set[str]:
    """Return the grammatical persons of a text's pronouns: "first" (I, 我), "second", "third" (she).

    用户 counts as "third".

    >>> sorted(persons_in("I told her")), persons_in("my sister")
    (['first', 'third'], set())
    """
    return {person for person, words in _PERSONS.items() if words.search(text)}


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two people of a clause and the words between them.

    If `second` is "", the pair is the subject of the clause and the words after it. The name "?"
    stands for he or she. `turns` is True in the passive; then the verb may be in `near`.
    """

    first: str
    second: str
    words: Terms
    near: Terms
    turns: bool

    def speaks_for(self, told: _Pair, speaker: str) -> bool | None:
        """Compare this pair of a source with `told`, a pair of a text with similar words.

        Return True if the people have the same roles, False if they have other roles, and None if
        the pairs cannot be compared.
        """
        least = min if self.second else max
        is_passive = self.turns or told.turns
        own, other = (self.near, told.near) if is_passive else (self.words, told.words)
        is_unlike = len(own & other) * 2 < (least(len(own), len(other)) or 1)
        if is_unlike or (self.second == "") != (told.second == ""):
            return None
        if not self.second:
            is_so = told.first != speaker if self.first == "?" else told.first == self.first
            return None if is_passive else is_so
        if self.first in (told.first, "?") and self.second in (told.second, "?"):
            return self.turns == told.turns
        is_turned = self.first in (told.second, "?") and self.second in (told.first, "?")
        return False if is_turned and self.turns == told.turns else None


def reversed_roles(text: str, sources: SourceTexts, names: Names) -> Iterator[Finding]:
    """Yield the people whose roles differ between the text and the same words of a source.

    For the source "Ann lent Ben a bike" this is true of "Ben lent Ann a bike", and not of "Ben
    borrowed a bike from Ann".
    """
    own = [one for one in _pairs(text, names, {}) if sources.subjects or one.second]
    is_talk, told_by = sources.speakers is not None, sources.speakers or {}
    persons = {"second": sources.listener, "third": "?"} if is_talk else {}
    given = [
        (name, one)
        for name, source in (sources.texts.items() if own else ())
        for one in _pairs(source, names, {**persons, "first": told_by.get(name, "")})
    ]
    for pair in own:
        said = [(name, one.speaks_for(pair, told_by.get(name, ""))) for name, one in given]
        against = [name for name, is_so in said if is_so is False]
        if against and not any(is_so for _, is_so in said):
            both = f"{pair.first} … {pair.second}".removesuffix(" … ")
            yield Finding("role", both, where=against[0])


def _pairs(text: str, names: Names, persons: Mapping[str, str]) -> Iterator[_Pair]:
    """Yield the pairs of people in the clauses of a text.

    `persons` maps "first", "second" and "third" to the names that such pronouns stand for.
    """
    user = names.user_names
    for clause in split_clauses(text):
        places = places_of(clause, names.everybody)
        named = [(start, end, clause[start:end]) for start, end in places]
        found = [(start, end, user[0] if who in user else who) for start, end, who in named]
        for kind, who in persons.items():
            found += [(*one.span(), who) for one in _PERSONS[kind].finditer(clause) if who]
        found = [one for one in sorted(found) if not _RE.owns.match(clause, one[1])][:MOST_NAMED]
        for n, (begin, end, first) in enumerate(found):
            after = found[n + 1 :]
            rest = clause[end : after[0][0] if after else len(clause)]
            turns = _RE.turns.search(clause, end) is not None
            if n == 0 and not terms_in(clause[:begin], dates=False):
                yield _Pair(first, "", _words(rest), frozenset(), turns)
            for start, close, second in after:
                turns = _RE.turns.search(clause, end, start) is not None
                if first != second and (start == after[0][0] or not turns):
                    near = _words(f"{clause[end:start]} {clause[close : close + NEAR]}")
                    yield _Pair(first, second, _words(clause[end:start]), near, turns)


def _words(text: str) -> Terms:
    return frozenset((*terms_in(text, dates=False), *_RE.between.findall(text)))
