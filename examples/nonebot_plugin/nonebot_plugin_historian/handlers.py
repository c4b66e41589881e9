"""The start and stop of the plugin, and its four handlers: chat, `/profile`, `/forgetme`, recalled
messages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from historian import CognitiveService, HistorianError
from nonebot import get_driver, get_plugin_config, logger, on_command, on_message, on_notice
from nonebot.adapters import Message
from nonebot.adapters.onebot.v11 import Bot, MessageEvent
from nonebot.params import CommandArg
from nonebot.rule import Rule, to_me

from .config import Config
from .turns import (
    History,
    Recall,
    Said,
    Turn,
    as_messages,
    message_id_of,
    name_of,
    names_of,
    reply_to_of,
    scope_of,
    time_of,
)
from .words import YES, say, shown

AnswerFunction = Callable[[Turn], Awaitable[str]]

driver = get_driver()
config = get_plugin_config(Config)
language = config.historian_language
memory = CognitiveService.open(config.historian_config)
history = History(config.historian_history)


def configured() -> AnswerFunction | None:
    """Return the model of `models.chat`; None if there is none."""
    if not memory.settings.models.chat.model:
        return None
    from .answering import (
        ModelAnswer,
    )  # slow to import, and not needed if your own function answers

    return ModelAnswer(memory)


_answer: AnswerFunction | None = configured()


def use_answer(function: AnswerFunction) -> AnswerFunction:
    """Use `function` to answer in place of the configured model. Usable as a decorator."""
    global _answer
    _answer = function
    return function


@driver.on_startup
async def open_memory() -> None:
    await memory.start()
    await memory.ready()
    if _answer is None:
        logger.warning(
            "Historian answers nothing: set models.chat in config.toml, or give a function to use_answer"
        )


@driver.on_shutdown
async def close_memory() -> None:
    await memory.aclose()


async def can_answer(event: MessageEvent) -> bool:
    return _answer is not None and bool(event.get_plaintext().strip())


chat = on_message(rule=to_me() & Rule(can_answer), priority=50, block=True)
profile = on_command("profile", aliases={"画像"}, priority=10, block=True)
forget = on_command("forgetme", aliases={"忘记我"}, priority=10, block=True)
recall = on_notice(priority=50, block=False)


@chat.handle()
async def answer_and_remember(bot: Bot, event: MessageEvent) -> None:
    """Recall, answer, send, and only then hand the turn over."""
    assert _answer is not None
    scope, bot_name = (
        scope_of(event),
        memory.settings.cognitive.bot_name or next(iter(driver.config.nickname), ""),
    )
    before = history.of(scope)
    said = Said(
        event.get_plaintext().strip(),
        str(event.user_id),
        name_of(event),
        time_of(event),
        message_id_of(event),
    )
    recalled = await memory.build_messages(
        said.text, scope, language=language, context=[one.text for one in before[-3:]]
    )
    names = await names_of(bot, event, bot_name)
    turn = Turn(
        said.text,
        scope,
        as_messages(config.persona(bot_name or "小史"), before, recalled, said),
        names,
        said.message_id,
        language,
        reply_to_of(event),
    )
    try:
        answered = await _answer(turn)
    except Exception as error:
        # After any error of the model or the author's function the user gets an answer, and the error is logged.
        logger.opt(exception=error).error("no answer could be made")
        await chat.finish(say("no_answer", language))
    history.add(scope, said)
    if answered:
        await chat.send(answered)
        history.add(scope, Said(answered, "", bot_name, time_of(event)))
    await remember(turn, said, answered)


async def remember(turn: Turn, said: Said, replied: str) -> None:
    """Hand the exchange over unchanged. The reply has already been sent, so errors are only
    logged.
    """
    sender = {
        "sender_id": said.user_id,
        "name": said.name,
        "id": turn.message_id,
        "reply_to": turn.reply_to,
        "at": said.at,
    }
    talk: list[dict[str, str]] = [{"role": "user", "content": said.text, **sender}]
    if replied:
        own = {"id": f"{turn.message_id}-reply", "reply_to": turn.message_id, "at": said.at}
        talk.append({"role": "assistant", "content": replied, **own})
    try:
        await memory.remember(talk, turn.scope, **turn.names)
    except HistorianError as error:
        logger.error(f"the turn is not remembered: {error}")


@recall.handle()
async def withdraw(event: Recall) -> None:
    """Remove a recalled message from the history and from memory."""
    history.withdraw(scope_of(event), message_id_of(event))
    try:
        await memory.forget_message(message_id_of(event), scope_of(event))
    except HistorianError as error:
        logger.error(f"a recalled message is not withdrawn: {error}")


@profile.handle()
async def show_profile(event: MessageEvent, argument: Annotated[Message, CommandArg()]) -> None:
    """Send the profile of the sender, or with `group` of this group, as far as this conversation
    may read it.
    """
    scope = scope_of(event)
    wants_group = argument.extract_plain_text().strip().lower() in {"group", "群", "本群"}
    if wants_group and not scope.group_id:
        await profile.finish(say("not_in_group", language))
    found = await memory.get_profile(
        "group" if wants_group else "user", scope.group_id if wants_group else scope.user_id, scope
    )
    await profile.finish(
        shown(found, language) if found is not None else say("no_profile", language)
    )


@forget.handle()
async def forget_me(event: MessageEvent, argument: Annotated[Message, CommandArg()]) -> None:
    """Forget the sender if the argument confirms it: all their messages and records in every
    conversation, and what others said of them by name.
    """
    user_id = str(event.user_id)
    if argument.extract_plain_text().strip().lower() not in YES:
        await forget.finish(say("really", language))
    history.forget(user_id)
    try:
        report = await memory.forget_user(user_id, mentions=True)
    except HistorianError as error:
        logger.error(f"{user_id} could not be forgotten: {error}")
        await forget.finish(say("not_forgotten", language))
    if report.done and not report.clean:
        logger.error(f"traces of {user_id} are left: {report.left} {report.unread}")
    await forget.finish(
        say(
            "forgotten" if report.clean else "not_forgotten" if report.done else "being_forgotten",
            language,
        )
    )
