"""The states of a conversation as bots hand them over: LangChain messages, mappings, or text; redacted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ...schema.errors import InvalidInput
from ...schema.job import check_timestamp, clean_text
from ...schema.states_payload import SpokenPayload
from ...text.redaction import redact
from ..intake import redacted_in_turn

Role = Literal["user", "assistant", "tool"]

ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "tool": "tool",
    "function": "tool",
}
NOT_SAID = frozenset(("system", "developer", "remove"))
"""Roles of messages that are no part of what was said: left out."""
_NAME_CHARACTERS = 200


def spoken_payloads(states: object) -> list[SpokenPayload]:
    """Return what was said, in order and redacted; empty states are left out.

    `states` is one state or several: a text (said by the user), a mapping `{role, content, name?, at?}`, or a message of
    LangChain. `at` is ISO 8601 with offset. Raises InvalidInput that names the state and what is wrong with it.
    """
    single = isinstance(states, str | Mapping) or hasattr(states, "content")
    if not single and not isinstance(states, Iterable):
        raise InvalidInput(f"states: expected messages, mappings or text, got {type(states).__name__}")
    given: list[object] = [states] if single else list(states)  # type: ignore[call-overload]
    said = [one for n, state in enumerate(given) if (one := _spoken(state, f"states[{n}]")) is not None]
    texts = [clean_text(text) for text in redacted_in_turn([one.text for one in said], "all")]
    return [one.model_copy(update={"text": text}) for one, text in zip(said, texts, strict=True) if text]


def _spoken(state: object, where: str) -> SpokenPayload | None:
    """Return one state, not redacted yet; None if it is empty."""
    if isinstance(state, str):
        return _made("user", state, "", "", where)
    if isinstance(state, Mapping):
        unknown = [str(key) for key in state if key not in ("role", "content", "name", "at")]
        if unknown or "content" not in state:
            told = f"unknown key {unknown[0]!r:.40}" if unknown else "content is missing"
            raise InvalidInput(f"{where}: {told}; a state is {{role, content, name?, at?}}")
        return _made(state.get("role", "user"), state["content"], state.get("name"), state.get("at"), where)
    if hasattr(state, "content") and hasattr(state, "type"):
        return _made(state.type, state.content, getattr(state, "name", None), None, where)
    raise InvalidInput(f"{where}: expected a message, a mapping or text, got {type(state).__name__}")


def _made(role: object, content: object, name: object, at: object, where: str) -> SpokenPayload | None:
    known = role_of(role, where)
    if known is None:
        return None
    text = clean_text(text_of(content, where))
    if not text:
        return None
    named = clean_text(redact(name, "all"))[:_NAME_CHARACTERS] if isinstance(name, str) else ""
    return SpokenPayload(role=known, text=text, name=named, at=check_timestamp(at) if at else "")  # type: ignore[arg-type]


def role_of(role: object, where: str) -> Role | None:
    """Return the role of a message; None for what nobody said. Raises InvalidInput for another one."""
    if role in NOT_SAID:
        return None
    known = ROLES.get(role) if isinstance(role, str) else None
    if known is None:
        raise InvalidInput(f"{where}.role: {role!r:.40} is not one of {', '.join(ROLES)}")
    return known


def text_of(content: object, where: str) -> str:
    """Return the text of a content: a string, or a list of blocks of which the text blocks are read."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        raise InvalidInput(f"{where}.content: expected text or a list of blocks, got {type(content).__name__}")
    return "\n".join(filter(None, map(_text_of_block, content)))


def _text_of_block(block: Any) -> str:
    if isinstance(block, str):
        return block
    text = block.get("text") if isinstance(block, Mapping) else None
    return text if isinstance(text, str) else ""
