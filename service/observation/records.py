"""What was observed, from the moment it is noted to the events that are stored of it."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ...schema.event import OBSERVATION, Event, EventKind
from ...schema.scope import Scope
from ...text.chunks import chunk
from ...text.preview import preview_text, snapshot
from ...text.redaction import redact

SUMMARY = "summary"

NAME_CHARACTERS = 200
ARGUMENT_CHARACTERS = 2_000
RESULT_CHARACTERS = 8_000
_ROLES = frozenset(("user", "human", "assistant", "ai", "bot", "tool", "function", "system", "developer"))
"""Roles that say who speaks. Any other word may be the name of a field, such as `password`."""
NOT_REWRITTEN = "observed as it was, not rewritten"


class Observed(NamedTuple):
    """One thing noted, as bounded copies that nobody else holds: a tool that ran (`role` is empty), or a message."""

    scope: Scope
    session_id: str
    at: float
    role: object
    name: object
    arguments: object
    content: object


class Cleaned(NamedTuple):
    """The same without secrets and personal data, as text. `text` is clean also behind the name (`Ann: …`) or the role."""

    scope: Scope
    session_id: str
    at: float
    role: str
    name: str
    text: str


def observe_tool(scope: Scope, session_id: str, at: float, name: object, arguments: object, result: object) -> Observed:
    """Note that a tool ran. Microseconds: what is long is cut here, so that the queue holds no large objects."""
    return Observed(
        scope,
        session_id,
        at,
        "",
        snapshot(name, NAME_CHARACTERS),
        snapshot(arguments, ARGUMENT_CHARACTERS),
        snapshot(result, RESULT_CHARACTERS),
    )


def observe_message(scope: Scope, session_id: str, at: float, role: object, name: object, content: object) -> Observed:
    """Note that somebody said something. Microseconds, as above."""
    told = snapshot(role, NAME_CHARACTERS) if type(role) is str and role else "user"
    return Observed(scope, session_id, at, told, snapshot(name, NAME_CHARACTERS), None, snapshot(content, RESULT_CHARACTERS))


def cleaned(observed: Observed) -> Cleaned:
    """Redact what was noted; here the time is spent.

    The parts are redacted by themselves, since only so the names of fields are seen, and then together: what a tool gave for
    `{"name": "DB_PASSWORD"}`, or what `password` said, is a secret only beside that word.
    """
    name = preview_text(observed.name, NAME_CHARACTERS)
    content = preview_text(observed.content, RESULT_CHARACTERS)
    if observed.role:
        role = preview_text(observed.role, NAME_CHARACTERS)
        if role.lower() not in _ROLES:
            role, content = _clean_together(role, content)
        if name:
            name, content = _clean_together(name, content)
        return Cleaned(observed.scope, observed.session_id, observed.at, role, name, content)
    arguments = "" if observed.arguments in (None, "", {}) else preview_text(observed.arguments, ARGUMENT_CHARACTERS)
    return Cleaned(observed.scope, observed.session_id, observed.at, "", name, redact(f"{name}({arguments}) → {content}", "all"))


def _clean_together(speaker: str, content: str) -> tuple[str, str]:
    """Who speaks, and what is said without what is a secret only behind that name."""
    head = f"{speaker}: "
    text = redact(head + content, "all")
    # A secret that reaches from the one into the other leaves no name to tell it by.
    return (speaker, text[len(head) :]) if text.startswith(head) else ("user", text)


def events_of(observed: Cleaned, *, timezone: ZoneInfo, max_tokens: int) -> list[Event]:
    """One event a chunk. Ids follow from scope and content, so that the same content is stored once in a scope."""
    if not observed.text.strip():
        return []
    text = f"{observed.name or observed.role}: {observed.text}" if observed.role else observed.text
    kind: EventKind = "fact" if observed.role in ("user", "human") else "action"
    source = _digest(observed.scope, text)
    return [
        make_event(
            observed.scope,
            event_id=f"{OBSERVATION}-{_digest(observed.scope, piece.text)}",
            job_id=f"{OBSERVATION}-{source}",
            kind=kind,
            text=piece.text,
            at=observed.at,
            timezone=timezone,
            source=OBSERVATION,
            gate_reasons=(NOT_REWRITTEN,),
            user_name=observed.name if observed.role else "",
        )
        for piece in chunk(text, max_tokens)
    ]


def make_event(
    scope: Scope,
    *,
    event_id: str,
    job_id: str,
    kind: EventKind,
    text: str,
    at: float,
    timezone: ZoneInfo,
    source: str,
    gate_reasons: tuple[str, ...] = (),
    user_name: str = "",
    speakers: tuple[str, ...] = (),
) -> Event:
    """An event that no job wrote; absolute exactly where the gate has nothing to say."""
    return Event.in_scope(
        scope,
        datetime.fromtimestamp(at, timezone),
        str(timezone),
        event_id=event_id,
        job_id=job_id,
        kind=kind,
        text=text,
        user_name=user_name,
        is_absolute=not gate_reasons,
        gate_reasons=gate_reasons,
        source=source,
        speakers=speakers,
    )


def _digest(scope: Scope, text: str) -> str:
    return hashlib.sha256(f"{scope.key}\0{text}".encode()).hexdigest()[:32]
