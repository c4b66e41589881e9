"""Handles request parameters that a server refuses: they are left out, remembered, and logged once.

Servers differ in the parameters that they accept (`temperature`, `max_completion_tokens`, the
object form of `tool_choice`, `seed`, any key of `extra_body`). No list of servers is needed: the
refusal (HTTP 400 or 422) names the parameter.
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
"""Parameters that a question needs. If a server refuses `tools`, the next method is used."""
_LAST = {LIMIT: 2, "tool_choice": 2}
"""Number of refusals after which a parameter is left out. These are sent in a second form after the
first refusal; all other parameters are left out at once."""
_SAMPLING = (
    *("temperature", "top_p", "top_k", "seed", "stop", "frequency_penalty", "presence_penalty"),
    *("logprobs", "logit_bias", "reasoning_effort", "verbosity"),
)
"""Fields of LangChain's chat models that a request does not need."""
_NEEDS_ROOM = re.compile(r"could not finish|limit was reached", re.IGNORECASE)


def needs_room(error: FormRejected | InputRejected) -> bool:
    """Return True if the error says that the model used up the token limit before it answered."""
    return bool(_NEEDS_ROOM.search(error.said))


def remember(who: str, known: dict[str, int], refused: Mapping[str, int]) -> None:
    """Add the refusals before a successful request to the model's `known` ones; log each once."""
    for name, times in refused.items():
        if known.get(name, 0) < times:
            known[name] = times
            instead = "left out" if times >= _LAST.get(name, 1) else "sent in another form"
            log.warning("%s does not accept %r: it is %s from now on", who, name, instead)


def parameters_of(model: BaseChatModel) -> list[str]:
    """Return the names of the parameters that a request of this model does not need."""
    free = [
        *(getattr(model, "extra_body", None) or ()),
        *(getattr(model, "model_kwargs", None) or ()),
    ]
    sampling = [name for name in _SAMPLING if getattr(model, name, None) is not None]
    limit = [LIMIT] if getattr(model, "max_tokens", None) else []
    return [
        *(name for name in free if name not in _NEVER_LEFT_OUT),
        "tool_choice",
        *sampling,
        *limit,
    ]


def without_refused(model: BaseChatModel, refused: Mapping[str, int]) -> BaseChatModel:
    """Return the model with the refused parameters in their second form, or without them."""
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


def refused_parameter(
    error: FormRejected | InputRejected, names: Sequence[str], refused: Mapping[str, int]
) -> str | None:
    """Return the parameter that an error refuses, or None.

    `names` are the parameters that were sent. If the error says that the input is too long, only
    the token limit counts as refused, if the error names it.
    """
    for name in () if needs_room(error) else names:
        if refused.get(name, 0) >= _LAST.get(name, 1) or (
            isinstance(error, InputRejected) and name != LIMIT
        ):
            continue
        pattern = rf"(?:{LIMIT}|max_tokens)" if name == LIMIT else re.escape(name)
        if re.search(rf"(?<![\w.-]){pattern}(?![\w-])", error.said):
            return name
    return None
