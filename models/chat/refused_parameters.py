"""Parameters of a request that a server refuses: left out, remembered, and told once.

Servers differ in what they accept (`temperature`, `max_completion_tokens`, the object form of `tool_choice`, `seed`, whatever
stands in `extra_body`). No list of servers is needed: the refusal (HTTP 400 or 422) names the parameter.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..endpoint import LIMIT, FormRejected, InputRejected

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

log = logging.getLogger(__name__)

_NEVER_LEFT_OUT = frozenset({"model", "messages", "tools", "response_format"})
"""Without these it is another question; a server that refuses `tools` is asked by the next method."""
_LAST = {LIMIT: 2, "tool_choice": 2}
"""How many times a parameter may be refused: these are sent in a second form first. Any other is left out at once."""
_SAMPLING = (
    *("temperature", "top_p", "top_k", "seed", "stop", "frequency_penalty", "presence_penalty"),
    *("logprobs", "logit_bias", "reasoning_effort", "verbosity"),
)
"""Fields of LangChain's chat models that a request may do without."""
_NEEDS_ROOM = re.compile(r"could not finish|limit was reached", re.IGNORECASE)


def needs_room(error: FormRejected | InputRejected) -> bool:
    """Return True if the model used up the token limit before it answered, which some servers report as an error."""
    return bool(_NEEDS_ROOM.search(error.said))


def remember(who: str, known: dict[str, int], refused: Mapping[str, int]) -> None:
    """Add refusals, after which a request got through, to those that are `known` of a model; each is told once in the log."""
    for name, times in refused.items():
        if known.get(name, 0) < times:
            known[name] = times
            instead = "left out" if times >= _LAST.get(name, 1) else "sent in another form"
            log.warning("%s does not accept %r: it is %s from now on", who, name, instead)


def parameters_of(model: BaseChatModel) -> list[str]:
    """Return the names of the parameters that a request of this model may do without."""
    free = [*(getattr(model, "extra_body", None) or ()), *(getattr(model, "model_kwargs", None) or ())]
    sampling = [name for name in _SAMPLING if getattr(model, name, None) is not None]
    limit = [LIMIT] if getattr(model, "max_tokens", None) else []
    return [*(name for name in free if name not in _NEVER_LEFT_OUT), "tool_choice", *sampling, *limit]


def without_refused(model: BaseChatModel, refused: Mapping[str, int]) -> BaseChatModel:
    """Return the model with the parameters that were refused in their second form, or without them."""
    update: dict[str, Any] = {}
    for name, times in refused.items():
        if name == LIMIT:
            update |= {"limit_name": "max_tokens"} if times < _LAST[LIMIT] else {"max_tokens": None}
        elif name in _SAMPLING:
            update[name] = None
    for free in ("extra_body", "model_kwargs"):
        fields = getattr(model, free, None) or {}
        if fields.keys() & refused.keys():
            update[free] = {name: value for name, value in fields.items() if name not in refused}
    known = type(model).model_fields
    return model.model_copy(update={name: value for name, value in update.items() if name in known})


def refused_parameter(error: FormRejected | InputRejected, names: Sequence[str], refused: Mapping[str, int]) -> str | None:
    """Return the one of `names`, the parameters that were sent, that the error refuses; None if it names none.

    That an input is too long refuses nothing but a token limit which the server calls too large.
    """
    for name in () if needs_room(error) else names:
        if refused.get(name, 0) >= _LAST.get(name, 1) or (isinstance(error, InputRejected) and name != LIMIT):
            continue
        pattern = rf"(?:{LIMIT}|max_tokens)" if name == LIMIT else re.escape(name)
        if re.search(rf"(?<![\w.-]){pattern}(?![\w-])", error.said):
            return name
    return None
