"""Messages as records: one job of kind `talk` is one message, in its words, with its sender and the days that it names."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Unpack
from zoneinfo import ZoneInfo

from ..schema.event import MESSAGE, Event, Written, labels_of_job
from ..schema.ids import digest_of
from ..schema.job import Job
from ..schema.scope import Scope
from ..schema.talk import SAID_BY_PEOPLE, TalkPayload, TalkRole
from .chunks import chunk
from .edits import edited
from .speakers.named_people import with_people
from .time_expressions import TimeExpression, find_time_expressions, needs_its_day
from .tokens import estimate_tokens

MOST_PARTS = 512
"""Records of one message that are looked for: the largest job has fewer."""


def message_events(job: Job, max_tokens: int) -> list[Event]:
    """Return the message of a job of kind `talk`, in parts of at most `max_tokens`; none of one without words."""
    said = TalkPayload.model_validate(job.payload)
    messages = _events(
        message_name(job),
        job.scope,
        said.text,
        job.moment,
        job.timezone,
        max_tokens,
        user_name=job.user_name,
        bot_name=job.bot_name,
        group_name=job.group_name,
        said_by=job.user_id if said.role == SAID_BY_PEOPLE else job.bot_id,
        role=said.role,
        message_id=said.message_id,
        reply_to=said.reply_to,
        worded_at=said.worded_at,
        **labels_of_job(job),
    )
    return with_people(job, messages)


def said_events(
    scope: Scope,
    text: str,
    moment: datetime,
    timezone: str,
    *,
    role: TalkRole,
    user_name: str,
    bot_name: str,
    max_tokens: int,
) -> list[Event]:
    """Return a message that was said in a running session, in parts. One person's same words are stored once a scope."""
    sender = scope.user_id if role == SAID_BY_PEOPLE else ""
    name = scope.request_id(f"{MESSAGE}-{digest_of('session', scope.key, role, sender, text)}")
    written: Written = {"user_name": user_name, "bot_name": bot_name, "said_by": sender, "role": role}
    return _events(name, scope, text, moment, timezone, max_tokens, **written)


def _events(
    name: str,
    scope: Scope,
    text: str,
    moment: datetime,
    timezone: str,
    max_tokens: int,
    **written: Unpack[Written],
) -> list[Event]:
    made: list[Event] = []
    for n, part in enumerate(_parts(text, max_tokens) if text.strip() else ()):
        fields: Written = {**written, "rewritten_by": "none", "source": MESSAGE, "times": times_in(part, moment, timezone)}
        ids = {"event_id": f"{name}:{n}", "job_id": name}
        made.append(Event.in_scope(scope, moment, timezone, MESSAGE, part, **ids, is_absolute=False, **fields))
    return made


def _parts(text: str, max_tokens: int) -> list[str]:
    if estimate_tokens(text) <= max_tokens:
        return [text]
    return [piece.text for piece in chunk(text, max_tokens)]


def record_ids(name: str) -> list[str]:
    """Return the ids that the records of a message (by `job_id`) may have."""
    return [f"{name}:{n}" for n in range(MOST_PARTS)]


def message_name(job: Job) -> str:
    """Return the `job_id` under which the message of a job is filed: the same for every text that it has had."""
    said = TalkPayload.model_validate(job.payload)
    if said.message_id:
        return named_message(job.scope, said.message_id)
    return job.scope.request_id(f"{MESSAGE}-{digest_of(job.job_id)}")


def named_message(scope: Scope, message_id: str) -> str:
    """Return the `job_id` of a message in `scope` that its platform calls `message_id`."""
    return scope.request_id(f"{MESSAGE}-{digest_of(scope.key, message_id)}")


def every_name(scope: Scope, message_id: str) -> list[str]:
    """Return the `job_id`s that a message may have: who may vouch for speakers speaks for asserted ones too."""
    return [named_message(one, message_id) for one in _vouched(scope)]


def job_prefixes(scope: Scope, message_id: str) -> list[str]:
    """Return how the ids of the jobs of kind `talk` begin that hand a message over, whatever its words are."""
    return [one.request_id(f"talk-{digest_of(one.key, message_id)}-") for one in _vouched(scope)]


def talk_request(scope: Scope, message_id: str, *words: str) -> str:
    """Return the id of the request that hands over these `words` of a message."""
    return f"{job_prefixes(scope, message_id)[0]}{digest_of(*words)}"


def _vouched(scope: Scope) -> list[Scope]:
    """Return the scope, and the same as a token asserts it if it is not asserted itself."""
    return [scope] if scope.asserted else [scope, replace(scope, asserted=True)]


def times_in(text: str, moment: datetime, timezone: str | ZoneInfo | None) -> tuple[str, ...]:
    """Return the days that the words of a message mean, as `Event.times` holds them; those that mean no day are left out."""
    found = find_time_expressions(text, moment, timezone)
    return tuple(f"{one.end}:{_days(one)}" for one in found if one.value and not one.vague)


def dated_words(text: str, moment: datetime, timezone: str | ZoneInfo | None) -> str:
    """Return words said at `moment` with what each relative time means in brackets: `on Friday (2026-12-04)`."""
    return edited(text, [(one.end, one.end, f" ({_meant(one)})") for one in days_meant(text, moment, timezone)])


def days_meant(text: str, moment: datetime, timezone: str | ZoneInfo | None) -> list[TimeExpression]:
    """Return the expressions of words said at `moment` whose day is counted from it, and weekdays; not a date, a month, a feast,
    "now", a vague time, or an hour, which may be that of every day."""
    found = (one for one in find_time_expressions(text, moment, timezone) if one.value and not one.vague)
    return [one for one in found if needs_its_day(one.text)]


def _days(one: TimeExpression) -> str:
    first, last = (one.value or "").replace("T", " "), (one.until or one.value or "").replace("T", " ")
    return first if first == last else f"{first}/{last}"


def _meant(one: TimeExpression) -> str:
    shown = {"month": 7, "year": 4}.get(one.granularity)
    return _days(one)[:shown]
