"""What was said, as former versions kept it: observations that begin with the name of the speaker.

`Ann: I moved to Leeds` was an observation of Ann's words, `Clio: noted` one of the bot's, and
`weather({"city": "Leeds"}) → rain` of what a tool returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..schema.event import EVENT_SCHEMA_VERSION, MESSAGE, OBSERVATION, Event
from ..schema.ids import LONGEST_NAME, id_mark

_PEOPLE = ("user", "human")
_NOBODY = frozenset(("tool", "function", "system", "developer"))
"""Roles whose texts are not talk."""


class FormerTalk:
    """Makes messages of the observations of former versions, given in the order in which they were filed.

    A long message was kept in parts of one `job_id`, of which as a rule only the first begins with the speaker.
    """

    def __init__(self) -> None:
        self._bots: dict[str, str] = {}
        """By `job_id`, the name with which the first part begins; "" for what a tool returned."""

    def message(self, event: Event) -> Event:
        """Return an observation as the message that it was; what a tool returned, and any other event, as it is."""
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
    """Return an event as a message, without the first of the heads with which it begins."""
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
    """Return the name with which an observation of the bot's words begins; "" for what a tool returned."""
    if first.user_name and first.text.startswith(f"{first.user_name}: "):
        return first.user_name
    head, colon, _ = first.text.partition(": ")
    # A call, `name(arguments) → …`, has an open bracket or an arrow before its first colon.
    is_call = "→" in head or head.count("(") != head.count(")")
    is_name = colon and len(head) <= LONGEST_NAME and "\n" not in head
    return head if is_name and not is_call and head.lower() not in _NOBODY else ""
