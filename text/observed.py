"""Observations: texts as they were said or returned, in chunks, as events that expire."""

from __future__ import annotations

import hashlib
from datetime import datetime

from ..schema.event import OBSERVATION, Event, EventKind
from ..schema.job import Job
from ..schema.scope import Scope
from ..schema.talk import SAID_BY_PEOPLE, TalkPayload
from .chunks import chunk
from .language import detect_language
from .redaction import redact

NOT_REWRITTEN = {"zh": "观察到的原话，没有改写。", "en": "observed as it was, not rewritten"}
"""Why an observation is not absolute, in its own language."""


def observation_events(
    scope: Scope, text: str, moment: datetime, timezone: str, *, kind: EventKind, user_name: str, max_tokens: int
) -> list[Event]:
    """Return one event a chunk of a redacted text. Ids are made of scope, content and, of a message, its sender: the same is
    stored once a scope, or once a person."""
    if not text.strip():
        return []
    sender_id = scope.user_id if kind == "fact" else ""
    source = digest(scope, sender_id, text)
    return [
        Event.in_scope(
            scope,
            moment,
            timezone,
            event_id=scope.request_id(f"{OBSERVATION}-{digest(scope, sender_id, piece.text)}"),
            job_id=f"{OBSERVATION}-{source}",
            kind=kind,
            text=piece.text,
            is_absolute=False,
            source=OBSERVATION,
            gate_reasons=(NOT_REWRITTEN[detect_language(piece.text)],),
            rewritten_by="none",
            user_name=user_name,
        )
        for piece in chunk(text, max_tokens)
    ]


def observed_message(job: Job, max_tokens: int) -> list[Event]:
    """Return the observation of a job of kind `talk`, personal data redacted."""
    kind, text = observed_text(job)
    name = job.user_name if kind == "fact" else ""
    return observation_events(job.scope, text, job.moment, job.timezone, kind=kind, user_name=name, max_tokens=max_tokens)


def observed_text(job: Job) -> tuple[EventKind, str]:
    """Return the message of a job of kind `talk` after its sender, personal data redacted ("" if it has none), and its kind."""
    said = TalkPayload.model_validate(job.payload)
    text = redact(f"{sender(job)}: {said.text}", "all") if said.text.strip() else ""
    return ("fact" if said.role == SAID_BY_PEOPLE else "action"), text


def sender(job: Job) -> str:
    """Return how the sender of a message is called: a person's name or id, the bot's name, "tool"."""
    role = TalkPayload.model_validate(job.payload).role
    if role == SAID_BY_PEOPLE:
        return job.user_name or job.user_id
    return job.bot_name or role if role == "assistant" else role


def digest(scope: Scope, sender_id: str, text: str) -> str:
    """Return the part of an observation's id that its scope, its sender ("" for none) and its content make."""
    return hashlib.sha256("\0".join((scope.key, *filter(None, (sender_id,)), text)).encode()).hexdigest()[:32]
