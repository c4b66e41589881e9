"""Who tells a statement without a subject, as far as the talk shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...schema.names import Names
from ..references.finding import find_references
from ..references.first_person import has_first_person
from ..references.people import ROLE_NOUNS, Mention, find_people
from ..references.types import Reference
from ..support import content_terms, share
from .utterances import BOT, Utterance

HOLDS = 0.6
"""The share of a statement's content words from which on a message holds it."""


def _others_named(source: Utterance, said: Sequence[Utterance], own: bool, names: Names) -> set[str]:
    """Return who else is named in a message, or, where it says no "I", by the same person or who asks: 你姐住哪？ 住在杭州."""
    told = [source] if own else [one for one in said if one.who in (source.who, BOT) or one.asks]
    return {mention.name.casefold() for one in told for mention in _people(one, names)} - {source.who.casefold()}


AT_HOME = re.compile("我家[那这]?(?:个|位|口子|娃|宝|小的|孩子|老[大二三人])")
"""Who is at the speaker's home, without a name: 我家那个又发烧了."""


def teller(text: str, said: Sequence[Utterance], names: Names) -> str:
    """Return who tells of themself what a statement without a subject says, "" if the talk does not tell."""
    source = _source(text, said, names)
    if source is None or _thirds(source.text, names) or AT_HOME.search(source.text):
        return ""
    own = has_first_person(source.text, names)
    others = _others_named(source, said, own, names)
    alone = all(other in text.casefold() and other in ROLE_NOUNS for other in others)
    return source.who if alone and (own or text.rstrip("。.!！") in source.text) else ""


def _source(text: str, said: Sequence[Utterance], names: Names) -> Utterance | None:
    """Return the one message of a person that holds the statement; None if there is none or if two persons say it."""
    wanted = content_terms(text, names)
    if not wanted:
        return None
    ranked = sorted(
        ((share(wanted, one.terms), at) for at, one in enumerate(said) if one.who not in ("", BOT) and not one.asks), reverse=True
    )
    if not ranked or ranked[0][0] < HOLDS:
        return None
    best = said[ranked[0][1]]
    return None if any(score == ranked[0][0] and said[at].who != best.who for score, at in ranked[1:]) else best


def _thirds(text: str, names: Names) -> list[Reference]:
    found = find_references(text, people=names.people, bot=names.bot_name)
    return [one for one in found if one.is_he_or_she]


def _people(one: Utterance, names: Names) -> Iterator[Mention]:
    """Yield the persons that a message names, without the bot and without the relation of one that is named (闺蜜小晴)."""
    found = find_people(one.text, names.people)
    begins = {mention.start for mention in found}
    for mention in found:
        is_role = mention.name.lower() in ROLE_NOUNS
        if mention.name != names.bot_name and not (is_role and {mention.end, mention.end + 1} & begins):
            yield mention
