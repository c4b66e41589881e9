"""Observations: the bounded copy that is queued, its redacted text, and the events made of it."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ...schema.event import Event
from ...schema.job import Job
from ...schema.scope import Scope
from ...schema.settings import ObservationSettings
from ...schema.talk import SAID_BY_PEOPLE, TalkPayload
from ...text.messages import observation_events, said_events, session_request
from ...text.preview import preview_text, snapshot
from ...text.redaction import redact
from ...text.speakers.shown_names import shown_name
from ..incoming_messages import ROLES, is_content, words_of

NAME_CHARACTERS = 200
ARGUMENT_CHARACTERS = 2_000
RESULT_CHARACTERS = 8_000
_ROLES = frozenset(("user", "human", "assistant", "ai", "bot", "tool", "function", "system", "developer"))
"""Names of speakers. Any other role may be the name of a field, such as `password`."""

_PEOPLE = ("user", "human")


class Observed(NamedTuple):
    """One observation: a tool call (`role` is empty) or a message. The values are bounded copies that nothing else refers to."""

    scope: Scope
    at: float
    role: object
    name: object
    arguments: object
    content: object


class Cleaned(NamedTuple):
    """The redacted text of an observation. `text` is redacted together with the name (`Ann: …`) or the role too."""

    scope: Scope
    at: float
    role: str
    name: str
    text: str


def observe_tool(scope: Scope, at: float, name: object, arguments: object, result: object) -> Observed:
    """Return the observation of a tool call. Takes microseconds; long values are cut here, so that the queue stays small."""
    return Observed(
        scope,
        at,
        "",
        snapshot(name, NAME_CHARACTERS),
        snapshot(arguments, ARGUMENT_CHARACTERS),
        snapshot(result, RESULT_CHARACTERS),
    )


def observe_message(scope: Scope, at: float, role: object, name: object, content: object) -> Observed:
    """Return the observation of a message. Takes microseconds, like `observe_tool`."""
    told = snapshot(role, NAME_CHARACTERS) if type(role) is str and role else "user"
    return Observed(scope, at, told, snapshot(name, NAME_CHARACTERS), None, snapshot(content, RESULT_CHARACTERS))


def with_shown_name(observed: Cleaned, bot_name: str) -> Cleaned:
    """Return an observation in which a person who is called like the bot, or everybody, has their id behind the name."""
    if observed.role not in _PEOPLE:
        return observed
    return observed._replace(name=shown_name(observed.scope.user_id, observed.name, bot_name))


def cleaned(observed: Observed) -> Cleaned:
    """Return the redacted text of an observation. This is the slow step.

    The parts are redacted one by one, where the names of fields are known, and then together: the result of a tool for
    `{"name": "DB_PASSWORD"}`, or a message of the role `password`, is recognised as a secret only beside that word.
    """
    name = preview_text(observed.name, NAME_CHARACTERS)
    content = preview_text(_words(observed) if observed.role else observed.content, RESULT_CHARACTERS)
    if observed.role:
        role = preview_text(observed.role, NAME_CHARACTERS)
        if role.lower() not in _ROLES:
            role, content = _clean_together(role, content)
        if name:
            name, content = _clean_together(name, content)
        return Cleaned(observed.scope, observed.at, role, name, content)
    arguments = "" if observed.arguments in (None, "", {}) else preview_text(observed.arguments, ARGUMENT_CHARACTERS)
    return Cleaned(observed.scope, observed.at, "", name, redact(f"{name}({arguments}) → {content}", "all"))


def _words(observed: Observed) -> object:
    """Return the words of a message; its content as it is if that has no form of a message's."""
    content, role = observed.content, ROLES.get(str(observed.role).lower(), "user")
    if not isinstance(content, str):
        return words_of(content, role, str(observed.name or "")) if is_content(content) else content
    words = words_of(content, role)
    return content if words == content else words  # a cut text knows how much of it is missing


def _clean_together(speaker: str, content: str) -> tuple[str, str]:
    """Return speaker and content, without what is a secret only after that name."""
    head = f"{speaker}: "
    text = redact(head + content, "all")
    # A secret that spans both: the name is part of it and is dropped.
    return (speaker, text[len(head) :]) if text.startswith(head) else ("user", text)


def events_of(observed: Cleaned, *, timezone: ZoneInfo, max_tokens: int, bot_name: str = "") -> list[Event]:
    """Return a message in parts, or a chunk of a tool's result an event.

    Ids are derived from scope and content, so that a scope stores the same content once.
    """
    if not observed.text.strip():
        return []
    moment = datetime.fromtimestamp(observed.at, timezone)
    role = ROLES.get(observed.role.lower(), "user") if observed.role else "tool"
    if role == "tool":
        text = f"{observed.name or observed.role}: {observed.text}" if observed.role else observed.text
        return observation_events(observed.scope, text, moment, str(timezone), max_tokens=max_tokens)
    return said_events(
        observed.scope,
        observed.text,
        moment,
        str(timezone),
        role=role,
        user_name=observed.name if role == "user" else "",
        bot_name=(observed.name or bot_name) if role == "assistant" else bot_name,
        max_tokens=max_tokens,
    )


def talk_job(observed: Cleaned, timezone: ZoneInfo, settings: ObservationSettings, bot_name: str) -> Job | None:
    """Return the job of kind `talk` in which a model reads a message; None for a tool's result and a message of an unknown
    sender. Its message is filed as the same record as by `events_of`.

    The job is due `summary_interval_seconds` after the message: then everything that waits of the conversation is read.
    """
    role = ROLES.get(observed.role.lower(), "user") if observed.role else "tool"
    scope = observed.scope
    if role == "tool" or not observed.text.strip() or not (scope.user_id or role == "assistant"):
        return None
    is_said = role == SAID_BY_PEOPLE
    return Job(
        kind="talk",
        request_id=session_request(scope, role, observed.text),
        request_type=scope.request_type,
        user_id=scope.user_id or "bot",
        group_id=scope.group_id,
        user_name=observed.name if is_said else "",
        bot_name=bot_name if is_said else observed.name or bot_name,
        timestamp=datetime.fromtimestamp(observed.at, timezone).isoformat(),
        timezone=str(timezone),
        not_before=observed.at + settings.summary_interval_seconds,
        payload=TalkPayload(role=role, text=observed.text).model_dump(),
    )
