"""Whose facts facts are, by id: several people may bear one name, and one person may change theirs."""

from __future__ import annotations

from collections.abc import Sequence

from ..schema.event import Event
from ..schema.job import Job
from .protected import whole_name_pattern
from .references.people import ROLE_NOUNS, find_people
from .speakers.mentions import mentioned_first
from .speakers.shown_names import namesakes
from .superseding import Statement, named_first

_SUBJECT = "Xx"
"""The name of whoever a statement is about, while statements are compared."""


def teller_of(job: Job, said_by: str) -> str:
    """Return the id of who told a fact of the job: `said_by`, else the job's user. "" if a namesake may have said it."""
    return said_by or ("" if namesakes(job) - {"", job.user_id} else job.user_id)


class People:
    """The people of a conversation, by all names under which its facts and messages know their ids."""

    def __init__(self, job: Job, events: Sequence[Event]) -> None:
        self._job = job
        self._names: dict[str, dict[str, None]] = {}
        known = [
            (job.user_id, job.user_name),
            *((one.sender_id, one.sender_name) for one in job.recent_messages),
            *((event.user_id, event.user_name) for event in events),
        ]
        for user_id, name in known:
            if user_id and name:
                self._names.setdefault(user_id, {})[name] = None

    def names_of(self, user_id: str) -> tuple[str, ...]:
        """Return the names of a person, and what stands for them in texts where they have none."""
        return (*self._names.get(user_id, ()), f"user {user_id}", f"用户 {user_id}")

    def subject_of(self, event: Event) -> str:
        """Return the id of the person whose fact an event is; "" if it is about another person of whom no id is known.

        It is the person whom it is about, or who told it if it is about a thing.
        """
        if mentioned := mentioned_first(event.handed_over):
            return mentioned
        teller = event.said_by or event.user_id
        said = Statement(event.text, (*self._everybody(), *self.names_of(teller))).said
        if named_first(said, self.names_of(teller)):
            return teller
        named = next((one for one in find_people(said) if one.start == 0), None)
        if named_first(said, self._everybody()) or (named is not None and named.name.lower() not in ROLE_NOUNS):
            return ""
        return teller

    def is_own(self, event: Event) -> bool:
        """Return True if an event of the job tells what a person said of themselves or of a thing, no claim about another.

        Where another person of the same name spoke, only the id of who said it tells.
        """
        teller = teller_of(self._job, event.said_by)
        return bool(teller) and self.subject_of(event) == teller

    def statement(self, text: str, user_id: str) -> Statement:
        """Return a fact of a person as a statement in which one word stands for every name that they had.

        Words of a nickname are none of the statement: 今天也要早睡搬到福州了 is no plan.
        """
        pattern = whole_name_pattern(self.names_of(user_id))
        return Statement(pattern.sub(_SUBJECT, text) if pattern else text, (_SUBJECT, *self._everybody()))

    def _everybody(self) -> tuple[str, ...]:
        names = (name for names in self._names.values() for name in names)
        return tuple(dict.fromkeys((*names, *([self._job.bot_name] if self._job.bot_name else []))))
