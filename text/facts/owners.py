"""Owners of facts by user id, since people may have the same name, and names may change."""

from __future__ import annotations

from collections.abc import Sequence

from ...schema.event import BorneName, Event, NamedPerson
from ...schema.job import Job
from ..borders import begins_with
from ..edits import edited
from ..references.people import ROLE_NOUNS, find_people
from ..speakers.borne_names import BorneNames, NamedPeople
from ..speakers.shown_names import namesakes
from .superseding import Statement

_SUBJECT = "Xx"
"""Placeholder for the owner's name while statements are compared."""


class FactOwners:
    """Finds the owner of an event from the ids of the people whom it names, and from its speaker.

    Events of earlier versions store no ids of the people named in them. For these, the names in the
    job and in `events` are used.
    """

    def __init__(self, job: Job, events: Sequence[Event]) -> None:
        self._job = job
        self._group = job.group_name
        now = job.moment.timestamp()
        senders = ((one.sender_id, one.sender_name, now) for one in job.recent_messages)
        spoke = ((one.user_id, one.user_name, one.timestamp) for one in events)
        known = [(job.user_id, job.user_name, now), *senders, *spoke]
        borne = BorneNames(BorneName(who, name, at, at) for who, name, at in known if who)
        ids = {who for who, _, _ in known}
        self._people = NamedPeople(borne, ids, (job.bot_name, job.group_name))
        self._names = (*borne.written, *([job.bot_name] if job.bot_name else []))

    def named(self, event: Event) -> Sequence[NamedPerson]:
        """Return the people whom an event names."""
        return event.named or self._people.named(event.text, event.teller)

    def subject_of(self, event: Event) -> str | None:
        """Return the id of the person whom an event is about.

        Return "" if the id is unknown, and None if the event is about a thing or the group.
        """
        said = Statement(event.text, self._names).said
        begins = event.text.find(said)
        if self._group and begins_with(said.casefold(), self._group.casefold()):
            return None
        for one in self.named(event):
            if one.start <= begins < one.end:
                return one.user_id
        first = [one.name.lower() for one in find_people(said) if one.start == 0]
        return "" if first and first[0] not in ROLE_NOUNS else None

    def owner_of(self, event: Event) -> str:
        """Return the id of an event's owner, or "" if it is unknown.

        The owner is the person whom the event is about. An event about a thing belongs to its
        speaker.
        """
        subject = self.subject_of(event)
        return event.teller if subject is None else subject

    def is_own(self, event: Event) -> bool:
        """Return True if the owner of an event of the job is also its speaker.

        If so, the event is no claim about another person. If `said_by` is missing, the speaker is the job's
        user, unless another person of the same name spoke.
        """
        user = self._job.user_id
        teller = event.said_by or ("" if namesakes(self._job) - {"", user} else user)
        return bool(teller) and self.owner_of(event) == teller

    def statement(self, event: Event, user_id: str) -> Statement:
        """Return a person's fact as a statement in which a placeholder replaces all their names.

        So the rules do not read the words of a nickname. Of the user 今天也要早睡 ("to bed early
        today"), 今天也要早睡搬到福州了 says that they moved, and nothing about a plan for today.
        """
        own = (one for one in self.named(event) if one.user_id == user_id)
        text = edited(event.text, ((*one[:2], _SUBJECT) for one in own))
        return Statement(text, (_SUBJECT, *self._names))
