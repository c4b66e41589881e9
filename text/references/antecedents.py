"""Resolution of references from the roles of the conversation and the text itself."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import Literal

from ...schema.names import Names
from ..language import detect_language
from ..protected import Span
from ..word_lists import compiled_patterns, word_tables
from .chinese_rewriting import followed_by_institution
from .finding import LOOK_BACK, antecedents, is_deictic_name, mentions_before
from .people import ROLE_NOUNS, Mention, find_people
from .subjects import is_of_other_party
from .types import Cast, Reference

_RE = compiled_patterns(word_tables("references/antecedents.toml"))


class Choice(Enum):
    """The resolution of a reference."""

    FIRST = auto()
    """Whom the cast of the text has for "I"."""
    OF_FIRST = auto()
    """What is "ours" is that one's, where the word says so (our dog, 我们公司)."""
    SECOND = auto()
    """Whom it has for "you"."""
    SENDER = auto()
    """The default referent of a third person: the user, or the only other recent speaker."""
    BOT_AND_USER = auto()
    GROUP = auto()
    NOBODY = auto()
    """No rule resolves it."""
    STANDS = auto()
    """The text itself makes the referent clear."""


_SENTENCE_END = re.compile(r"[。！？!?\n]|\.(?=\s|$)")
_THIRD_STAND_INS = frozenset({"this_person", "other_party", "user", "loose_user"})
_OTHER_PARTY = ("the other", "the sender")
_USER, _BOT = "\0user", "\0bot"


def choose(
    text: str,
    references: Sequence[Reference],
    names: Names,
    recent_speakers: Sequence[str],
    protected: Sequence[Span],
    item: Literal["action", "fact"],
    cast: Cast,
) -> list[Choice]:
    """Return one choice for each reference. `references` must be in text order."""
    choices: list[Choice] = []
    third = any(reference.person == "third" or (reference.plural and reference.person == "first") for reference in references)
    mentions: list[Mention] = []
    aliases: dict[str, str] = {}
    if third:
        # Substitutes for a missing name (用户 42, the bot) are written like names and must be recognised as names.
        aliases = {names.user(spoken): names.user_name or _USER for spoken in ("zh", "en")}
        aliases |= {names.bot(spoken): names.bot_name or _BOT for spoken in ("zh", "en")}
        known = tuple(name for name in (*aliases, *names.others, *recent_speakers) if not is_deictic_name(name))
        people = [
            replace(mention, name=aliases[mention.name]) if mention.name in aliases else mention
            for mention in find_people(text, known, protected)
        ]
        mentions = _subjects_and_names(text, people, references)
    addressed = any(
        reference.person == "second" and not reference.plural and not (item == "fact" and _anybody(text, reference))
        for reference in references
    )
    sender = sender_name(names, recent_speakers)
    gender = ""
    ends = {mention.end for mention in mentions}
    written: list[Mention] = []  # where the user is named once the earlier references are replaced
    for reference in references:
        if reference.person != "third":
            other = _says_we_without_us(text, reference, mentions, names) or (item == "fact" and _anybody(text, reference))
            is_elsewhere = item == "fact" and reference.form == "here" and not _is_the_chat(text, reference)
            choice = Choice.NOBODY if other else _by_cast(reference, cast, bool(names.group()) and not is_elsewhere)
        elif reference.form == "that_one" and reference.start in ends:
            choice = Choice.STANDS  # 小王这个人: the name directly precedes it
        else:
            taken = not (cast.stand_in if _stands_in(reference) else cast.third)
            taken = taken or (item == "fact" and _is_other_party(reference) and not is_of_other_party(text, reference, names))
            taken = taken or (reference.plural and reference.text.isascii())  # "they" is never one person of the conversation
            choice = _third(text, reference, mentions, written, names, "" if taken else sender, addressed, gender)
            if choice is Choice.SENDER and reference.gender and not gender:
                gender = reference.gender
        if choice is Choice.SENDER or (item == "action" and choice is Choice.SECOND and aliases.get(cast.second) == sender):
            written.append(Mention(sender, reference.start, reference.end))
        choices.append(choice)
    return _without_guesses(text, references, choices, is_bot=item == "fact" and cast.first == names.bot(detect_language(text)))


_CLAUSE_END = re.compile(r"[，。！？；：,.!?;:\n]")


def _without_guesses(text: str, references: Sequence[Reference], choices: Sequence[Choice], *, is_bot: bool) -> list[Choice]:
    """Return the choices without those that rest on a third person whom nobody knows.

    Of "she" and "him" in one clause either may be the user. In a fact "I" is not certain to be the bot (`is_bot`) if it was taken
    for the bot because it speaks of a person who then stays unknown.
    """
    unknown = [
        reference
        for reference, choice in zip(references, choices, strict=True)
        if choice is Choice.NOBODY and reference.person == "third" and not reference.plural and reference.gender != "thing"
    ]
    of_cast = {Choice.FIRST, Choice.OF_FIRST, Choice.SECOND, Choice.BOT_AND_USER} if is_bot and unknown else set()
    nobody_speaks = not of_cast.isdisjoint(choices)

    def is_guess(reference: Reference, choice: Choice) -> bool:
        if choice is not Choice.SENDER or not reference.is_he_or_she:
            return choice in of_cast
        return nobody_speaks or any(
            other.gender != reference.gender and not _CLAUSE_END.search(text, *sorted((other.end, reference.end)))
            for other in unknown
            if other.is_he_or_she
        )

    return [
        Choice.NOBODY if is_guess(reference, choice) else choice for reference, choice in zip(references, choices, strict=True)
    ]


def _says_we_without_us(text: str, reference: Reference, mentions: Sequence[Mention], names: Names) -> bool:
    """Return True if "we" is not bot and user: in "Tom invited us" the user is the subject; "our lives" is generic."""
    if reference.person != "first" or not reference.plural or reference.kind != "pronoun":
        return False
    if reference.form == "possessive":
        return _RE.of_everyone.match(text, reference.end) is not None
    if reference.form not in ("object", "reflexive"):
        return False
    floor = max(0, reference.start - LOOK_BACK)
    sentence = max(text.rfind(mark, floor, reference.start) for mark in ".!?\n")
    return any(
        mention.name == names.user_name and sentence < mention.start for mention in mentions_before(mentions, reference.start)
    )


def _is_the_chat(text: str, reference: Reference) -> bool:
    """Return True if "here" is the conversation, where one posts and asks, and not the place where the speaker is."""
    before, after = text[max(0, reference.start - 24) : reference.start], text[reference.end : reference.end + 24]
    return _RE.said_after_here.match(after) is not None or _RE.said_before_here.search(before) is not None


_ANYBODY_CAN = re.compile(r"\s+(?:can|can['’]t|cannot|could|couldn['’]t|need|have to|never|want)\b")


def _anybody(text: str, reference: Reference) -> bool:
    """Return True if "you" is generic: "friends you can rely on"."""
    if reference.form != "you":
        return False
    return (
        _RE.whom_anybody.search(text, max(0, reference.start - 30), reference.start) is not None
        and _ANYBODY_CAN.match(text, reference.end) is not None
    )


def _stands_in(reference: Reference) -> bool:
    """Return True for a stand-in for the user: 对方, 该用户, "the user"."""
    return reference.form in _THIRD_STAND_INS or _is_other_party(reference)


def _is_other_party(reference: Reference) -> bool:
    return reference.form == "other_party" or reference.text.lower().startswith(_OTHER_PARTY)


def _by_cast(reference: Reference, cast: Cast, group: bool) -> Choice:
    """Resolve the first and second person by the cast of the text, and places by the conversation's group."""
    is_place = reference.kind == "place"
    if is_place and reference.form != "where_person_is":
        return Choice.GROUP if group and reference.form in ("group", "our_group", "here") else Choice.NOBODY
    if reference.person == "first" and cast.together and reference.plural and not is_place:
        return Choice.BOT_AND_USER
    if reference.person == "first" and cast.first:
        return Choice.OF_FIRST if reference.plural else Choice.FIRST
    if reference.person == "second" and cast.second and not reference.plural:
        return Choice.SECOND
    members = reference.person == "second" and cast.second and group and not is_place and reference.form != "pair"
    return Choice.GROUP if members else Choice.NOBODY


def sender_name(names: Names, recent_speakers: Sequence[str]) -> str:
    """Return the default referent of a third person; "" if there is none."""
    speakers = {name for name in recent_speakers if name and name != names.bot_name}
    if not speakers or not names.user_name or names.user_name in speakers:
        return names.user_name or _USER
    return next(iter(speakers)) if len(speakers) == 1 else ""


def _third(
    text: str,
    reference: Reference,
    mentions: Sequence[Mention],
    written: Sequence[Mention],
    names: Names,
    sender: str,
    addressed: bool,
    gender: str,
) -> Choice:
    """Resolve a third-person reference."""
    if _stands_in(reference):
        return Choice.SENDER if sender else Choice.NOBODY
    named_before = mentions_before(mentions, reference.start)
    written = mentions_before(written, reference.start)
    near = sorted([*named_before, *written], key=lambda mention: mention.start)
    judged = antecedents(text, reference, near, names.bot_name or _BOT)
    if judged.anchored or reference.gender == "thing":
        return Choice.STANDS if judged.anchored else Choice.NOBODY
    fitting = judged.antecedents
    named = any(mention.name == sender for mention in named_before)
    fits = bool(sender) and not addressed
    if fits and (named or written):
        fits = sender in _fitting(text, reference, near, names.bot_name or _BOT)
    if fits and gender and reference.gender and gender != reference.gender:
        fits = False
    if fits and not named and _user_follows(text, reference, mentions, sender):
        fits = False
    rivals = [name for name in fitting if name != sender]
    if fits and reference.gender:  # "Ann's number … him": the likely gender of the name rules out a rival
        unlikely = {one.name for one in near if one.likely_gender not in ("", reference.gender)}
        rivals = [name for name in rivals if name not in unlikely]
    if reference.plural and not reference.text.isascii():
        if fits and not rivals and followed_by_institution(text, reference.end):
            return Choice.SENDER
        return Choice.NOBODY
    if reference.kind == "reference":
        return Choice.STANDS if len(fitting) == 1 else Choice.NOBODY
    if rivals:
        return Choice.STANDS if len(rivals) == 1 and not (fits and (named or written)) else Choice.NOBODY
    if not fits:
        return Choice.STANDS if named and sender in fitting else Choice.NOBODY
    return Choice.STANDS if named and not written else Choice.SENDER


def _fitting(text: str, reference: Reference, near: Sequence[Mention], bot: str) -> tuple[str, ...]:
    """Return the antecedents of the reference read as a singular."""
    form = "singular" if reference.plural else reference.form
    singular = replace(reference, plural=False, form=form)
    return antecedents(text, singular, near, bot).antecedents


def _user_follows(text: str, reference: Reference, mentions: Sequence[Mention], user: str) -> bool:
    """Return True if the user's name follows the pronoun in the same sentence: the pronoun is then somebody else."""
    first = bisect_left(mentions, reference.end, key=lambda mention: mention.start)
    for mention in mentions[first : first + 8]:
        if mention.start - reference.end > LOOK_BACK:
            break
        if mention.name == user:
            between = text[reference.end : mention.start]
            floor = max(0, reference.start - 60)
            opening = max((match.end() for match in _SENTENCE_END.finditer(text, floor, reference.start)), default=floor)
            if (opening or not floor) and _RE.subordinate_start.match(text, opening):
                return False
            return not _SENTENCE_END.search(between) and not _RE.naming.match(between)
    return False


def _subjects_and_names(text: str, mentions: Sequence[Mention], references: Sequence[Reference]) -> list[Mention]:
    """Return the names, and the role nouns (朋友, her sister) that can be a subject; none inside a reference."""
    kept: list[Mention] = []
    taken = {position for reference in references for position in range(reference.start, reference.end)}
    for index, mention in enumerate(mentions):
        if mention.start in taken:
            continue
        if (
            index + 1 < len(mentions)
            and mentions[index + 1].start - mention.end <= 1
            and text[mention.end : mentions[index + 1].start] in ("", " ")
        ):
            continue
        if is_role_noun(mention) and not _RE.role_subject.search(text[max(0, mention.start - 20) : mention.start]):
            continue
        kept.append(mention)
    return kept


def is_role_noun(mention: Mention) -> bool:
    """Return True if a mention is a common noun (妈妈, friend) and not a name."""
    return mention.name.lower() in ROLE_NOUNS
