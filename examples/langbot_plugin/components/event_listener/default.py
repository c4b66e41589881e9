"""Handlers of three events of a turn: a message arrives, its prompt is built, the reply has been
sent.
"""

from collections import OrderedDict
from dataclasses import dataclass

from langbot_plugin.api.definition.components.common.event_listener import EventListener
from langbot_plugin.api.entities import events
from langbot_plugin.api.entities.builtin.platform.message import Quote
from langbot_plugin.api.entities.builtin.provider.message import Message
from langbot_plugin.api.entities.context import EventContext

TURNS_KEPT = 1_000


@dataclass(frozen=True)
class Turn:
    """The words and the speaker of a message, and the conversation as the API expects it."""

    text: str
    user_id: str
    name: str
    scope: str
    message_id: str
    at: float | None
    """Seconds since 1970, if the platform reports the time."""
    reply_to: str
    """The id of the message that it answers; "" if it answers none."""


class Memory(EventListener):
    def __init__(self) -> None:
        super().__init__()
        self.turns: OrderedDict[int, Turn] = OrderedDict()

    async def initialize(self) -> None:
        await super().initialize()
        self.handler(events.PersonMessageReceived)(self.hear)
        self.handler(events.GroupMessageReceived)(self.hear)
        self.handler(events.PromptPreProcessing)(self.recall)
        self.handler(events.NormalMessageResponded)(self.remember)

    async def hear(self, context: EventContext) -> None:
        """Store the message until its turn ends."""
        event = context.event
        user_id, message = str(event.sender_id), event.message_event
        scope = (
            f"group:{event.launcher_id}" if event.launcher_type == "group" else f"user:{user_id}"
        )
        message_id = (
            f"{scope}:{event.message_chain.message_id}"
            if event.message_chain.message_id not in (None, -1, "")
            else ""
        )
        name, at = message.sender.get_name(), getattr(message, "time", None)
        quoted = next((one.id for one in event.message_chain if isinstance(one, Quote)), None)
        reply_to = f"{scope}:{quoted}" if quoted not in (None, -1, "") else ""
        self.turns[context.query_id] = Turn(
            str(event.message_chain), user_id, name, scope, message_id, at, reply_to
        )
        if len(self.turns) > TURNS_KEPT:
            self.turns.popitem(last=False)

    async def recall(self, context: EventContext) -> None:
        """Put the recalled block after the history, before the message."""
        if turn := self.turns.get(context.query_id):
            found = await self.plugin.ask(
                "/context", scope=turn.scope, user_id=turn.user_id, query=turn.text
            )
            if block := found.get("context"):
                context.event.prompt.append(Message(role="user", content=block))

    async def remember(self, context: EventContext) -> None:
        """Hand the messages of the turn over unchanged."""
        if turn := self.turns.pop(context.query_id, None):
            who = {
                "sender_id": turn.user_id,
                "name": turn.name,
                "id": turn.message_id,
                "at": turn.at,
                "reply_to": turn.reply_to,
            }
            talk = [{"role": "user", "content": turn.text, **who}]
            talk.append({"role": "assistant", "content": context.event.response_text})
            await self.plugin.ask(
                "/remember", scope=turn.scope, user_id=turn.user_id, messages=talk
            )
