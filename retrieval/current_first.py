"""Of hits that tell of one thing the newest first, for a question about the present.

Most changes leave no link between the two facts, since no word says that the former is over. What is known is enough for an
order: two facts of one subject are about one matter if both are about the one that is asked for (home, work), or if their vectors
are more alike than others, and the newer one stands out among the hits as an answer. Without vectors, their words decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..schema.hit import Hit
from ..schema.protocols import Matrix
from ..text.questions.asked import asks_for, asks_what_may_change, asks_who, gives
from ..text.questions.asking import is_question
from ..text.superseding import (
    ONE_AT_A_TIME,
    Statement,
    could_replace,
    matters_of,
    names_in,
    same_subject,
    says_now,
    says_something,
    stands_for_a_matter,
    tells_of_change,
    terms_of,
    without_names,
)
from ..text.superseding.statement import MOST_READ
from ..text.support import Terms, share
from .scope_index.words import Mask, Scores

STATEMENTS = frozenset(("job", "migrated"))
"""Sources of events that are statements: raw observations and notes are ordered as they were found."""
LONGEST = 160
"""Characters of a fact. What is longer tells of several things."""
SOONEST = 3600.0
"""Seconds after which a fact may tell of something new. What is said within an hour belongs together."""
MOST_PLACES = 5
"""The newer fact stands so many places behind the older one at most: what is found far behind answers something else."""
ALIKE, ALIKE_IF_CHANGING, ALIKE_NOW = 0.2, -0.1, -0.35
"""How much more alike two facts must be than the older one is to the other hits in the mean, for the newer one to go first:
in general, where the question asks for what may change (a home, an hour, whether something is so), and where it says "now".
(Cosines of centred vectors.) These and all that follow were chosen on changes and look-alikes together with the ranks of
answers in Chinese chats, in LoCoMo and in the sample of the notebook on retrieval."""
LOSS_WEIGHT = 0.5
"""What the newer fact answers the question worse, as a share of the best answer's likeness to it, counts so much against it."""
STANDS_OUT_WEIGHT, STANDS_OUT = 0.5, 0.25
"""What the newer fact answers better than the other hits in the mean, beyond the second number as a share of the best answer,
counts so much for it."""
CHANGE_BONUS = 0.3
"""What a newer fact gains that says that something has changed, or that it is so now."""
VALUE_BONUS = 0.2
"""What it gains if the question asks for a number or time, and both facts give one."""
MATTER_BONUS = 0.2
"""What it gains if question and both facts are about a matter of which one mostly has one value."""
UNCERTAIN = 0.3
"""What it loses if it tells of no known matter and has no content word of the older fact or the question."""
ANSWERS, ANSWERS_WITH_VALUE = 0.3, 0.1
"""The least likeness of the newer fact to the question, as a share of the older one's: what is merely newer stays behind.
Less is enough where both give the kind of value that is asked for."""
LEAST_ANSWER = 0.05
SHARED = 0.2
"""Without vectors, the least share of the older fact's content words that the newer one has as well."""
WHOLE = 0.75
"""The share of the words of "who works at the bank?" from which a fact answers it as a whole."""
_WHO = re.compile(r"谁|哪位")


def current_first(
    hits: Sequence[Hit],
    likeness: Matrix | None,
    answers: Scores | None,
    people: Sequence[str],
    question: str = "",
    *,
    now: bool,
) -> list[Hit]:
    """Return the hits with each newer fact before the first older one that tells of the same thing.

    `likeness[i, j]` is that of two hits, `answers` that of each to the question, both None without vectors; `people` are
    the names in the scope. `now`: the question says that it is about now. What is moved gets the score of the hit that it goes
    before.
    """
    possible = _later(hits)
    if not possible.any():
        return list(hits)
    pairs = _ByWords(hits, people, question, now)
    if likeness is not None and answers is not None:
        pairs = _ByVectors(hits, people, question, now, likeness, answers)
    possible &= pairs.within_reach
    if not possible.any():
        return list(hits)
    order: list[int] = []
    scores: list[float] = []
    for new, (hit, older) in enumerate(zip(hits, possible.tolist(), strict=True)):
        place = next((n for n, old in enumerate(order) if older[old] and pairs.goes_before(new, old)), len(order))
        scores.insert(place, max(hit.score, scores[place]) if place < len(order) else hit.score)
        order.insert(place, new)
    return [_scored(hits[n], score) for n, score in zip(order, scores, strict=True)]


@dataclass
class _ByWords:
    """Which of two hits goes before the other, as far as words tell."""

    hits: Sequence[Hit]
    people: Sequence[str]
    question: str
    now: bool

    @property
    def within_reach(self) -> Mask:
        """Which pairs, newer (row) and older (column), are worth a look at their words."""
        return np.asarray(self.now or asks_what_may_change(self.question))

    def goes_before(self, new: int, old: int) -> bool:
        """Return True if the later of two facts, `new`, tells how it is now with what `old` tells of."""
        one, other = self.statement(new), self.statement(old)
        about = one.people or (self.hits[new].event.user_name,)  # who names nobody speaks of themselves
        # Who does something may be another person at another time.
        is_same = same_subject(one, other, unnamed=self.now or (not one.people and about[0] in self.asked))
        is_same = is_same or (self.of_whom and says_something(one.terms & other.terms))
        if not is_same or not self._answers_as_well(one, other, about) or not self._on_one_matter(one, other, new, old):
            return False
        return could_replace(one, other)

    @cached_property
    def named(self) -> list[str]:
        return names_in("\n".join((self.question, *(hit.event.text[:MOST_READ] for hit in self.hits))), self.people)

    @cached_property
    def asked(self) -> list[str]:
        """The people whom the question names."""
        return names_in(self.question, self.named)

    def statement(self, place: int) -> Statement:
        event = self.hits[place].event
        people = tuple(dict.fromkeys((*self.named, event.bot_name)))
        return Statement.known(event.text, tuple(names_in(event.text, people)))

    @cached_property
    def matters(self) -> frozenset[str]:
        return matters_of(without_names(self.question, self.named))

    @cached_property
    def terms(self) -> Terms:
        """The content words of the question."""
        return terms_of(_WHO.sub(" ", self.question), self.named)

    @cached_property
    def of_whom(self) -> bool:
        return asks_who(self.question)

    def _answers_as_well(self, one: Statement, other: Statement, about: Sequence[str]) -> bool:
        """Return True unless the question names somebody whom `other` tells of and `one`, which is `about` some, does not."""
        if self.asked or not self.of_whom:
            return all(name in about or name not in other.people for name in self.asked)
        whole = share(self.terms, other.terms)
        return whole < WHOLE or share(self.terms, one.terms) >= whole

    def _on_one_matter(self, one: Statement, other: Statement, new: int, old: int) -> bool:
        named = (self.terms & other.terms) - one.terms
        if says_something(frozenset(term for term in named if not stands_for_a_matter(term))):
            return False
        shared = one.terms & other.terms
        return bool(self.matters & one.matters) or (says_something(shared) and share(other.terms, shared) >= SHARED)


@dataclass
class _ByVectors(_ByWords):
    """Which of two hits goes before the other, as words and vectors tell."""

    likeness: Matrix
    answers: Scores

    @cached_property
    def both_valued(self) -> Mask:
        value = asks_for(self.question)
        if not value:
            return np.zeros((len(self.hits), len(self.hits)), dtype=bool)
        valued = np.array([gives(value, hit.event.text[:MOST_READ]) for hit in self.hits])
        return np.asarray(valued[:, None] & valued, dtype=bool)

    @cached_property
    def short(self) -> Matrix:
        """How much each newer fact (row) lacks to go before each older one (column), its words of change and matters aside."""
        needed = ALIKE_NOW if self.now else ALIKE_IF_CHANGING if asks_what_may_change(self.question) else ALIKE
        count, best = len(self.answers), max(float(self.answers.max()), LEAST_ANSWER)
        usual = (self.likeness.sum(axis=1) - np.diagonal(self.likeness)) / (count - 1) if count > 2 else np.zeros(count)
        loss = np.maximum(self.answers[:, None] - self.answers, 0.0) / best
        worth = (self.likeness - usual[:, None] - LOSS_WEIGHT * loss).T
        others = (self.answers.sum() - self.answers[:, None] - self.answers) / max(count - 2, 1)
        stands_out = (self.answers[:, None] - others) / best - STANDS_OUT
        return np.asarray(needed - worth - VALUE_BONUS * self.both_valued - STANDS_OUT_WEIGHT * stands_out, dtype=np.float64)

    @property
    def within_reach(self) -> Mask:
        least = np.where(self.both_valued, np.float32(ANSWERS_WITH_VALUE), np.float32(ANSWERS))
        answers_too = self.answers[:, None] >= least * self.answers
        most = CHANGE_BONUS + (MATTER_BONUS if self.matters & ONE_AT_A_TIME else 0.0)
        return np.asarray(answers_too & (self.short <= most), dtype=bool)

    def _on_one_matter(self, one: Statement, other: Statement, new: int, old: int) -> bool:
        short = float(self.short[new, old])
        if self.matters & one.matters & other.matters & ONE_AT_A_TIME:
            short -= MATTER_BONUS
        elif self.matters and not self.matters & one.matters and not self._has_words_of(one, other, new, old):
            if one.matters:
                return False
            short += UNCERTAIN
        if short <= 0 or short > CHANGE_BONUS:
            return short <= 0
        return tells_of_change(one) or says_now(self.hits[new].event.handed_over or one.text)

    def _has_words_of(self, one: Statement, other: Statement, new: int, old: int) -> bool:
        """Return True if the newer fact has the kind of value that is asked for, or a word of the older one or the question."""
        shared = one.terms & (other.terms | self.terms)
        return bool(self.both_valued[new, old]) or says_something(shared - terms_of(one.relative, ()))


def _later(hits: Sequence[Hit]) -> Mask:
    """Return which hit (row) tells of a later time than which one not far before it (column), if both are facts."""
    times = np.array([hit.event.timestamp for hit in hits])
    is_fact = np.array([_is_fact(hit) for hit in hits], dtype=bool)
    behind = np.subtract.outer(np.arange(len(hits)), np.arange(len(hits)))
    near = (behind > 0) & (behind <= MOST_PLACES)
    return np.asarray(near & (times[:, None] - times > SOONEST) & is_fact[:, None] & is_fact, dtype=bool)


def _is_fact(hit: Hit) -> bool:
    event = hit.event
    return event.kind == "fact" and event.source in STATEMENTS and len(event.text) <= LONGEST and not is_question(event.text)


def _scored(hit: Hit, score: float) -> Hit:
    if score == hit.score:
        return hit
    return replace(hit, score=score, scores={**hit.scores, "newer": score - hit.score, "final": score})
