"""A turn: the message, its scope and sender, and the prompt for the model."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from historian import Scope
from nonebot import logger
from nonebot.adapters.onebot.v11 import (
    Bot,
    FriendRecallNoticeEvent,
    GroupMessageEvent,
    GroupRecallNoticeEvent,
    MessageEvent,
)
from nonebot.adapters.onebot.v11.exception import OneBotV11AdapterException

Language = Literal["zh", "en"]
Recall = GroupRecallNoticeEvent | FriendRecallNoticeEvent

CONVERSATIONS_KEPT = 1_000


@dataclass(frozen=True)
class Turn:
    """The input of an answer. `messages` are ready for a chat completion; the memory is among them
    as a user message.
    """

    text: str
    scope: Scope
    messages: list[dict[str, Any]]
    names: Mapping[str, str]
    """The bot's id and name, and the name of the group, as arguments of
    `CognitiveService.remember`."""
    message_id: str
    language: Language = "zh"
    reply_to: str = ""


@dataclass(frozen=True)
class Said:
    """One message of the history. A message of the bot has no `user_id` and no `message_id`."""

    text: str
    user_id: str
    name: str
    at: str
    message_id: str = ""


@dataclass
class History:
    """The last messages of each conversation. They are only held in memory."""

    length: int
    _said: OrderedDict[str, deque[Said]] = field(default_factory=OrderedDict)

    def add(self, scope: Scope, said: Said) -> None:
        messages = self._said.setdefault(scope.key, deque(maxlen=self.length))
        self._said.move_to_end(scope.key)
        messages.append(said)
        if len(self._said) > CONVERSATIONS_KEPT:
            self._said.popitem(last=False)

    def of(self, scope: Scope) -> list[Said]:
        return list(self._said.get(scope.key, ()))

    def withdraw(self, scope: Scope, message_id: str) -> None:
        """Remove a message of a conversation."""
        kept = (said for said in self._said.get(scope.key, ()) if said.message_id != message_id)
        self._said[scope.key] = deque(kept, maxlen=self.length)

    def forget(self, user_id: str) -> None:
        """Remove the messages of a person in all conversations, and the messages of the bot in the
        private chat with that person.
        """
        self._said.pop(Scope.private(user_id).key, None)
        for key, messages in self._said.items():
            self._said[key] = deque(
                (said for said in messages if said.user_id != user_id), maxlen=self.length
            )


def scope_of(event: MessageEvent | Recall) -> Scope:
    """Return the scope of an event: the group, or the private chat."""
    if isinstance(event, GroupMessageEvent | GroupRecallNoticeEvent):
        return Scope.group(event.group_id, event.user_id)
    return Scope.private(event.user_id)


def name_of(event: MessageEvent) -> str:
    return event.sender.card or event.sender.nickname or str(event.user_id)


def time_of(event: MessageEvent) -> str:
    return datetime.fromtimestamp(event.time, UTC).isoformat()


def message_id_of(event: MessageEvent | Recall) -> str:
    """Return an id that does not change when the event is delivered again. The notice of a recalled
    message gives the same id.
    """
    return f"onebot-{event.self_id}-{event.message_id}"


def reply_to_of(event: MessageEvent) -> str:
    """Return the id of the message that a message answers; "" if it answers none."""
    return f"onebot-{event.self_id}-{event.reply.message_id}" if event.reply else ""


async def names_of(bot: Bot, event: MessageEvent, bot_name: str) -> dict[str, str]:
    """Return the bot's id, and the names with which the historian replaces "I" and "here"."""
    names = {"bot_id": str(event.self_id), "bot_name": bot_name}
    if isinstance(event, GroupMessageEvent):
        names["group_name"] = await group_name_of(bot, event.group_id)
    return {name: value for name, value in names.items() if value}


_group_names: dict[int, str] = {}


async def group_name_of(bot: Bot, group_id: int) -> str:
    """Return the name of the group, which is requested only once; "" if the client fails."""
    if group_id not in _group_names:
        try:
            _group_names[group_id] = str(
                (await bot.get_group_info(group_id=group_id)).get("group_name") or ""
            )
        except OneBotV11AdapterException as error:
            logger.warning(f"the name of group {group_id} is not known: {error}")
            return ""
    return _group_names[group_id]


def as_messages(
    system: str, history: list[Said], recalled: list[dict[str, str]], said: Said
) -> list[dict[str, Any]]:
    """Return the prompt: system, history, memory, the current message. In groups each message names
    its speaker.
    """
    spoken = [
        {"role": "user", "content": f"{one.name}: {one.text}"}
        if one.user_id
        else {"role": "assistant", "content": one.text}
        for one in history
    ]
    return [
        {"role": "system", "content": system},
        *spoken,
        *recalled,
        {"role": "user", "content": f"{said.name}: {said.text}"},
    ]
