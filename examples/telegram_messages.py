"""Messages of Telegram as `Heard`, for the Telegram bot: who speaks, to whom, and which command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from heard_messages import Heard
from remembering_bot import COMMANDS


def heard_of(
    message: Mapping[str, Any], me: Mapping[str, Any], *, edited: bool = False
) -> Heard | None:
    """Return a message as it is passed to the bot `me` (an answer of getMe); None for messages of
    bots, service messages, and commands to other bots.
    """
    sender, chat = message.get("from") or {}, message["chat"]
    text = message.get("text") or message.get("caption") or ""
    if not sender or sender.get("is_bot") or not text.strip():
        return None
    entities = message.get("entities") or message.get("caption_entities") or []
    is_group = chat["type"] != "private"
    mentions = [one for one in entities if is_mention(text, one, me)]
    replied_to = message.get("reply_to_message") or {}
    to_bot = not is_group or bool(mentions) or (replied_to.get("from") or {}).get("id") == me["id"]
    command, said = command_of(text, entities, me)
    if command is None or (command not in COMMANDS and command and is_group):
        return None
    if command not in COMMANDS:
        command, said = "", without(text, mentions) or text.strip()
    name = " ".join(part for part in (sender.get("first_name"), sender.get("last_name")) if part)
    return Heard(
        text=said,
        user_id=f"tg:{sender['id']}",
        user_name=name or sender.get("username") or str(sender["id"]),
        request_id=id_of(message["message_id"], chat, me),
        at=datetime.fromtimestamp(message["date"], UTC).isoformat(),
        group_id=f"tg:{chat['id']}" if is_group else "",
        group_name=chat.get("title") or "" if is_group else "",
        to_bot=to_bot,
        command=command,
        reply_to=id_of(replied_to["message_id"], chat, me) if replied_to else "",
        edited=edited,
    )


def id_of(message_id: int, chat: Mapping[str, Any], me: Mapping[str, Any]) -> str:
    return f"telegram:{me['id']}:{chat['id']}:{message_id}"


def command_of(
    text: str, entities: Sequence[Mapping[str, Any]], me: Mapping[str, Any]
) -> tuple[str | None, str]:
    """Return the name and argument of a command; "" if there is no command, None for a command to
    another bot.
    """
    first = next(
        (one for one in entities if one["type"] == "bot_command" and one["offset"] == 0), None
    )
    if first is None:
        return "", ""
    written = part(text, first)
    name, _, addressee = written[1:].partition("@")
    if addressee and addressee.lower() != str(me.get("username", "")).lower():
        return None, ""
    return name.lower(), text[len(written) :].strip()


def is_mention(text: str, entity: Mapping[str, Any], me: Mapping[str, Any]) -> bool:
    if entity["type"] == "text_mention":
        return bool(entity["user"]["id"] == me["id"])
    return (
        entity["type"] == "mention"
        and part(text, entity).lower() == f"@{me.get('username', '')}".lower()
    )


def part(text: str, entity: Mapping[str, Any]) -> str:
    """Return the text of an entity; Telegram counts in UTF-16 code units."""
    units = text.encode("utf-16-le", "surrogatepass")
    return units[2 * entity["offset"] : 2 * (entity["offset"] + entity["length"])].decode(
        "utf-16-le", "replace"
    )


def without(text: str, entities: Sequence[Mapping[str, Any]]) -> str:
    """Return the text without the entities."""
    units, kept, place = text.encode("utf-16-le", "surrogatepass"), [], 0
    for one in entities:
        kept.append(units[place : 2 * one["offset"]])
        place = 2 * (one["offset"] + one["length"])
    kept.append(units[place:])
    return " ".join(filter(None, (piece.decode("utf-16-le", "replace").strip() for piece in kept)))


def message_in(update: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the new or edited message of an update; {} for other kinds of updates."""
    message: Mapping[str, Any] = update.get("message") or update.get("edited_message") or {}
    return message
