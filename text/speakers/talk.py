"""The recent messages of a job, and the evidence in them for the speakers and persons of its texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from ...schema.job import Job
from ...schema.names import Names
from ..borders import names_one
from ..content_words import Terms, content_terms, share
from ..language import Language
from ..quotations import comparable
from ..references.people import ROLE_NOUNS, Mention
from ..rewriting.first_person import says_i
from ..sentence import Sentence
from ..word_lists import compiled_patterns, word_tables
from .shown_names import shared_names
from .utterances import BOT, USER, Utterance, utterances

_RE = compiled_patterns(word_tables("speakers/whose.toml"))
HOLDS = 0.6
"""A message contains a statement if it has at least this share of the statement's content words."""
_STAGE = re.compile(r"\s*(?:[（(][^）)\n]{1,20}[）)]|\*[^*\n]{2,40}\*|/me\b)")
_CLAUSE = re.compile(r"[,.;!，。；！…\n]+")
_SEVERAL = frozenset(("kids", "parents", "爸妈", "父母", "孩子"))


class Talk:
    """The recent messages of a job, analysed once for all texts of the job."""

    def __init__(self, job: Job, names: Names) -> None:
        self.job, self.names = job, names
        self.said: Sequence[Utterance] = tuple(utterances(job, names))
        self.others = {one.who for one in self.said} - {"", BOT, USER}
        self.is_told = bool(self.others) or any(one.who == USER for one in self.said)

    @cached_property
    def texts(self) -> list[Sentence]:
        """The original texts of the job, in order."""
        return [Sentence(text, self.names) for _, text in self.job.texts]

    @cached_property
    def shared_names(self) -> dict[str, bool]:
        """The names of the job's people, True for ambiguous ones (`shown_names.shared_names`)."""
        return shared_names(self.job)

    @cached_property
    def is_played(self) -> bool:
        """True if people play roles: the bot's action or a message mentions a game."""
        return any(
            map(_RE.play.search, (self.job.action_summary, *(one.text for one in self.said)))
        )

    def acts_out(self, text: str) -> bool:
        """Return True if `text` is from a message that begins with a stage direction.

        Example: "(draws his sword) I am the king".
        """
        staged = [one for one in self.said if _STAGE.match(one.text)]
        wanted = content_terms(text, self.names) if staged else frozenset()
        return bool(wanted) and any(share(wanted, one.terms) >= HOLDS for one in staged)

    @cached_property
    def tells_of_others(self) -> bool:
        """True if a message mentions a third person."""
        return any(one.others for one in self.said)

    def held(self, text: str, said: Sequence[Utterance] | None = None) -> dict[str, float]:
        """Return the largest share of a text that is in one message, for each speaker.

        Questions do not count.
        """
        wanted, plain = content_terms(text, self.names), comparable(text)
        clauses = [own for own in self._of_speaker(text) if len(own) > 2]
        held: dict[str, float] = {}
        for one in self.said if said is None else said:
            part = 0.0 if one.asks or not wanted else share(wanted, one.terms)
            if len(plain) > 3 and plain in one.plain:
                part = 1.0
            elif any(own in one.plain for own in clauses) or self._begins(plain, one):
                part = max(part, 0.9)
            held[one.who] = max(held.get(one.who, 0.0), part)
        return held

    def _of_speaker(self, text: str) -> list[str]:
        """Return the clauses of a text in the first person, in the form of `comparable`."""
        return [
            comparable(clause)
            for clause in _CLAUSE.split(text)
            if says_i(Sentence(clause, self.names))
        ]

    def _begins(self, plain: str, one: Utterance) -> bool:
        """Return True if a statement begins with a first-person clause of a message.

        Example: 我没读过 and 我没读过《百年孤独》.
        """
        return one.says_i and any(
            len(own) > 3 and plain.startswith(own) for own in self._of_speaker(one.text)
        )

    def _source(self, wanted: Terms) -> Utterance | None:
        """Return the message of a person that contains the words of a statement.

        Return None if there is none, or if messages of two persons contain the same share.
        """
        told = [one for one in self.said if one.who not in ("", BOT) and not one.asks]
        ranked = (
            sorted(((share(wanted, one.terms), n) for n, one in enumerate(told)), reverse=True)
            if wanted
            else []
        )
        if not ranked or ranked[0][0] < HOLDS:
            return None
        best = told[ranked[0][1]]
        return (
            None
            if any(score == ranked[0][0] and told[n].who != best.who for score, n in ranked[1:])
            else best
        )

    def sender(self, text: str) -> str:
        """Return the speaker of a statement without a subject, or "" if it is unknown.

        It is the sender of the message that contains the statement, else in a private chat the
        user. The speaker is unknown if this message, or messages that it may continue, mention a
        person whom the text does not name.
        """
        wanted, folded = content_terms(text, self.names), text.casefold()
        one = self._source(wanted)
        if one is None:
            if self.job.group_id or self.others:
                return ""
            near = [other for other in self.said if wanted and share(wanted, other.terms)]
        else:
            near = (
                [one]
                if one.says_i
                else [other for other in self.said if other.who in (one.who, BOT) or other.asks]
            )
        tells = set().union(*(other.others for other in near)) if near else set()
        return (one.who if one else USER) if all(other in folded for other in tells) else ""

    @cached_property
    def persons(self) -> list[tuple[str, Mention]]:
        """The persons other than the user and the bot in the job's texts, each with its text."""
        known = {*self.names.user_names, self.names.bot_name}
        return [
            (one.text, person)
            for one in self.texts
            for person in one.people
            if person.name not in known
        ]

    @cached_property
    def speaks_of_user(self) -> bool:
        """True if there are no messages, and the bot's action mentions the user.

        A mention is the name, or "him" or "her".
        """
        deed = Sentence(self.job.action_summary, self.names)
        calls = any(one.is_he_or_she for one in deed.references)
        return not self.said and (calls or names_one(deed.text, self.names.user_names))

    def may_be_another(self, said: Sentence) -> bool:
        """Return True if "he" or "she" in a text may be another person than the user.

        This is so if another text or a message mentions a person who fits.
        """
        genders = {one.gender for one in said.references if one.is_he_or_she}
        called = any(
            said.text[: one.start].endswith("是") and one.name.lower() not in ROLE_NOUNS
            for one in said.people
        )
        if called or self.others or self.tells_of_others or _RE.somebody.search(said.text):
            return True
        rivals = (
            one.gender
            for text, one in self.persons
            if text != said.text and one.name.lower() not in _SEVERAL
        )
        return any(not rival or "" in genders or rival in genders for rival in rivals)

    def id_of(self, who: str) -> str:
        """Return the id of a person of the conversation, or "" for the bot and unknown persons."""
        if who == USER or (who and who in self.names.user_names):
            return self.job.user_id
        senders = (
            (one.sender_id, Names(user_name=one.sender_name, user_id=one.sender_id))
            for one in self.job.recent_messages
        )
        return next(
            (
                sender_id
                for sender_id, called in senders
                if who and who != BOT and who in called.user_names
            ),
            "",
        )

    def name_of(self, who: str, language: Language) -> str:
        """Return the written name of a speaker (BOT, USER or a name)."""
        return (
            self.names.user(language)
            if who == USER
            else self.names.bot(language)
            if who == BOT
            else who
        )
