"""Parameters of a request that a server refuses: left out, remembered, and told once.

Servers differ in what they accept (`temperature`, `max_completion_tokens`, the object form of `tool_choice`, `seed`, whatever
stands in `extra_body`). No list of servers is needed: the refusal (HTTP 400 or 422) names the parameter.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

from ..endpoint import FormRejected, InputRejected

log = logging.getLogger(__name__)

LIMIT = "max_completion_tokens"
"""The name by which a request gives its token limit."""
_NEVER_LEFT_OUT = frozenset({"model", "messages", "tools", "response_format"})
"""Without these it is another question; a server that refuses `tools` is asked by the next method."""
_LAST = {LIMIT: 2, "tool_choice": 2}
"""How many times a parameter may be refused: these are sent in a second form first. Any other is left out at once."""
_NEEDS_ROOM = re.compile(r"could not finish|limit was reached", re.IGNORECASE)


def needs_room(error: FormRejected | InputRejected) -> bool:
    """Return True if the model used up the token limit before it answered, which some servers report as an error."""
    return bool(_NEEDS_ROOM.search(error.said))


class RefusedParameters:
    """What one endpoint and model refuses: how often each parameter was refused, by its name in the request."""

    def __init__(self, who: str) -> None:
        self._who = who
        self.known: dict[str, int] = {}

    def told(self, refused: Mapping[str, int]) -> None:
        """Remember refusals after which the request got through; each is told once in the log."""
        for name, times in refused.items():
            if self.known.get(name, 0) < times:
                self.known[name] = times
                instead = "left out" if times >= _LAST.get(name, 1) else "sent in another form"
                log.warning("%s does not accept %r: it is %s from now on", self._who, name, instead)


def adapted(body: Mapping[str, Any], refused: Mapping[str, int]) -> dict[str, Any]:
    """Return the parameters in the form in which they have not been refused yet."""
    sent: dict[str, Any] = {}
    for name, value in body.items():
        times = refused.get(name, 0)
        if not times:
            sent[name] = value
        elif times < _LAST.get(name, 1):
            sent |= {"max_tokens": value} if name == LIMIT else {name: "required"}
    return sent


def refused_parameter(error: FormRejected | InputRejected, body: Mapping[str, Any], refused: Mapping[str, int]) -> str | None:
    """Return the name of the parameter, as in `body`, that the error refuses; None if it names none that was sent.

    That an input is too long refuses nothing but a token limit which the server calls too large.
    """
    for name in () if needs_room(error) else body:
        times = refused.get(name, 0)
        if name in _NEVER_LEFT_OUT or times >= _LAST.get(name, 1) or (isinstance(error, InputRejected) and name != LIMIT):
            continue
        names = rf"(?:{LIMIT}|max_tokens)" if name == LIMIT else re.escape(name)
        if re.search(rf"(?<![\w.-]){names}(?![\w-])", error.said):
            return name
    return None
