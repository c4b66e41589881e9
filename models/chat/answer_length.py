"""Token limit of an answer: every form restates its input, so a model that writes far more is in a loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...schema.protocols import Answer
from ...text.tokens import estimate_tokens
from .lenient_json import without_thoughts

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

ROOM = 512
"""Tokens that an answer may have in addition to those of the question."""


def usual_length(answer: type[Answer], messages: Sequence[tuple[str, str]]) -> int:
    """Return the tokens that an answer to (role, content) messages takes at most, without the model's reasoning.

    A form may give its own bound in the class attribute `usual_tokens`.
    """
    given = sum(estimate_tokens(content) for _, content in messages)
    return ROOM + min(given, getattr(answer, "usual_tokens", given))


def is_cut_off(message: BaseMessage) -> bool:
    """Return True if the answer reached its token limit."""
    return message.response_metadata.get("finish_reason") == "length"


def is_still_thinking(message: AIMessage) -> bool:
    """Return True if a truncated answer has no JSON yet, or ends inside the model's reasoning."""
    called = message.tool_calls or message.invalid_tool_calls
    return not called and "{" not in without_thoughts(message.text)
