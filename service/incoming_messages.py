"""Reading of messages in any common form: LangChain, OpenAI, Ollama, OneBot, pairs, mappings, text.

All methods that take messages read them with this module: `remember`, `feed_message`,
`build_context`, and the methods that call these.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, TypeGuard

from ..schema.errors import InvalidInput
from ..schema.ids import told, type_and_size
from ..schema.job import check_size, clean_text
from ..schema.labels import clean_metadata, clean_tags
from ..schema.payloads import TalkRole
from ..schema.times import check_timestamp
from ..text.message_parts import (
    as_forwarded,
    forwarded_from,
    from_cq,
    is_part,
    replied_id,
    text_of_parts,
)
from ..text.messages.unspoken import without_program_blocks, without_thoughts

log = logging.getLogger(__name__)

ROLES: Mapping[str, TalkRole] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
NOT_SAID = frozenset(("system", "developer", "remove"))
"""Roles of messages that nobody said; these messages are left out."""

_CONTENTS = ("content", "text", "message", "raw_message", "parts", "output", "refusal")
"""Keys of the content of a message; the first one with a value is used. `message` and `raw_message`
are OneBot's."""
_ATTACHED = ("photo", "animation", "sticker", "voice", "video", "video_note", "document")
"""Keys of Telegram's attachments; the message may also have a `caption`."""
_INSTEAD = ("tool_calls", "function_call", "audio", "images", "attachments", "caption", *_ATTACHED)
"""Keys that a message may have instead of a content."""
_SENDERS, _NAMES = ("sender_id", "user_id"), ("name", "sender_name", "card", "nickname")
_IDS, _TIMES = ("id", "message_id"), ("at", "time", "timestamp", "date")
_REPLIES = ("reply_to", "reply_to_message_id", "reply_to_message", "message_reference", "reference")
"""Keys of the message that is answered: its id, or (Telegram, Discord) the message itself."""
_EDITS = ("edited_at", "edit_date", "edited_timestamp")
_OF_LANGCHAIN = ("sender_id", "at", "reply_to", "edited_at", "tags", "metadata", "expires_at")
"""Keys that are read from the `additional_kwargs` of a LangChain message."""
_CHUNK = "MessageChunk"
"""The end of the type name of a LangChain message that is a piece of a streamed message."""


LONGEST_RESULT = 8_000
"""Maximum number of characters of a tool's result that are stored."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `sender_id` and `name` are those of its sender.

    `at` is the time of the message, `edited_at` that of its last edit: ISO 8601 with offset, or "".
    `reply_to` is the id of the message that is answered. `expires_at` is the value as given,
    because a day ends at a different moment in each time zone.
    """

    role: TalkRole
    text: str
    sender_id: str = ""
    name: str = ""
    message_id: str = ""
    at: str = ""
    reply_to: str = ""
    edited_at: str = ""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    expires_at: Any = None


def read_messages(given: object, what: str = "messages") -> list[Message]:
    """Return the messages in order, unredacted. Skips messages of the system and messages without
    words; a message with a content but no words is logged.

    A `Message` is returned unchanged. Unknown keys are ignored, unless they look like a misspelt
    `role` or `sender_id`. Raises InvalidInput that names the message (`what[3]`) and what is wrong
    with it.
    """
    listed = enumerate(_listed(given, what))
    return [one for n, message in listed if (one := _read(message, f"{what}[{n}]")) is not None]


def words_of(content: object, role: TalkRole = "user", name: str = "") -> str:
    """Return the words of a message's content, which is a text, message parts, or None.

    Parts that are not text become placeholders. Text that programs added is left out, and so are
    the thoughts of a model. CQ codes and their escapes are decoded, except in the text of a tool.
    Raises InvalidInput for any other content.
    """
    if isinstance(content, str):
        text = without_program_blocks(content)
        text = text if role == "tool" else from_cq(text, by_form=role == "user")
    elif content is None or isinstance(content, Mapping | list | tuple):
        parts = [content] if isinstance(content, Mapping) else content or ()
        text = without_program_blocks(text_of_parts(parts, name))
    else:
        raise InvalidInput(
            f"content: expected text or a list of its parts, got {type(content).__name__}"
        )
    return without_thoughts(text) if role == "assistant" else text


def is_content(given: object) -> bool:
    """Return True if `given` is a list of parts of one message: content blocks or OneBot segments,
    possibly with texts between them."""
    if not isinstance(given, list | tuple) or not any(map(is_part, given)):
        return False
    return all(isinstance(one, str) or (is_part(one) and one["type"] not in ROLES) for one in given)


def given_id(value: object, where: str) -> str:
    """Return an id, which may be a string or a number, as a string; "" for None. Raises
    InvalidInput for anything else."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidInput(f"{where}: expected a string or a number, got {type_and_size(value)}")
    return str(value)


def _listed(given: object, what: str) -> Sequence[object]:
    if isinstance(given, Mapping) and "messages" in given:
        given = given["messages"]
    if isinstance(given, str | Mapping) or hasattr(given, "content") or _is_pair(given):
        return [given]
    if is_content(given) and not any(isinstance(one, str) for one in given):  # type: ignore[attr-defined]  # is a list
        return [{"content": given}]
    if not isinstance(given, Iterable):
        raise InvalidInput(
            f"{what}: expected messages, mappings, pairs or text, got {type(given).__name__}"
        )
    return _with_whole_chunks(given)


def _with_whole_chunks(given: Iterable[Any]) -> list[Any]:
    """Return the messages, with consecutive pieces of a streamed message joined."""
    joined: list[Any] = []
    for one in given:
        is_piece = str(getattr(one, "type", "")).endswith(_CHUNK)
        if is_piece and joined and type(joined[-1]) is type(one) and joined[-1].id == one.id:
            joined[-1] = joined[-1] + one
        else:
            joined.append(one)
    return joined


def _is_pair(message: object) -> TypeGuard[Sequence[str]]:
    """Return True for a pair of a role and a text: ("user", "hello")."""
    return (
        isinstance(message, tuple | list)
        and len(message) == 2
        and isinstance(message[0], str)
        and isinstance(message[1], str)
        and (message[0] in ROLES or message[0] in NOT_SAID)
    )


def _read(message: Any, where: str) -> Message | None:
    """Return the message; None for a message of the system, and for a message without words."""
    if isinstance(message, Message):
        return message
    if isinstance(message, str):
        return _made("user", message, {}, where)
    if _is_pair(message):
        return _made(message[0], message[1], {}, where)
    if hasattr(message, "additional_kwargs"):  # a LangChain message
        more = message.additional_kwargs
        known = {
            "name": message.name,
            "id": message.id,
            **{key: more.get(key) for key in _OF_LANGCHAIN},
        }
        return _made(
            getattr(message, "role", message.type),
            message.content or more.get("refusal"),
            known,
            where,
        )
    if not isinstance(message, Mapping) and hasattr(message, "role"):
        # an object of the OpenAI or Ollama client
        message = message.model_dump() if hasattr(message, "model_dump") else vars(message)
    if not isinstance(message, Mapping):
        raise InvalidInput(
            f"{where}: expected a message, a mapping, a pair or text, got {type(message).__name__}"
        )
    _check_spelling(message, where)
    if message.get("type") in ROLES and isinstance(message.get("data"), Mapping):
        # the form in which LangChain stores messages
        message = {"role": message["type"], **message["data"]}
    if is_part(message) and "text" not in message:
        message = {"content": [message]}
    if not any(key in message for key in (*_CONTENTS, *_INSTEAD)):
        raise InvalidInput(
            f"{where}: content is missing; a message is {{role, content, sender_id, name, id, at}}"
        )
    role, content = _role_of(message), _content_of(message)
    if isinstance(content, list) and content and all(map(_is_result, content)):
        # Anthropic's form of tool results
        role, content = "tool", [{**one, "type": "text"} for one in content]
    return _made(role, content, message, where)


def _check_spelling(message: Mapping[str, Any], where: str) -> None:
    """Raise InvalidInput for a key that looks like a misspelt `role` or `sender_id`. If such a key
    were ignored, the words would be attributed to another person."""
    missing = [
        key
        for key, names in (("role", ("role",)), ("sender_id", _SENDERS))
        if not message.keys() & set(names)
    ]
    for key, value in message.items():
        near = get_close_matches(str(key), missing, n=1, cutoff=0.8)
        if near and isinstance(value, str | int):
            raise InvalidInput(f"{where}.{told(str(key))}: unknown key; did you mean {near[0]}?")


def _is_result(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "tool_result"


def _role_of(message: Mapping[str, Any]) -> object:
    """Return the role that a message names, or else the role that follows from its type or its
    ids."""
    kind = str(message.get("type", ""))
    if message.get("role") or _plain_role(kind) in (*ROLES, *NOT_SAID):
        return message.get("role") or kind
    is_own = message.get("self_id") is not None and message["self_id"] == message.get("user_id")
    return "tool" if kind == "function_call_output" else "assistant" if is_own else "user"


def _plain_role(role: str) -> str:
    """Return a role in lower case, without the ending of a streamed piece: `ai` for
    `AIMessageChunk`."""
    return role.removesuffix(_CHUNK).lower()


def _content_of(message: Mapping[str, Any]) -> object:
    """Return the content of a message, followed by parts for its attachments (images, audio,
    files)."""
    content = next((message[key] for key in _CONTENTS if message.get(key)), None)
    beside: list[dict[str, Any]] = [{"type": "image"}] if message.get("images") else []
    beside += [{"type": key} for key in _ATTACHED if message.get(key)]
    given = message.get("attachments")
    beside += [
        {"type": _medium_of(one)} for one in (given if isinstance(given, list | tuple) else ())
    ]
    if not content and message.get("caption"):
        beside.append({"type": "text", "text": str(message["caption"])})
    if isinstance(audio := message.get("audio"), Mapping):
        beside.append({**audio, "type": "audio"})
    return (
        content
        if not beside
        else [*(content if isinstance(content, list) else [content] if content else ()), *beside]
    )


def _medium_of(attachment: object) -> str:
    """Return the type of a Discord attachment: `image` for `image/png`, `file` if the type is
    unknown."""
    known = attachment.get("content_type") if isinstance(attachment, Mapping) else None
    return str(known).partition("/")[0] if known else "file"


def _made(role: object, content: object, known: Mapping[str, Any], where: str) -> Message | None:
    plain = _plain_role(role) if isinstance(role, str) else ""
    if plain in NOT_SAID:
        return None
    kind = ROLES.get(plain)
    if kind is None:
        raise InvalidInput(f"{where}.role: {role!r:.40} is not one of {', '.join(ROLES)}")
    if isinstance(content, str):
        content = content if kind != "tool" else content[: 2 * LONGEST_RESULT]
        check_size((content,), where)  # before the content is decoded
    sender = known.get("sender")
    known = {**sender, **known} if isinstance(sender, Mapping) else known
    name = clean_text(str(_first(known, _NAMES) or ""))
    try:
        text = words_of(content, kind, name)
        if author := forwarded_from(known):
            text = as_forwarded(text, author)
    except InvalidInput as error:
        raise InvalidInput(f"{where}.{error}") from None
    text = clean_text(text if kind != "tool" else text[: 2 * LONGEST_RESULT])
    check_size((text,), where)
    if not text:
        if content:
            level = (
                logging.WARNING if kind == "user" and not isinstance(content, str) else logging.INFO
            )
            log.log(level, "%s is not stored: it contains no text", where)
        return None
    at = _first(known, _TIMES)
    edited = _first(known, _EDITS)
    answered = _first(known, _REPLIES) or replied_id(content)
    if isinstance(answered, Mapping):
        answered = _first(answered, ("message_id", "id"))
    sender_id, message_id, reply_to = (
        given_id(value, f"{where}.{key}")
        for value, key in (
            (_first(known, _SENDERS), _SENDERS[0]),
            (_first(known, _IDS), _IDS[0]),
            (answered, _REPLIES[0]),
        )
    )
    return Message(
        kind,
        text,
        sender_id,
        name,
        message_id,
        check_timestamp(at) if at else "",
        reply_to,
        check_timestamp(edited) if edited else "",
        clean_tags(known.get("tags"), f"{where}.tags"),
        clean_metadata(known.get("metadata"), f"{where}.metadata"),
        known.get("expires_at"),
    )


def _first(known: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """Return the first value, in the order of `keys`, that is neither None nor ""; None if there is
    none."""
    return next((known[key] for key in keys if known.get(key) not in (None, "")), None)
