"""The common part of the Telegram bot and the Discord bot: turns with memory, the commands
`profile` and `forgetme`.

A platform passes a `Heard` for every message, and a function that sends a text to the conversation
of that message. `RememberingBot.hear` does the rest; `withdraw` is called for deleted messages.
Every message is handed over unchanged (`remember`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from weakref import WeakValueDictionary

from heard_messages import Heard, History, Said, said_in
from historian import (
    CognitiveService,
    HistorianError,
    Profile,
    Scope,
    handle_memory_call,
    memory_tool_schemas,
)
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

log = logging.getLogger("remembering_bot")

Language = Literal["zh", "en"]

INTERRUPTED = 130
ROUNDS = 6
"""The maximum number of model calls in a turn; a model that only calls tools is stopped."""

PRIVATE = {
    "zh": "你是{bot}，在{platform}上和{user}私聊。回答简短、自然。",
    "en": "You are {bot}, chatting with {user} in private on {platform}. Answer briefly and naturally.",
}
GROUP = {
    "zh": "你是{bot}，在{platform}群“{group}”里。现在和你说话的是{user}。回答简短、自然。",
    "en": "You are {bot}, in the {platform} group {group}. It is {user} who speaks to you now. Answer briefly and naturally.",
}
WORDS = {
    "help": {
        "zh": "和我聊天，我会记得。{mark}profile 看看我记得你什么，{mark}forgetme 让我忘记你。",
        "en": "Talk to me, and I will remember. {mark}profile shows what I know of you, {mark}forgetme makes me forget you.",
    },
    "no_profile": {"zh": "我还没有记下什么。", "en": "I have no notes yet."},
    "not_in_group": {"zh": "这里不是群聊。", "en": "This is no group."},
    "really": {
        "zh": "将删除我记得的关于你的一切，无法恢复。确定的话，请发送：{mark}forgetme 确认",
        "en": "I will delete everything I remember of you, for good. If you are sure, send: {mark}forgetme yes",
    },
    "forgotten": {"zh": "已经忘记了。", "en": "Forgotten."},
    "being_forgotten": {
        "zh": "已开始删除，稍后完成。",
        "en": "It is being deleted; that takes a while yet.",
    },
    "not_forgotten": {
        "zh": "没能全部删掉，请联系管理员。",
        "en": "Not everything could be deleted; please ask the operator.",
    },
    "no_answer": {
        "zh": "现在回答不了，请稍后再试。",
        "en": "I cannot answer at the moment; please try again later.",
    },
}
COMMANDS = {"start", "help", "profile", "forgetme"}
YES = {"确认", "确定", "是", "yes", "y"}
THE_GROUP = {"group", "群", "本群"}

Say = Callable[[str], Awaitable[None]]
"""Sends a text to the conversation of a message."""


@dataclass
class RememberingBot:
    """A bot with one memory and one model. `mark` is the first character of a command: "/" on
    Telegram.
    """

    memory: CognitiveService
    model: BaseChatModel
    platform: str
    name: str
    bot_id: str
    language: Language = "zh"
    mark: str = "/"
    history: History = field(default_factory=History)
    _locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def hear(self, heard: Heard, say: Say) -> None:
        """Handle one message, after the earlier ones of its conversation. A failure to send is
        logged.
        """

        async def send(text: str) -> None:
            try:
                await say(text)
            except Exception as error:
                # The turn is handed over even after an error of the platform's client.
                log.error("a message could not be sent: %s", error)

        lock = self._locks.setdefault(heard.scope.key, asyncio.Lock())
        async with lock:
            if heard.edited:
                await self._take_edit(heard)
            elif heard.command:
                await send(await self._carried_out(heard))
            elif heard.to_bot:
                await self._take_turn(heard, send)
            else:
                await self._remember(heard)
                self.history.add(heard.scope, said_in(heard))

    async def withdraw(self, scope: Scope, message_ids: Sequence[str]) -> None:
        """Remove deleted messages, given by their `request_id`, from memory and from the
        history.
        """
        async with self._locks.setdefault(scope.key, asyncio.Lock()):
            self.history.withdraw(scope, message_ids)
            try:
                await self.memory.forget_message(message_ids, scope)
            except HistorianError as error:
                log.error("a message is not withdrawn: %s", error)

    async def _take_edit(self, heard: Heard) -> None:
        if not heard.command:
            self.history.edit(heard)
            await self._remember(heard)

    async def _remember(self, heard: Heard, replies: Sequence[str] = ()) -> None:
        """Hand a message over unchanged, together with the replies."""
        who = {
            "sender_id": heard.user_id,
            "name": heard.user_name,
            "id": heard.request_id,
            "at": heard.at,
        }
        talk = [{"role": "user", "content": heard.text, "reply_to": heard.reply_to, **who}]
        for number, text in enumerate(replies):
            own = {
                "id": f"{heard.request_id}:{number}",
                "reply_to": heard.request_id,
                "at": heard.at,
            }
            talk.append({"role": "assistant", "content": text, **own})
        try:
            await self.memory.remember(
                talk,
                heard.scope,
                bot_id=self.bot_id,
                bot_name=self.name,
                group_name=heard.group_name or None,
            )
        except HistorianError as error:
            log.error("a message is not remembered: %s", error)

    async def _take_turn(self, heard: Heard, send: Say) -> None:
        """Recall, reply, and only then hand the turn over."""
        before = self.history.of(heard.scope)
        replies: list[str] = []
        try:
            async for text in self._replies(heard, before):
                replies.append(text)
                await send(text)
        except Exception as error:
            # After any error of the model's client the user gets an answer, and the error is logged.
            log.error("the model cannot be asked: %s", error)
            if not replies:
                await send(self._word("no_answer"))
        await self._remember(heard, replies)
        self.history.add(heard.scope, said_in(heard))
        for text in replies:
            self.history.add(
                heard.scope, Said(text, heard.user_id, self.name, heard.at, by_bot=True)
            )

    async def _replies(self, heard: Heard, before: Sequence[Said]) -> AsyncIterator[str]:
        """Yield the texts with which the model answers a message and the recalled block. The model
        may call tools in between.
        """
        context = [said.text for said in before[-3:] if not said.by_bot]
        recalled = await self.memory.build_messages(
            heard.text, heard.scope, language=self.language, context=context
        )
        may = {
            "may_correct": not heard.group_id
        }  # in a group, anybody could otherwise delete messages of others
        model = self.model.bind_tools(memory_tool_schemas(self.language, **may))
        messages: list[Any] = [
            SystemMessage(self._persona(heard)),
            *as_messages(before),
            *recalled,
            HumanMessage(heard.text),
        ]
        for _ in range(ROUNDS):
            answer = await model.ainvoke(messages)
            if text := answer.text.strip():
                yield text
            if not answer.tool_calls:
                return
            messages.append(answer)
            for call in answer.tool_calls:
                asked = call["name"], call["args"], heard.scope
                found = await handle_memory_call(self.memory, *asked, language=self.language, **may)
                messages.append(ToolMessage(found, tool_call_id=call["id"]))

    def _persona(self, heard: Heard) -> str:
        persona = (GROUP if heard.group_id else PRIVATE)[self.language]
        return persona.format(
            bot=self.name, platform=self.platform, user=heard.user_name, group=heard.group_name
        )

    async def _carried_out(self, heard: Heard) -> str:
        argument = heard.text.strip().lower()
        if heard.command == "profile":
            return await self._profile(heard.scope, argument in THE_GROUP)
        if heard.command == "forgetme":
            return await self._forget(heard.user_id) if argument in YES else self._word("really")
        return self._word("help")

    async def _profile(self, scope: Scope, of_group: bool) -> str:
        """Return the profile of the sender, or of this group, as far as this conversation may read
        it.
        """
        if of_group and not scope.group_id:
            return self._word("not_in_group")
        if of_group:
            found = await self.memory.get_profile("group", scope.group_id, scope)
        else:
            found = await self.memory.get_profile("user", scope.user_id, scope)
        return self._word("no_profile") if found is None else shown(found, self.language)

    async def _forget(self, user_id: str) -> str:
        """Forget everything of the sender in every conversation, and what others and the bot said
        of them by name.
        """
        self.history.forget(user_id)
        try:
            report = await self.memory.forget_user(user_id, mentions=True)
        except HistorianError as error:
            log.error("%s could not be forgotten: %s", user_id, error)
            return self._word("not_forgotten")
        if report.done and not report.clean:
            log.error("traces of %s are left: %s %s", user_id, report.left, report.unread)
        return self._word(
            "forgotten" if report.clean else "not_forgotten" if report.done else "being_forgotten"
        )

    def _word(self, what: str) -> str:
        return WORDS[what][self.language].format(mark=self.mark)


def as_messages(history: Sequence[Said]) -> list[AnyMessage]:
    """Return the history for the model, with the names of the speakers."""
    return [
        AIMessage(said.text) if said.by_bot else HumanMessage(f"{said.name}: {said.text}")
        for said in history
    ]


def shown(profile: Profile, language: Language) -> str:
    """Return a profile as a chat message."""
    tags = ("、" if language == "zh" else ", ").join(profile.tags)
    head = profile.name or profile.key.entity_id
    return "\n".join(
        line
        for line in (f"【{head}】" if language == "zh" else f"[{head}]", tags, profile.summary)
        if line
    )


def pieces(text: str, longest: int) -> list[str]:
    """Return the text in pieces of at most `longest` UTF-16 code units, the unit in which Telegram
    counts.
    """
    found, units = [""], 0
    for character in text:
        width = 2 if ord(character) > 0xFFFF else 1
        if units + width > longest:
            found.append("")
            units = 0
        found[-1] += character
        units += width
    return [piece for piece in found if piece.strip()]


class WithoutToken(logging.Formatter):
    """Replaces the token in log lines and tracebacks, because logged addresses contain it."""

    def __init__(self, token: str) -> None:
        super().__init__("%(levelname)s: %(message)s")
        self._token = token

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace(self._token, "***")


def log_without(token: str, *, verbose: bool) -> None:
    """Log to stderr. httpx and httpcore, which log every address, log warnings and errors only."""
    handler = logging.StreamHandler()
    handler.setFormatter(WithoutToken(token))
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING, handlers=[handler], force=True
    )
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
