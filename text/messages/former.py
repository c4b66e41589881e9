"""Conversion of messages that earlier versions stored as observations.

Such an observation begins with the name of its speaker: `Ann: I moved to Leeds` is a message of
Ann, `Clio: noted` one of the bot, and `weather({"city": "Leeds"}) → rain` is a tool's result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...schema.event import EVENT_SCHEMA_VERSION, MESSAGE, OBSERVATION, Event
from ...schema.ids import LONGEST_NAME, id_mark

_PEOPLE = ("user", "human")
_NOBODY = frozenset(("tool", "function", "system", "developer"))
"""Roles whose texts are no messages of a conversation."""


class FormerTalk:
    """Converts observations of earlier versions, given in the order of their filing, to messages.

    A long message was stored in parts with one `job_id`. Usually only the first part begins with
    the speaker.
    """

    def __init__(self) -> None:
        self._bots: dict[str, str] = {}
        """By `job_id`, the name with which the first part begins, or "" for a tool's result."""

    def message(self, event: Event) -> Event:
        """Return an observation as a message; tools' results and other events are unchanged."""
        if event.source != OBSERVATION or event.kind == MESSAGE:
            return event
        if event.kind == "fact":
            heads = [f"{one}: " for one in (event.user_name, event.user_id, *_PEOPLE) if one]
            return replace(
                _as_message(event, heads),
                role="user",
                user_name=event.user_name.removesuffix(id_mark(event.user_id)),
                said_by=event.user_id,
            )
        name = self._bots.setdefault(event.job_id, _bot_name(event))
        if not name:
            return event
        said = _as_message(event, [f"{name}: "])
        return replace(said, role="assistant", user_name="", bot_name=name)


def _as_message(event: Event, heads: Sequence[str]) -> Event:
    """Return an event as a message, without the first of the `heads` with which its text begins."""
    head = next((one for one in heads if event.text.startswith(one)), "")
    return replace(
        event,
        kind=MESSAGE,
        source=MESSAGE,
        text=event.text[len(head) :] or event.text,
        gate_reasons=(),
        rewritten_by="none",
        schema_version=EVENT_SCHEMA_VERSION,
    )


def _bot_name(first: Event) -> str:
    """Return the bot's name with which an observation begins, or "" for a tool's result."""
    if first.user_name and first.text.startswith(f"{first.user_name}: "):
        return first.user_name
    head, colon, _ = first.text.partition(": ")
    # A call such as `name({"city": …}) → …` has an open bracket or an arrow before its first colon.
    is_call = "→" in head or head.count("(") != head.count(")")
    is_name = colon and len(head) <= LONGEST_NAME and "\n" not in head
    return head if is_name and not is_call and head.lower() not in _NOBODY else ""
