"""The values of the fields of events, groups of fields, and the links and revisions of events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypedDict

EVENT_SCHEMA_VERSION = 3

WrittenKind = Literal["action", "fact"]
"""Kinds of events that the historian writes."""
EventKind = Literal["action", "fact", "message"]
RewrittenBy = Literal["model", "rules", "time", "none", "hand"]

MESSAGE: Literal["message"] = "message"
"""`kind` and `source` of messages, which are stored as they were said."""
MESSAGE_NOT_EDITABLE = (
    "event_id: this is a message, and messages cannot be edited; hand it over again with the "
    "same message id and the new words, or withdraw it (`forget_message`, `historian events "
    "withdraw`)"
)
"""The error message for an attempt to edit a message."""
OBSERVATION = "observation"
"""`source` of results of tools, which are stored unchanged and expire."""
TIME_UNKNOWN = "it is not known when this was said"
"""An entry of `Event.gate_reasons` for migrated events without a time."""
SOURCES = frozenset(("job", MESSAGE, OBSERVATION, "summary", "note", "migrated"))
"""Every value of `source`."""


class Labels(TypedDict):
    """The labels that a bot passes with a job or message, as the fields of `Event`."""

    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    expires_at: float | None


class Written(TypedDict, total=False):
    """Optional fields of a new event; the defaults are those of `Event`."""

    gate_reasons: tuple[str, ...]
    rewritten_by: RewrittenBy
    source: str
    user_name: str
    speakers: tuple[str, ...]
    handed_over: str
    said_by: str
    occurs_from: float | None
    occurs_until: float | None
    bot_name: str
    group_name: str
    version: str
    role: str
    message_id: str
    reply_to: str
    times: tuple[str, ...]
    sources: tuple[str, ...]
    people: tuple[str, ...]
    worded_at: float
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    expires_at: float | None


class EventLink(NamedTuple):
    """The fact that the event `old` is superseded by the event `new`; with `corrects`, that `old`
    was never true.
    """

    old: str
    new: str
    corrects: bool = False


@dataclass(frozen=True, slots=True)
class Revision:
    """A former text of an event, which was replaced at `replaced_at` (ISO 8601). `revision` counts
    from 1.
    """

    revision: int
    text: str
    is_absolute: bool
    rewritten_by: str
    replaced_at: str
