"""Jobs of kind `talk`, one message each, gathered by conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..schema.job import SPEAKERS_LOOKED_AT, Job, RecentMessage
from ..schema.talk import SAID_BY_PEOPLE
from .speakers.shown_names import with_ids


def said_by_people(job: Job) -> bool:
    """Return True if a person said the message; False for the bot's, and for what a tool returned."""
    return job.payload.get("role") == SAID_BY_PEOPLE


def with_people_listed(talk: Sequence[Job], others: Mapping[str, str]) -> list[Job]:
    """Return the jobs of a talk, each with all its people as `recent_messages` without words.

    These are the senders, and `others` (names by id). A name that does not tell who is meant has
    the id behind it.
    """
    senders: dict[str, str] = {}
    for one in filter(said_by_people, talk):
        senders[one.user_id] = one.user_name or senders.get(one.user_id) or others.get(one.user_id, "")
    people = list({**others, **senders}.items())[-SPEAKERS_LOOKED_AT:]
    listed = [RecentMessage(sender_id=who, sender_name=name) for who, name in people]
    listed = with_ids(talk[-1].model_copy(update={"recent_messages": listed})).recent_messages
    shown = {one.sender_id: one.sender_name for one in listed}
    return [
        one.model_copy(
            update={
                "user_name": shown.get(one.user_id, one.user_name),
                "recent_messages": listed,
            }
        )
        for one in talk
    ]
