"""The forms of an observation: the bounded copy that is queued, its redacted text, its events and
its job."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ...schema.event import Event
from ...schema.job import Job
from ...schema.payloads import SAID_BY_PEOPLE, TalkPayload
from ...schema.scope import Scope
from ...schema.settings import ObservationSettings
from ...text.messages.records import observation_events, said_events, session_request
from ...text.preview import preview_text, snapshot
from ...text.redaction import redact
from ...text.speakers.shown_names import shown_name
from ..incoming_messages import ROLES, is_content, words_of

NAME_CHARACTERS = 200
ARGUMENT_CHARACTERS = 2_000
RESULT_CHARACTERS = 8_000
_ROLES = frozenset(
    ("user", "human", "assistant", "ai", "bot", "tool", "function", "system", "developer")
)
"""Known roles. Any other role may be the name of a field, such as `password`, and is therefore
redacted together with the content."""

_PEOPLE = ("user", "human")


class Observed(NamedTuple):
    """One observation: a tool call (`role` is empty) or a message. The values are bounded copies
    that are not shared. `at` is in seconds since the epoch."""

    scope: Scope
    at: float
    role: object
    name: object
    arguments: object
    content: object


class Cleaned(NamedTuple):
    """The redacted text of an observation. `text` was also redacted together with the name, as in
    `Ann: …`, and with an unknown role."""

    scope: Scope
    at: float
    role: str
    name: str
    text: str


def observe_tool(
    scope: Scope, at: float, name: object, arguments: object, result: object
) -> Observed:
    """Return the observation of a tool call. Takes microseconds. Long values are cut here, so that
    the queue needs little memory."""
    return Observed(
        scope,
        at,
        "",
        snapshot(name, NAME_CHARACTERS),
        snapshot(arguments, ARGUMENT_CHARACTERS),
        snapshot(result, RESULT_CHARACTERS),
    )


def observe_message(
    scope: Scope, at: float, role: object, name: object, content: object
) -> Observed:
    """Return the observation of a message. Takes microseconds, like `observe_tool`."""
    told = snapshot(role, NAME_CHARACTERS) if type(role) is str and role else "user"
    return Observed(
        scope, at, told, snapshot(name, NAME_CHARACTERS), None, snapshot(content, RESULT_CHARACTERS)
    )


def with_shown_name(observed: Cleaned, bot_name: str) -> Cleaned:
    """Return the observation with the person's id after the name if the name is ambiguous: the name
    of the bot, or a word for everybody. Only messages of people change."""
    if observed.role not in _PEOPLE:
        return observed
    return observed._replace(name=shown_name(observed.scope.user_id, observed.name, bot_name))


def cleaned(observed: Observed) -> Cleaned:
    """Return the redacted text of an observation. This is the slow step.

    The parts are redacted one by one, because then the names of fields are known, and afterwards
    together: the result of a tool for `{"name": "DB_PASSWORD"}`, or a message with the role
    `password`, is recognised as a secret only next to that word.
    """
    name = preview_text(observed.name, NAME_CHARACTERS)
    content = preview_text(
        _words(observed) if observed.role else observed.content, RESULT_CHARACTERS
    )
    if observed.role:
        role = preview_text(observed.role, NAME_CHARACTERS)
        if role.lower() not in _ROLES:
            role, content = _clean_together(role, content)
        if name:
            name, content = _clean_together(name, content)
        return Cleaned(observed.scope, observed.at, role, name, content)
    arguments = (
        ""
        if observed.arguments in (None, "", {})
        else preview_text(observed.arguments, ARGUMENT_CHARACTERS)
    )
    return Cleaned(
        observed.scope, observed.at, "", name, redact(f"{name}({arguments}) → {content}", "all")
    )


def _words(observed: Observed) -> object:
    """Return the words of a message; the content unchanged if it is neither text nor message
    parts."""
    content, role = observed.content, ROLES.get(str(observed.role).lower(), "user")
    if not isinstance(content, str):
        return words_of(content, role, str(observed.name or "")) if is_content(content) else content
    words = words_of(content, role)
    return content if words == content else words  # a `Cut` knows how many characters are missing


def _clean_together(speaker: str, content: str) -> tuple[str, str]:
    """Return speaker and content, redacted as one text: some secrets are recognised only after the
    name."""
    head = f"{speaker}: "
    text = redact(head + content, "all")
    # A secret that spans both includes the name, which is therefore replaced by "user".
    return (speaker, text[len(head) :]) if text.startswith(head) else ("user", text)


def events_of(
    observed: Cleaned, *, timezone: ZoneInfo, max_tokens: int, bot_name: str = ""
) -> list[Event]:
    """Return the events of an observation: the parts of a message, or the chunks of a tool's
    result.

    Ids are derived from scope and content, so that a scope stores equal content only once.
    """
    if not observed.text.strip():
        return []
    moment = datetime.fromtimestamp(observed.at, timezone)
    role = ROLES.get(observed.role.lower(), "user") if observed.role else "tool"
    if role == "tool":
        text = (
            f"{observed.name or observed.role}: {observed.text}" if observed.role else observed.text
        )
        return observation_events(
            observed.scope, text, moment, str(timezone), max_tokens=max_tokens
        )
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


def talk_job(
    observed: Cleaned, timezone: ZoneInfo, settings: ObservationSettings, bot_name: str
) -> Job | None:
    """Return the job of kind `talk` with which a model reads a message.

    Return None for a tool's result, for a message without text, and for one of an unknown sender.
    The job files the message as the same record as `events_of`. It is due
    `summary_interval_seconds` after the message; then the model reads all waiting messages of the
    conversation together.
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


@dataclass(slots=True)
class ObservationStatistics:
    """Counts since the start.

    `noted` observations, those `dropped` because the queue was full, and those that were
    `unusable`; events that were `stored`, and those that were already `known`; observations and
    events that were `lost` at shutdown or by an error. `noted` and `dropped` are counted without a
    lock, so they are exact only if one thread observes.
    """

    noted: int = 0
    dropped: int = 0
    stored: int = 0
    known: int = 0
    unusable: int = 0
    lost: int = 0

    def as_dict(self) -> dict[str, int]:
        return asdict(self)
