"""The common part of the Telegram bot and the Discord bot: turns with memory, the commands `profile` and `forgetme`.

A platform gives a `Heard` for every message and a function that sends a text to where it came from; `RememberingBot.hear` does
the rest. The graph of a turn is the terminal bot's.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from historian import CognitiveService, HistorianError, Profile, Scope, system_prompt_text
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from terminal_bot import Language, build_agent

log = logging.getLogger("remembering_bot")

CONVERSATIONS_KEPT = 1_000
MESSAGES_KEPT = 20

PRIVATE = {
    "zh": "你是{bot}，在{platform}上和{user}私聊。回答简短、自然。先回复，然后调用 end 结束这一轮。\n\n",
    "en": "You are {bot}, chatting with {user} in private on {platform}. Answer briefly and naturally. "
    "Reply first, then call end.\n\n",
}
GROUP = {
    "zh": "你是{bot}，在{platform}群“{group}”里。现在和你说话的是{user}。回答简短、自然。先回复，然后调用 end 结束这一轮。\n\n",
    "en": "You are {bot}, in the {platform} group {group}. It is {user} who speaks to you now. Answer briefly and naturally. "
    "Reply first, then call end.\n\n",
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
    "being_forgotten": {"zh": "已开始删除，稍后完成。", "en": "It is being deleted; that takes a while yet."},
    "not_forgotten": {"zh": "没能全部删掉，请联系管理员。", "en": "Not everything could be deleted; please ask the operator."},
    "no_answer": {"zh": "现在回答不了，请稍后再试。", "en": "I cannot answer at the moment; please try again later."},
}
COMMANDS = {"start", "help", "profile", "forgetme"}
YES = {"确认", "确定", "是", "yes", "y"}
THE_GROUP = {"group", "群", "本群"}

Say = Callable[[str], Awaitable[None]]
"""Sends a text to where a message came from."""


@dataclass(frozen=True)
class Heard:
    """One message. Ids carry the platform's prefix (`tg:42`); `request_id` is the same whenever it is delivered again.

    `command` is the name without its mark, and `text` then its argument. In groups, what is not `to_bot` is only observed.
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

    @property
    def scope(self) -> Scope:
        return Scope.group(self.group_id, self.user_id) if self.group_id else Scope.private(self.user_id)


@dataclass(frozen=True)
class Said:
    """One message of the history. `user_id` is who said it, or for the bot's own, to whom."""

    text: str
    user_id: str
    name: str
    at: str
    by_bot: bool = False


@dataclass
class History:
    """The last messages of each conversation, in memory only."""

    _said: OrderedDict[str, deque[Said]] = field(default_factory=OrderedDict)

    def add(self, scope: Scope, said: Said) -> None:
        self._said.setdefault(scope.key, deque(maxlen=MESSAGES_KEPT)).append(said)
        self._said.move_to_end(scope.key)
        if len(self._said) > CONVERSATIONS_KEPT:
            self._said.popitem(last=False)

    def of(self, scope: Scope) -> list[Said]:
        return list(self._said.get(scope.key, ()))

    def forget(self, user_id: str) -> None:
        """Remove what somebody said anywhere, and what the bot said to them."""
        for key, messages in self._said.items():
            self._said[key] = deque((said for said in messages if said.user_id != user_id), maxlen=MESSAGES_KEPT)


@dataclass
class RememberingBot:
    """A bot over one memory and one model. `mark` begins a command: "/" on Telegram."""

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
        """Handle one message, after the earlier ones of its conversation. A failure to send is logged."""

        async def send(text: str) -> None:
            try:
                await say(text)
            except Exception as error:
                # The turn is handed over after any error of the platform's client.
                log.error("a message could not be sent: %s", error)

        lock = self._locks.setdefault(heard.scope.key, asyncio.Lock())
        async with lock:
            if heard.command:
                await send(await self._carried_out(heard))
            elif heard.to_bot:
                await self._take_turn(heard, send)
            else:
                await self._remember(heard)
                self.history.add(heard.scope, Said(heard.text, heard.user_id, heard.user_name, heard.at))

    async def _remember(self, heard: Heard, replies: Sequence[str] = ()) -> None:
        """Hand a message over as it is, with what was replied: the historian chooses what of it is worth remembering."""
        who = {"sender_id": heard.user_id, "name": heard.user_name, "id": heard.request_id, "at": heard.at}
        talk = [{"role": "user", "content": heard.text, **who}, *(("assistant", text) for text in replies)]
        try:
            await self.memory.remember(
                talk, heard.scope, bot_id=self.bot_id, bot_name=self.name, group_name=heard.group_name or None
            )
        except HistorianError as error:
            log.error("a message is not remembered: %s", error)

    async def _take_turn(self, heard: Heard, send: Say) -> None:
        """Recall, reply, and only then hand the turn over."""
        before = self.history.of(heard.scope)
        said = Said(heard.text, heard.user_id, heard.user_name, heard.at)
        conversation = self._conversation(heard, [*before, said])
        system = self._persona(heard) + system_prompt_text(self.language)
        agent = build_agent(self.memory, self.model, heard.scope, conversation, system, self.language)
        asked: dict[str, Any] = {"messages": [*as_messages(before), HumanMessage(heard.text)], "request_id": heard.request_id}
        config: RunnableConfig = {"configurable": {"thread_id": heard.scope.key}}
        replies: list[str] = []
        try:
            async for update in agent.astream(asked, config, stream_mode="updates"):
                for message in (update.get("reply") or {}).get("messages", ()):
                    if text := message.text.strip():
                        replies.append(text)
                        await send(text)
        except Exception as error:
            # After any error of the model's client the user gets an answer, and the error is logged.
            log.error("the model cannot be asked: %s", error)
            if not replies:
                await send(self._word("no_answer"))
                return
            await self._remember(heard, replies)  # the model failed before it could say what is to be remembered
        self.history.add(heard.scope, said)
        for text in replies:
            self.history.add(heard.scope, Said(text, heard.user_id, self.name, heard.at, by_bot=True))

    def _conversation(self, heard: Heard, recent: Sequence[Said]) -> dict[str, Any]:
        """The job's fields: who talks, where, and what was said lately. This message is among that: it shows who "he" is."""
        return {
            "request_id": heard.request_id,
            "request_type": heard.scope.request_type,
            "user_id": heard.user_id,
            "user_name": heard.user_name,
            "group_id": heard.group_id,
            "group_name": heard.group_name,
            "bot_id": self.bot_id,
            "bot_name": self.name,
            "timestamp": heard.at,
            "recent_messages": [
                {
                    "sender_id": self.bot_id if said.by_bot else said.user_id,
                    "sender_name": said.name,
                    "text": said.text,
                    "at": said.at,
                }
                for said in recent
            ],
        }

    def _persona(self, heard: Heard) -> str:
        persona = (GROUP if heard.group_id else PRIVATE)[self.language]
        return persona.format(bot=self.name, platform=self.platform, user=heard.user_name, group=heard.group_name)

    async def _carried_out(self, heard: Heard) -> str:
        argument = heard.text.strip().lower()
        if heard.command == "profile":
            return await self._profile(heard.scope, argument in THE_GROUP)
        if heard.command == "forgetme":
            return await self._forget(heard.user_id) if argument in YES else self._word("really")
        return self._word("help")

    async def _profile(self, scope: Scope, of_group: bool) -> str:
        """Return the profile of the sender, or of this group, as far as this conversation may see it."""
        if of_group and not scope.group_id:
            return self._word("not_in_group")
        if of_group:
            found = await self.memory.get_profile("group", scope.group_id, scope)
        else:
            found = await self.memory.get_profile("user", scope.user_id, scope)
        return self._word("no_profile") if found is None else shown(found, self.language)

    async def _forget(self, user_id: str) -> str:
        """Forget everything of the sender, in every conversation."""
        self.history.forget(user_id)
        try:
            report = await self.memory.forget_user(user_id)
        except HistorianError as error:
            log.error("%s could not be forgotten: %s", user_id, error)
            return self._word("not_forgotten")
        if report.done and not report.clean:
            log.error("traces of %s are left: %s %s", user_id, report.left, report.unread)
        return self._word("forgotten" if report.clean else "not_forgotten" if report.done else "being_forgotten")

    def _word(self, what: str) -> str:
        return WORDS[what][self.language].format(mark=self.mark)


def as_messages(history: Sequence[Said]) -> list[AnyMessage]:
    """Return the history for the model, with the names of the speakers."""
    return [AIMessage(said.text) if said.by_bot else HumanMessage(f"{said.name}: {said.text}") for said in history]


def shown(profile: Profile, language: Language) -> str:
    """Return a profile as a chat message."""
    tags = ("、" if language == "zh" else ", ").join(profile.tags)
    head = profile.name or profile.key.entity_id
    return "\n".join(line for line in (f"【{head}】" if language == "zh" else f"[{head}]", tags, profile.summary) if line)


def pieces(text: str, longest: int) -> list[str]:
    """Return the text, cut to `longest` UTF-16 code units, in which Telegram counts."""
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
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler], force=True)
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
