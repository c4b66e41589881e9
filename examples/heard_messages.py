"""Messages that a bot has heard, and the last ones of each conversation."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from historian import Scope

CONVERSATIONS_KEPT = 1_000
MESSAGES_KEPT = 20


@dataclass(frozen=True)
class Heard:
    """One message. Ids have the prefix of the platform (`tg:42`). `request_id` does not change when
    the message is delivered again.

    `command` is the name of a command without its mark; `text` is then its argument. In groups, a
    message without `to_bot` is only observed. `reply_to` is the `request_id` of the message that it
    answers. `edited` marks a known message with a new text: it replaces the earlier version and is
    not answered.
    """

    text: str
    user_id: str
    user_name: str
    request_id: str
    at: str
    group_id: str = ""
    group_name: str = ""
    to_bot: bool = True
    command: str = ""
    reply_to: str = ""
    edited: bool = False

    @property
    def scope(self) -> Scope:
        return (
            Scope.group(self.group_id, self.user_id)
            if self.group_id
            else Scope.private(self.user_id)
        )


@dataclass(frozen=True)
class Said:
    """One message of the history. `user_id` is the speaker, or for a message of the bot the person
    addressed; `message_id` is the `request_id` of the message.
    """

    text: str
    user_id: str
    name: str
    at: str
    by_bot: bool = False
    message_id: str = ""


@dataclass
class History:
    """The last messages of each conversation. They are only held in memory."""

    _said: OrderedDict[str, deque[Said]] = field(default_factory=OrderedDict)

    def add(self, scope: Scope, said: Said) -> None:
        self._said.setdefault(scope.key, deque(maxlen=MESSAGES_KEPT)).append(said)
        self._said.move_to_end(scope.key)
        if len(self._said) > CONVERSATIONS_KEPT:
            self._said.popitem(last=False)

    def of(self, scope: Scope) -> list[Said]:
        return list(self._said.get(scope.key, ()))

    def edit(self, heard: Heard) -> None:
        """Replace the text of a message by its edited text."""
        messages = self._said.get(heard.scope.key, deque())
        for place, said in enumerate(messages):
            if said.message_id == heard.request_id:
                messages[place] = replace(said, text=heard.text)

    def withdraw(self, scope: Scope, message_ids: Sequence[str]) -> None:
        """Remove messages of a conversation."""
        kept = (
            said for said in self._said.get(scope.key, ()) if said.message_id not in message_ids
        )
        self._said[scope.key] = deque(kept, maxlen=MESSAGES_KEPT)

    def forget(self, user_id: str) -> None:
        """Remove the messages of a person in all conversations, and the messages of the bot to that
        person.
        """
        for key, messages in self._said.items():
            self._said[key] = deque(
                (said for said in messages if said.user_id != user_id), maxlen=MESSAGES_KEPT
            )


def said_in(heard: Heard) -> Said:
    return Said(heard.text, heard.user_id, heard.user_name, heard.at, message_id=heard.request_id)
