"""Records of messages and observations.

A job of kind `talk` is one message. Its record has the unchanged words, the sender and the days
that the message names. Observations are texts that tools returned, stored in chunks as events that
expire.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from ...schema.event import MESSAGE, OBSERVATION, Event, Written, labels_of_job
from ...schema.ids import digest_of
from ...schema.job import SPEAKERS_LOOKED_AT, Job, RecentMessage, make_job_id
from ...schema.payloads import SAID_BY_PEOPLE, TalkPayload, TalkRole
from ...schema.scope import Scope
from ..edits import edited
from ..language import detect_language
from ..speakers.borne_names import with_people
from ..speakers.shown_names import with_ids
from ..time_expressions import TimeExpression, find_time_expressions, needs_its_day
from ..tokens import chunk, estimate_tokens

MOST_PARTS = 512
"""Maximum number of records per message; the largest job has fewer."""
NOT_REWRITTEN = {"zh": "观察到的原话，没有改写。", "en": "observed as it was, not rewritten"}
"""The reason why an observation is not absolute, by its language."""
_SHOWN = {"month": 7, "year": 4}
"""Characters of an ISO date that are shown, by granularity."""


def message_events(job: Job, max_tokens: int) -> list[Event]:
    """Return the message of a job of kind `talk` as events of at most `max_tokens` each.

    A message without words gives no events.
    """
    said = TalkPayload.model_validate(job.payload)
    told: Any = said.model_dump(exclude={"text"})
    told |= {one: getattr(job, one) for one in ("user_name", "bot_name", "group_name")}
    told["said_by"] = job.user_id if said_by_people(job) else job.bot_id
    told |= labels_of_job(job)
    said_at = job.moment, job.timezone
    spoken = _spoken(message_name(job), job.scope, said.text, *said_at, max_tokens, told)
    return with_people(job, spoken)


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
    """Return a message of a running session as events of at most `max_tokens` each.

    The same words of one person are stored once per scope.
    """
    name = _record_of(scope, make_job_id(session_request(scope, role, text), 0))
    written: Written = {"user_name": user_name, "bot_name": bot_name, "role": role}
    written["said_by"] = scope.user_id if role == SAID_BY_PEOPLE else ""
    return _spoken(name, scope, text, moment, timezone, max_tokens, written)


def _spoken(
    name: str,
    scope: Scope,
    text: str,
    moment: datetime,
    timezone: str,
    max_tokens: int,
    written: Written,
) -> list[Event]:
    is_short = estimate_tokens(text) <= max_tokens
    parts = [text] * bool(text.strip()) if is_short else chunk(text, max_tokens)
    fixed: Written = {"source": MESSAGE, "rewritten_by": "none"}
    made: list[Event] = []
    filed = partial(Event.in_scope, scope, moment, timezone, is_absolute=False)
    for n, part in enumerate(parts):
        fields: Written = written | fixed | {"times": times_in(part, moment, timezone)}
        made.append(filed(MESSAGE, part, event_id=f"{name}:{n}", job_id=name, **fields))
    return made


def observation_events(
    scope: Scope, text: str, moment: datetime, timezone: str, *, max_tokens: int
) -> list[Event]:
    """Return a redacted text that a tool returned, as one expiring event per chunk.

    Ids are made from scope and content: the same content is stored once per scope.
    """
    job_id = f"{OBSERVATION}-{digest_of(scope.key, text)}"
    made: list[Event] = []
    filed = partial(Event.in_scope, scope, moment, timezone, is_absolute=False)
    for piece in chunk(text, max_tokens):
        named = scope.request_id(f"{OBSERVATION}-{digest_of(scope.key, piece)}")
        why = NOT_REWRITTEN[detect_language(piece)]
        fields: Written = {"source": OBSERVATION, "rewritten_by": "none", "gate_reasons": (why,)}
        made.append(filed("action", piece, event_id=named, job_id=job_id, **fields))
    return made


def said_by_people(job: Job) -> bool:
    """Return True if a person said the message, False if it is from the bot or a tool."""
    return job.payload.get("role") == SAID_BY_PEOPLE


def with_people_listed(talk: Sequence[Job], others: Mapping[str, str]) -> list[Job]:
    """Return the jobs of a talk, each with all people of the talk as empty `recent_messages`.

    The people are the senders and `others` (names by id). The id follows a name that is ambiguous.
    """
    senders: dict[str, str] = {}
    for one in filter(said_by_people, talk):
        known = senders.get(one.user_id) or others.get(one.user_id, "")
        senders[one.user_id] = one.user_name or known
    people = list({**others, **senders}.items())[-SPEAKERS_LOOKED_AT:]
    listed = [RecentMessage(sender_id=who, sender_name=name) for who, name in people]
    listed = with_ids(talk[-1].model_copy(update={"recent_messages": listed})).recent_messages
    shown = {one.sender_id: one.sender_name for one in listed}
    names = ({"user_name": shown.get(one.user_id, one.user_name)} for one in talk)
    everybody = {"recent_messages": listed}
    return [one.model_copy(update=everybody | name) for one, name in zip(talk, names, strict=True)]


def record_ids(name: str) -> list[str]:
    """Return the possible ids of the records of a message; `name` is its `job_id`."""
    return [f"{name}:{n}" for n in range(MOST_PARTS)]


def message_name(job: Job) -> str:
    """Return the `job_id` under which the message of a job is filed.

    With a message id, edited versions of the message have the same `job_id`.
    """
    said = TalkPayload.model_validate(job.payload)
    if said.message_id:
        return named_message(job.scope, said.message_id)
    return _record_of(job.scope, job.job_id)


def session_request(scope: Scope, role: TalkRole, text: str) -> str:
    """Return the id of the request that hands over a message of a running session."""
    sender = scope.user_id if role == SAID_BY_PEOPLE else ""
    return scope.request_id(f"talk-{digest_of('session', scope.key, role, sender, text)}")


def _record_of(scope: Scope, job_id: str) -> str:
    """Return the `job_id` of the record of a message to which its platform gives no id."""
    return scope.request_id(f"{MESSAGE}-{digest_of(job_id)}")


def named_message(scope: Scope, message_id: str) -> str:
    """Return the `job_id` of a message in `scope` that has the id `message_id` on its platform."""
    return scope.request_id(f"{MESSAGE}-{digest_of(scope.key, message_id)}")


def every_name(scope: Scope, message_id: str) -> list[str]:
    """Return the `job_id`s that a message may have.

    A caller that may vouch for speakers may also refer to messages of asserted speakers.
    """
    return [named_message(one, message_id) for one in _vouched(scope)]


def job_prefixes(scope: Scope, message_id: str) -> list[str]:
    """Return the prefixes of the ids of `talk` jobs that hand over a message, with any words."""
    return [one.request_id(f"talk-{digest_of(one.key, message_id)}-") for one in _vouched(scope)]


def talk_request(scope: Scope, message_id: str, *words: str) -> str:
    """Return the id of the request that hands over a message with these `words`."""
    return f"{job_prefixes(scope, message_id)[0]}{digest_of(*words)}"


def _vouched(scope: Scope) -> list[Scope]:
    """Return the scope and, unless it is asserted itself, the same scope as asserted by a token."""
    return [scope] if scope.asserted else [scope, replace(scope, asserted=True)]


def times_in(text: str, moment: datetime, timezone: str | ZoneInfo | None) -> tuple[str, ...]:
    """Return the dates of the time expressions in a message, in the form of `Event.times`.

    Vague expressions are left out.
    """
    return tuple(f"{one.end}:{_days(one)}" for one in _known_times(text, moment, timezone))


def dated_words(text: str, moment: datetime, timezone: str | ZoneInfo | None) -> str:
    """Return words said at `moment` with dates after relative times: `on Friday (2026-12-04)`."""
    days = days_meant(text, moment, timezone)
    meant = ((one.end, _days(one)[: _SHOWN.get(one.granularity)]) for one in days)
    return edited(text, [(end, end, f" ({day})") for end, day in meant])


def days_meant(
    text: str, moment: datetime, timezone: str | ZoneInfo | None
) -> list[TimeExpression]:
    """Return the times in words said at `moment` that need a date: "yesterday", weekdays.

    Dates, months, feasts, "now", vague times and hours are left out. An hour may be that of every
    day.
    """
    return [one for one in _known_times(text, moment, timezone) if needs_its_day(one.text)]


def _known_times(
    text: str, moment: datetime, timezone: str | ZoneInfo | None
) -> list[TimeExpression]:
    found = find_time_expressions(text, moment, timezone)
    return [one for one in found if one.value and not one.vague]


def _days(one: TimeExpression) -> str:
    first = (one.value or "").replace("T", " ")
    last = one.until.replace("T", " ") if one.until else first
    return first if first == last else f"{first}/{last}"
