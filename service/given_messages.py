"""Messages of any common form as bots hand them over: of LangChain, of OpenAI, pairs, mappings, text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from ..schema.errors import InvalidInput
from ..schema.ids import told, type_and_size
from ..schema.job import check_size, check_timestamp, clean_text
from ..schema.talk import TalkRole

ROLES: Mapping[str, TalkRole] = {
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
KEYS = ("role", "content", "text", "sender_id", "name", "sender_name", "id", "at", "tool_calls", "tool_call_id")


LONGEST_RESULT = 8_000
"""Characters of a tool's result that are kept."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message: `at` is ISO 8601 with offset ("" if unknown), `sender_id` and `name` are those of its sender."""

    role: TalkRole
    text: str
    sender_id: str = ""
    name: str = ""
    message_id: str = ""
    at: str = ""


def read_messages(given: object, what: str = "messages", keys: Sequence[str] = KEYS) -> list[Message]:
    """Return what was said, in order and not redacted; what nobody said, and what is empty, is left out.

    What was read already stays as it is. A mapping may have `keys`; it has to have `content`, unless `text` may stand for it.
    Raises InvalidInput that names the message (`what[3]`) and what is wrong with it.
    """
    listed = enumerate(_listed(given, what))
    return [one for n, message in listed if (one := _read(message, f"{what}[{n}]", keys)) is not None]


def _listed(given: object, what: str) -> Sequence[object]:
    if isinstance(given, Mapping) and "messages" in given:
        given = given["messages"]
    if isinstance(given, str | Mapping) or hasattr(given, "content") or _is_pair(given):
        return [given]
    if not isinstance(given, Iterable):
        raise InvalidInput(f"{what}: expected messages, mappings, pairs or text, got {type(given).__name__}")
    return list(given)


def _is_pair(message: object) -> TypeGuard[Sequence[str]]:
    """Return True for ("user", "text")."""
    return (
        isinstance(message, tuple | list)
        and len(message) == 2
        and isinstance(message[0], str)
        and isinstance(message[1], str)
        and (message[0] in ROLES or message[0] in NOT_SAID)
    )


def _read(message: object, where: str, keys: Sequence[str]) -> Message | None:
    """Return a message; None for what nobody said."""
    if isinstance(message, Message):
        return message
    if isinstance(message, str):
        return _made("user", message, {}, where)
    if _is_pair(message):
        return _made(message[0], message[1], {}, where)
    if isinstance(message, Mapping):
        unknown = next((str(key) for key in message if key not in keys), None)
        if unknown is not None or ("content" not in message and "text" not in keys):
            wrong = "content is missing" if unknown is None else f"unknown key {told(unknown)}"
            raise InvalidInput(f"{where}: {wrong}; a message is {{{', '.join(key for key in keys if key in _TOLD)}}}")
        return _made(message.get("role") or "user", message.get("content", message.get("text")), message, where)
    if hasattr(message, "content") and hasattr(message, "type"):
        sender = getattr(message, "additional_kwargs", {}).get("sender_id")
        known = {"name": getattr(message, "name", None), "id": getattr(message, "id", None), "sender_id": sender}
        return _made(message.type, message.content, known, where)
    raise InvalidInput(f"{where}: expected a message, a mapping, a pair or text, got {type(message).__name__}")


_TOLD = frozenset(("role", "content", "sender_id", "name", "id", "at"))
"""The keys that a message about a wrong one tells; the others are other names, and what is passed over."""


def _made(role: object, content: object, known: Mapping[str, Any], where: str) -> Message | None:
    if role in NOT_SAID:
        return None
    kind = ROLES.get(role) if isinstance(role, str) else None
    if kind is None:
        raise InvalidInput(f"{where}.role: {role!r:.40} is not one of {', '.join(ROLES)}")
    text = _text_of(content, where)
    text = clean_text(text if kind != "tool" else text[: 2 * LONGEST_RESULT])
    check_size((text,), where)
    if not text:
        return None
    name, at = clean_text(str(known.get("name") or known.get("sender_name") or "")), known.get("at")
    ids = given_id(known.get("sender_id"), f"{where}.sender_id"), given_id(known.get("id"), f"{where}.id")
    return Message(kind, text, ids[0], name, ids[1], check_timestamp(at) if at else "")


def _text_of(content: object, where: str) -> str:
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


def given_id(value: object, where: str) -> str:
    """Return an id as a string: it may be a number, or None for none. Raises InvalidInput for anything else."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidInput(f"{where}: expected a string or a number, got {type_and_size(value)}")
    return str(value)
