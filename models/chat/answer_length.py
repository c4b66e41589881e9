"""How long an answer may grow: each form restates what it was given, so a model that writes far more is lost in a loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...schema.protocols import Answer
from ...text.tokens import estimate_tokens
from .lenient_json import is_open_thought

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

ROOM = 512
"""Tokens that an answer has beside as many as it was asked with."""


def usual_length(answer: type[Answer], messages: Sequence[tuple[str, str]]) -> int:
    """Tokens within which an answer to (role, content) messages is expected to end, from a model that does not think aloud.

    A form may say what it needs at most: its class attribute `usual_tokens`.
    """
    given = sum(estimate_tokens(content) for _, content in messages)
    return ROOM + min(given, getattr(answer, "usual_tokens", given))


def answered_tokens(message: AIMessage) -> int:
    """Tokens of an answer as the server counted them; 0 where it does not say."""
    return int((getattr(message, "usage_metadata", None) or {}).get("output_tokens") or 0)


def is_cut_off(message: BaseMessage) -> bool:
    return message.response_metadata.get("finish_reason") == "length"


def is_still_thinking(message: AIMessage) -> bool:
    """Whether an answer that was cut off had not begun: no JSON yet, or a thought is open."""
    called = message.tool_calls or message.invalid_tool_calls
    return not called and ("{" not in message.text or is_open_thought(message.text))
