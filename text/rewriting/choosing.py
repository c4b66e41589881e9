"""Resolution of the references of a text by the roles of the conversation and the text itself."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum, auto
from itertools import zip_longest

from ...schema.names import Names
from ..references.antecedents import LOOK_BACK, antecedents, mentions_before
from ..references.people import Mention
from ..references.types import Cast, Item, Reference
from ..sentence import Sentence

_CLAUSE_END = re.compile(r"[，。！？；：,.!?;:\n]")
_STAND_INS = frozenset({"this_person", "other_party", "user", "loose_user"})
_OTHER_PARTY = ("the other", "the sender")
_OF_OTHER_PARTY = re.compile(r"[的车]|父母|律师|保险|司机|公司|全责|\s+of\b")
"""Words after 对方 that make it a third party, which only the conversation names."""
_USER, _BOT = "\0user", "\0bot"


class Choice(Enum):
    """The resolution of a reference."""

    FIRST = auto()
    """`Cast.first`, the name for "I"."""
    OF_FIRST = auto()
    """`Cast.first` as the owner in a plural possessive (our dog, 我们公司)."""
    SECOND = auto()
    """`Cast.second`, the name for "you"."""
    SENDER = auto()
    """The default referent of a third person: the user, or the only other recent speaker."""
    BOT_AND_USER = auto()
    GROUP = auto()
    NOBODY = auto()
    """No rule resolves the reference."""
    STANDS = auto()
    """The text itself makes the referent clear; the reference is not replaced."""


_OF_CAST = frozenset((Choice.FIRST, Choice.OF_FIRST, Choice.SECOND, Choice.BOT_AND_USER))


def choose(
    sentence: Sentence, recent_speakers: Sequence[str], item: Item, cast: Cast
) -> list[Choice]:
    """Return one choice for each reference of a sentence."""
    choosing = _Choosing(sentence, recent_speakers, item, cast)
    return choosing.without_guesses(
        [choosing.choice(reference) for reference in sentence.references]
    )


def sender_name(names: Names, recent_speakers: Sequence[str]) -> str:
    """Return the default referent of a third person, or "" if there is none."""
    speakers = {name for name in recent_speakers if name and name != names.bot_name}
    if not speakers or not names.user_name or names.user_name in speakers:
        return names.user_name or _USER
    return next(iter(speakers)) if len(speakers) == 1 else ""


class _Choosing:
    """The choices for the references of one text, from left to right.

    A name that replaces one reference is a possible antecedent of later ones.
    """

    def __init__(
        self, sentence: Sentence, recent_speakers: Sequence[str], item: Item, cast: Cast
    ) -> None:
        self.sentence, self.text, self.references = sentence, sentence.text, sentence.references
        self.names, self.cast, self.is_fact = sentence.names, cast, item == "fact"
        self.bot, self.sender = (
            self.names.bot_name or _BOT,
            sender_name(self.names, recent_speakers),
        )
        self.written: list[Mention] = []  # places where the user's name replaces earlier references
        self.gender = ""
        self.addressed = bool(cast.second) and any(
            one.person == "second" and not one.plural for one in self.references
        )
        # Substitutes for a missing name (用户 42) are written like names.
        self.aliases = dict.fromkeys(
            (*self.names.user_names, self.names.user("zh")), self.names.user_name or _USER
        )
        self.mentions = self._subjects_and_names()

    def _subjects_and_names(self) -> list[Mention]:
        """Return the names and role nouns (朋友, her sister) of the text outside references."""
        if not any(
            one.person == "third" or (one.plural and one.person == "first")
            for one in self.references
        ):
            return []
        taken = {at for one in self.references for at in range(one.start, one.end)}
        people, kept = self.sentence.people, list[Mention]()
        for mention, following in zip_longest(people, people[1:]):
            if mention.start in taken or (
                following and self.text[mention.end : following.start] in ("", " ")
            ):
                continue
            kept.append(replace(mention, name=self.aliases.get(mention.name, mention.name)))
        return kept

    def choice(self, reference: Reference) -> Choice:
        """Return the choice for the next reference."""
        if reference.person != "third":
            choice = self._by_cast(reference)
        elif reference.form == "that_one" and any(
            mention.end == reference.start for mention in self.mentions
        ):
            choice = Choice.STANDS  # 小王这个人: the name directly precedes it
        elif reference.form in _STAND_INS or reference.text.lower().startswith(_OTHER_PARTY):
            other_party = reference.form == "other_party" or reference.text.lower().startswith(
                _OTHER_PARTY
            )
            is_other = self.is_fact and other_party and not self._is_partner(reference)
            choice = (
                Choice.SENDER
                if self.sender and self.cast.stand_in and not is_other
                else Choice.NOBODY
            )
        else:
            choice = self._third(reference)
        if choice is Choice.SENDER and reference.gender and not self.gender:
            self.gender = reference.gender
        told = (
            not self.is_fact
            and choice is Choice.SECOND
            and self.aliases.get(self.cast.second) == self.sender
        )
        if choice is Choice.SENDER or told:
            self.written.append(Mention(self.sender, reference.start, reference.end))
        return choice

    def _is_partner(self, reference: Reference) -> bool:
        """Return True if 对方 in a fact is the person with whom the bot talks.

        Then the text begins with 对方. After another subject (跟对方吵了一架), or before a noun (对方司机),
        it is a third party.
        """
        begins = not self.text[: reference.start].strip()
        return begins and _OF_OTHER_PARTY.match(self.text, reference.end) is None

    def without_guesses(self, choices: Sequence[Choice]) -> list[Choice]:
        """Return the choices, with NOBODY for those that are uncertain due to an unresolved person.

        If "she" and "him" in one clause are two persons, either may be the user. In a fact, "I" is
        assumed to be the bot because the text mentions another person; if that person is
        unresolved, "I" may not be the bot.
        """
        pairs = list(zip(self.references, choices, strict=True))
        unknown = [one for one, choice in pairs if choice is Choice.NOBODY and one.is_somebody]
        is_bot = self.is_fact and self.cast.first in (self.names.bot("zh"), self.names.bot("en"))
        nobody_speaks = is_bot and bool(unknown) and not _OF_CAST.isdisjoint(choices)

        ends = [found.start() for found in _CLAUSE_END.finditer(self.text)] if unknown else []
        genders = {
            (bisect_left(ends, one.start), one.gender) for one in unknown if one.is_he_or_she
        }
        clauses_of = Counter(clause for clause, _ in genders)

        def is_guess(one: Reference, choice: Choice) -> bool:
            if choice is not Choice.SENDER or not one.is_he_or_she:
                return nobody_speaks and choice in _OF_CAST
            clause = bisect_left(ends, one.start)
            return nobody_speaks or clauses_of[clause] > ((clause, one.gender) in genders)

        return [Choice.NOBODY if is_guess(one, choice) else choice for one, choice in pairs]

    def _by_cast(self, reference: Reference) -> Choice:
        """Return the choice for a first or second person by the cast, for a place by the group."""
        group, cast = bool(self.names.group()), self.cast
        is_place = reference.kind == "place"
        if is_place and reference.form != "where_person_is":
            is_group = reference.form in ("group", "our_group") or (
                reference.form == "here" and not self.is_fact
            )
            return Choice.GROUP if group and is_group else Choice.NOBODY
        if reference.person == "first" and cast.together and reference.plural and not is_place:
            return Choice.BOT_AND_USER
        if reference.person == "first" and cast.first:
            return Choice.OF_FIRST if reference.plural else Choice.FIRST
        if reference.person == "second" and cast.second and not reference.plural:
            return Choice.SECOND
        members = (
            reference.person == "second"
            and cast.second
            and group
            and not is_place
            and reference.form != "pair"
        )
        return Choice.GROUP if members else Choice.NOBODY

    def _third(self, reference: Reference) -> Choice:
        """Return the choice for a third person.

        It is the user only if no other person can be meant. "They" is never the user.
        """
        named = mentions_before(self.mentions, reference.start)
        written = mentions_before(self.written, reference.start)
        near = sorted([*named, *written], key=lambda mention: mention.start)
        judged = antecedents(self.text, reference, near, self.bot)
        if judged.anchored or reference.gender == "thing":
            return Choice.STANDS if judged.anchored else Choice.NOBODY
        rivals = [name for name in judged.antecedents if name != self.sender]
        if reference.kind == "reference":
            return Choice.STANDS if len(judged.antecedents) == 1 else Choice.NOBODY
        if reference.plural:
            return Choice.NOBODY
        fits, is_named = (
            self._may_be_the_sender(reference),
            any(one.name == self.sender for one in named),
        )
        if (is_named or written) and self.sender not in judged.antecedents:
            fits = False  # "Ann told her": somebody else
        if rivals:
            return (
                Choice.STANDS
                if len(rivals) == 1 and not (fits and (is_named or written))
                else Choice.NOBODY
            )
        if not fits:
            return (
                Choice.STANDS if is_named and self.sender in judged.antecedents else Choice.NOBODY
            )
        return Choice.STANDS if is_named and not written else Choice.SENDER

    def _may_be_the_sender(self, reference: Reference) -> bool:
        """Return True if the third person may be the user.

        The cast must allow it, the gender must not differ from earlier words for the user, and the
        user's name must not follow.
        """
        if not self.sender or not self.cast.third or self.addressed:
            return False
        is_other = bool(self.gender and reference.gender) and self.gender != reference.gender
        first = bisect_left(self.mentions, reference.end, key=lambda mention: mention.start)
        last = bisect_right(
            self.mentions, reference.end + LOOK_BACK, key=lambda mention: mention.start
        )
        return not is_other and all(one.name != self.sender for one in self.mentions[first:last])
