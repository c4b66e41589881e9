"""Whom "he" and "she" in a statement mean where the statement names nobody, as far as the talk that it comes from tells.

The message that holds the statement decides: where it says "he" too, he is the only person of whom the talk speaks; where
it says "I" of the same, he is who said it. Where two persons fit, nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...schema.names import Names
from ..language import detect_language
from ..references.finding import find_references
from ..references.first_person import has_first_person
from ..references.people import ROLE_NOUNS, Mention, find_people
from ..references.types import Gender, Reference
from ..support import content_terms, share
from .utterances import BOT, Utterance

HOLDS = 0.6
"""The share of a statement's content words from which on a message holds it."""
SAME_WORDS = 6
"""Characters after "he" by which the same "he" is found in the message that the statement is from."""
_UNKNOWN = "?"
_MINE = re.compile(r"(?:我们?家?的?|\b[Mm]y (?:[a-z]+ )?)$")
_OF_OTHERS = re.compile(r"(?:[他她你]们?的?|的|[㐀-鿿]|\b(?:his|her|their|your|the|an?)(?: [a-z]+)?|['’]s) ?$")


def meant_by_talk(text: str, said: Sequence[Utterance], names: Names) -> str:
    """Return the name of the one whom the third-person pronouns of a statement mean, or "" where the talk does not tell."""
    orphans = _orphans(text, names)
    genders = {one.gender for one in orphans}
    source = _source(text, said, names) if len(genders) == 1 else None
    if source is None:
        return ""
    gender = genders.pop()
    if any(_is_own(one.text, text[one.end :], source.text) for one in orphans):
        return source.who
    theirs = [one for one in _thirds(source.text, names) if one.gender == gender]
    if theirs:
        after = text[orphans[0].end :][:SAME_WORDS]
        same = next((one for one in theirs if source.text.startswith(after, one.end)), theirs[0])
        return _told_of(source, same, said, names, gender, text)
    if has_first_person(text, names):
        return ""  # who says "I" in it is nobody else
    own = has_first_person(source.text, names)
    tells = own or _rest(text, orphans[0]) in source.text
    others = _others_named(source, said, own, names)
    return source.who if tells and all(other in text.casefold() and other in ROLE_NOUNS for other in others) else ""


def _others_named(source: Utterance, said: Sequence[Utterance], own: bool, names: Names) -> set[str]:
    """Return who else is named in a message, or, where it says no "I", by the same person or who asks: 你姐住哪？ 住在杭州."""
    told = [source] if own else [one for one in said if one.who in (source.who, BOT) or one.asks]
    return {mention.name.casefold() for one in told for mention in _people(one, names)} - {source.who.casefold()}


_OWNED = re.compile(r"\s?的?([㐀-鿿]{1,3}|[a-z]+)(?P<more>(?: [a-z]+){0,2})", re.IGNORECASE)


def _is_own(pronoun: str, rest: str, source: str) -> bool:
    """Return True if what follows "he" or "her" in a statement follows "I" or "my" in its message.

    她弟在国外 of 我弟又在国外, "he takes the days" of "so I take the days".
    """
    owned = _OWNED.match(rest)
    if owned is None or f"{pronoun}{owned.group()}".casefold() in source.casefold():
        return False
    word, more = owned[1], owned["more"]
    if not word.isascii():
        return f"我{word}" in source or (word[0] in "爸妈爷奶哥姐弟妹" and f"我{word[0]}" in source)
    deed = rf"|\bI (?:\w+ )?{word.removesuffix('s')}\w*{more}\b" if more.count(" ") == 2 else ""
    return re.search(rf"\bmy {word}\b{deed}", source, re.IGNORECASE) is not None


def means_nobody_named(text: str, names: Names) -> bool:
    """Return True if a statement says "he" of somebody whom it does not name before."""
    return bool(_orphans(text, names))


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


def _orphans(text: str, names: Names) -> list[Reference]:
    return [one for one in _thirds(text, names) if not (one.antecedents or one.anchored)]


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


def _rest(text: str, pronoun: Reference) -> str:
    """Return what a statement says after its pronoun at the beginning, long enough to be its sender's own words."""
    rest = text[pronoun.end :].strip(" ，,。.!！") if not text[: pronoun.start].strip() else ""
    return rest if len(rest) > (3 if not rest.isascii() else 12) else "\0"


def _told_of(source: Utterance, pronoun: Reference, said: Sequence[Utterance], names: Names, gender: Gender, text: str) -> str:
    """Return of whom a message says "he": the one named before it, else the only one of whom the talk speaks."""
    if len(pronoun.antecedents) == 1:
        named = [one for one in _people(source, names) if one.name == pronoun.antecedents[0] and one.end <= pronoun.start]
        return _known(_name(named[-1], source), names) if named else ""
    spoken_of = {
        _name(mention, one).casefold(): _name(mention, one)
        for one in said
        for mention in _people(one, names)
        if mention.name.casefold() != source.who.casefold()
        and not (mention.gender and gender and mention.gender != gender)
        and not (_OTHER.get(gender) and mention.likely_gender == _OTHER[gender])
    }
    spoken_of.pop(source.who.casefold(), None)
    if len(spoken_of) == 1:
        return _known(next(iter(spoken_of.values())), names)
    if spoken_of:
        return ""
    wanted = content_terms(text, names)
    others = {one.who for one in said if one.who not in ("", BOT, source.who)}
    told = {one.who for one in said if one.who in others and not one.asks and share(wanted, one.terms) > 0}
    return told.pop() if len(others) == len(told) == 1 else ""


_OTHER: dict[str, Gender] = {"male": "female", "female": "male"}


def _known(name: str, names: Names) -> str:
    """Return a name as the conversation writes it, "" if nobody knows who it is."""
    known = {one.casefold(): one for one in names.people}
    return "" if name == _UNKNOWN else known.get(name.casefold(), name)


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


def _name(mention: Mention, one: Utterance) -> str:
    """Return the name of a person in a message: 我室友 is "叶子的室友", "his wife" is nobody known."""
    if mention.name.lower() not in ROLE_NOUNS:
        return mention.name
    before = one.text[max(0, mention.start - 16) : mention.start]
    mine = _MINE.search(before) is not None
    if not one.who or one.who == BOT or (not mine and (_OF_OTHERS.search(before) or mention.name.isascii())):
        return _UNKNOWN
    return f"{one.who}的{mention.name}" if detect_language(one.text) == "zh" else f"{one.who}'s {mention.name}"
