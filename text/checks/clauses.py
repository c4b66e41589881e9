"""Clauses of texts: their content words, affirmed or denied, and contradictions between clauses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...schema.names import Names
from ..content_words import (
    Terms,
    has_ended,
    negation_in,
    share,
    stem,
    terms_in,
    weight,
    without_people,
)
from ..questions import ends_asking
from ..word_lists import compiled_patterns, word_list, word_tables
from .figures import NUMBER_WORDS, NUMERALS

_TABLES = word_tables("checks/supported.toml")
_RE = compiled_patterns(_TABLES)
_FREE = frozenset(
    map(stem, word_list(_TABLES["words"]["free"]) | NUMBER_WORDS.keys() - {"mar"} | {*NUMERALS})
)
NEAR = 8
"""Characters after a passive in which its verb is looked for (被阿强骂了), or after a negation in
which the denied word is looked for (从不对花生过敏)."""


class Clause(NamedTuple):
    """A clause with its affirmed content words and its denied ones, which are all after a negation.

    If `asks` is True, the clause is part of a question and affirms nothing. If `either` is True, a
    rewrite may repeat the clause with or without negation.
    """

    text: str
    affirmed: Terms
    denied: Terms
    negation: re.Match[str] | None
    asks: bool
    either: bool


def clauses_of(statements: Iterable[str], names: Names) -> list[Clause]:
    """Return the clauses of statements, without the names of the conversation."""
    found: list[Clause] = []
    for one in statements:
        asks = ends_asking(one)
        for part in bare_clauses(one, names):
            said, either = negation_in(part), _RE.either.search(part) is not None
            border = said.start() if said else len(part)
            poles = sourced_terms(part[:border], names), sourced_terms(part[border:], names)
            found.append(Clause(part, *poles, said, asks, either))
    return found


def contradicting(
    text: str, told: Sequence[Clause], names: Names, *, is_talk: bool = False
) -> Iterator[str]:
    """Yield the clauses of a text that contradict the clauses `told` in their negation.

    A clause contradicts them if at least half of its shared words are affirmed here and only denied
    there, or the reverse. In talk people also deny without a negation ("count me out"). Therefore,
    with `is_talk`, any negation supports a denied clause, unless a clause affirms all its words.
    """
    none: Terms = frozenset()
    affirmed = none.union(*(one.affirmed for one in told))
    denied = none.union(*(one.denied for one in told))
    either = none.union(*(one.affirmed | one.denied for one in told if one.either))
    claims = [one.affirmed for one in told if not one.asks]
    is_denied = is_talk and any(one.negation for one in told)
    for one in clauses_of([text], names):
        is_claimed = len(one.denied) > 1 and any(one.denied <= claim for claim in claims)
        if one.denied and is_denied and not is_claimed:
            continue
        if not one.denied and (one.either or has_ended(one.text)):
            continue
        held = (one.affirmed | one.denied) & (affirmed | denied)
        agreeing = (one.affirmed & affirmed) | (one.denied & denied)
        behind = one.negation.end() if one.negation else 0
        if one.negation is None or not _RE.either.search(one.text, behind, behind + NEAR):
            agreeing |= held & either
        if held and weight(agreeing) * 2 <= weight(held):
            yield one.text.strip()


def turns_round(old: str, new: str, names: Names) -> bool:
    """Return True if `new`, which has the words of `old`, says the opposite.

    Then a negation was removed or added, or only `new` says that something has ended.
    """
    before, after = clauses_of([old], names), clauses_of([new], names)
    if any(one.denied for one in before):
        return not any(one.denied for one in after)
    affirmed: Terms = frozenset().union(*(one.affirmed for one in before))
    return (has_ended(new) and not has_ended(old)) or any(affirmed & one.denied for one in after)


def share_told(text: str, source: str, names: Names) -> float:
    """Return the share of the content words of `text` that `source` has, from 0 to 1.

    The share is 1 if `text` has no content words.

    >>> share_told("likes tea", "Ann drinks no tea", Names(user_name="Ann"))
    1.0
    """
    return share(sourced_terms(text, names), sourced_terms(source, names))


def bare_clauses(text: str, names: Names) -> list[str]:
    """Return the clauses of a text, without the names of its conversation."""
    return split_clauses(without_people(text, names, "\0"))


def split_clauses(text: str) -> list[str]:
    """Return the clauses of a text.

    A day in brackets after a word does not end a clause. Nor does a NUL, which becomes a space.
    """
    parts = _RE.clause.split(_RE.dated.sub("\0\\1\0", text))
    return [part.replace("\0", " ") for part in parts if part and part.strip(" \0")]


def sourced_terms(text: str, names: Names) -> Terms:
    """Return the content words that need a source. Numbers are left out: they are checked apart."""
    found = terms_in(_RE.free.sub(" ", without_people(text, names)), dates=False) - _FREE
    return frozenset(term for term in found if not term[0].isdigit())
