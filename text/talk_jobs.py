"""Jobs of kind `talk`, one message each, and the same job with its statements."""

from __future__ import annotations

from collections.abc import Sequence

from ..schema.job import Job, RecentMessage
from ..schema.talk import SAID_BY_PEOPLE, SAID_BY_THE_BOT, TalkPayload
from .speakers.shown_names import with_ids

MESSAGES_BESIDE = 12
"""Messages around a message that tell whom its words mean."""


def said_by_people(job: Job) -> bool:
    """Return True if a person said the message; False for the bot's, and for what a tool returned."""
    return job.payload.get("role") == SAID_BY_PEOPLE


def told_apart(talk: Sequence[Job]) -> list[Job]:
    """Return the jobs of a talk with the ids behind the names of senders who are called alike."""
    messages = [_message(one) for one in talk]
    shown = [with_ids(one.model_copy(update={"recent_messages": messages})).user_name for one in talk]
    return [one.model_copy(update={"user_name": name}) for one, name in zip(talk, shown, strict=True)]


def with_statements(job: Job, statements: Sequence[str], talk: Sequence[Job]) -> Job:
    """Return the job with its statements as `new_info`, the bot's as its `action_summary`, and the messages before it, itself
    the last, as `recent_messages`."""
    place = next((n for n, one in enumerate(talk) if one.job_id == job.job_id), len(talk) - 1)
    beside = [_message(one) for one in talk[max(0, place + 1 - MESSAGES_BESIDE) : place + 1]]
    if job.payload.get("role") == SAID_BY_THE_BOT:
        joint = "。" if "\u4e00" <= "".join(statements)[-1:] <= "\u9fff" else ". "
        done = joint.join(one.rstrip(".。！!") for one in statements)
        return job.model_copy(update={"action_summary": done, "recent_messages": beside})
    return job.model_copy(update={"new_info": list(statements), "recent_messages": beside})


def _message(job: Job) -> RecentMessage:
    said = TalkPayload.model_validate(job.payload)
    if said.role != SAID_BY_PEOPLE:
        return RecentMessage(sender_id=job.bot_id, sender_name=job.bot_name, text=said.text, at=job.timestamp)
    return RecentMessage(sender_id=job.user_id, sender_name=job.user_name, text=said.text, at=job.timestamp)
