"""Messages as records: one job of kind `talk` is one message, in its words, with its sender and the days that it names."""

from __future__ import annotations

import hashlib
from datetime import datetime
from zoneinfo import ZoneInfo

from ..schema.event import MESSAGE, Event
from ..schema.job import Job
from ..schema.scope import Scope
from ..schema.talk import SAID_BY_PEOPLE, TalkPayload
from .chunks import chunk
from .time_expressions.finding import find_time_expressions


def message_events(job: Job, max_tokens: int) -> list[Event]:
    """Return the message of a job of kind `talk`, in parts of at most `max_tokens`; none of one without words."""
    said = TalkPayload.model_validate(job.payload)
    if not said.text.strip():
        return []
    name = message_name(job)
    return [
        Event.in_scope(
            job.scope,
            job.moment,
            job.timezone,
            MESSAGE,
            piece.text,
            event_id=f"{name}:{n}",
            job_id=name,
            is_absolute=False,
            rewritten_by="none",
            source=MESSAGE,
            user_name=job.user_name,
            bot_name=job.bot_name,
            group_name=job.group_name,
            said_by=job.user_id if said.role == SAID_BY_PEOPLE else job.bot_id,
            role=said.role,
            message_id=said.message_id,
            reply_to=said.reply_to,
            times=times_in(piece.text, job),
        )
        for n, piece in enumerate(chunk(said.text, max_tokens))
    ]


def message_name(job: Job) -> str:
    """Return the `job_id` under which the message of a job is filed: the same for every text that it has had."""
    said = TalkPayload.model_validate(job.payload)
    if said.message_id:
        return named_message(job.scope, said.message_id)
    return job.scope.request_id(f"{MESSAGE}-{_digest(job.job_id)}")


def named_message(scope: Scope, message_id: str) -> str:
    """Return the `job_id` of a message in `scope` that its platform calls `message_id`."""
    return scope.request_id(f"{MESSAGE}-{_digest(scope.key, message_id)}")


def times_in(text: str, job: Job) -> tuple[str, ...]:
    """Return the days that the words of a message mean, as `Event.times` holds them; those that mean no day are left out."""
    return tuple(f"{end}:{days}" for end, days in _named_days(text, job.moment, job.timezone))


def dated_words(text: str, moment: datetime, timezone: str | ZoneInfo | None) -> str:
    """Return words said at `moment` with the day behind each expression that means one: `on Friday (2026-12-04)`."""
    for end, days in reversed(_named_days(text, moment, timezone)):
        text = f"{text[:end]} ({days}){text[end:]}"
    return text


def _named_days(text: str, moment: datetime, timezone: str | ZoneInfo | None) -> list[tuple[int, str]]:
    """Return the end of each expression in `text` that means a day, and the day or days."""
    found = find_time_expressions(text, moment, timezone)
    return [(one.end, _shown(one.value, one.until)) for one in found if one.value and not one.vague]


def _shown(value: str, until: str | None) -> str:
    first, last = value.replace("T", " "), (until or value).replace("T", " ")
    return first if first == last else f"{first}/{last}"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
