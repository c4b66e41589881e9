"""Recalling and remembering for a turn of an agent, and two nodes for your own LangGraph graph.

>>> class State(MessagesState):                                                               # doctest: +SKIP
...     memory: Annotated[list[AnyMessage], UntrackedValue(list)]     # for this run only, in no checkpoint
>>> builder.add_node("recall", recall_node(memory))                                           # doctest: +SKIP
>>> async def reply(state: State) -> dict[str, Any]:                                          # doctest: +SKIP
...     return {"messages": [await model.ainvoke([*state["memory"], *state["messages"]])]}
>>> builder.add_node("remember", remember_node(memory))                                       # doctest: +SKIP
>>> await builder.compile().ainvoke(…, config={"configurable": {"user_id": "42"}})            # doctest: +SKIP

The conversation of a turn is a Scope, or a function that returns a Scope for the fields of the run
(those of its context override those of `config["configurable"]`). Without either, the run names it
by `user_id`, and in a group also by `group_id`. A run may also name `user_name`, `group_name`,
`bot_id`, `bot_name` and `timezone`, and in `withdrawn` the ids of messages to withdraw from memory.
A message that is only removed from the state stays in memory, because summarising and trimming
remove messages, too.

Failures are logged and do not stop an agent.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
    convert_to_messages,
)
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.config import get_config
from langgraph.runtime import get_runtime

from ...schema.errors import HistorianError, InvalidInput
from ...schema.language import LanguageChoice
from ...schema.scope import Scope, checked_scope
from ...service.blocking import run_blocking
from .callbacks import OWN_TOOLS

if TYPE_CHECKING:
    from ...service.cognitive import CognitiveService

log = logging.getLogger(__name__)

ConversationOfRun = Scope | Callable[[Mapping[str, Any]], Scope] | None

NAMES = ("bot_id", "bot_name", "user_name", "group_name", "timezone")
"""Optional fields of a run: parameters of `CognitiveService.remember`."""
SAID_BEFORE = 3
"""Number of earlier human messages that are the context of a query, in case it is very short."""


class Turns:
    """Recall for a turn and remember it. The methods ending in `_now` are for synchronous code.

    Only `scope` raises.
    """

    def __init__(
        self, memory: CognitiveService, scope: ConversationOfRun, language: LanguageChoice | None
    ) -> None:
        self._memory = memory
        self._scope = scope if scope is None or callable(scope) else checked_scope(scope)
        self._language = language

    def scope(self) -> Scope:
        """Return the conversation of the current run. Raises InvalidInput if the run names none."""
        if isinstance(self._scope, Scope):
            return self._scope
        given = given_to_run()
        if self._scope is not None:
            return checked_scope(self._scope(given))
        user, group = given.get("user_id"), given.get("group_id")
        if user in (None, "") and group in (None, ""):
            raise InvalidInput(
                "scope: the run names no conversation; give it `user_id` (in a group `group_id` too) in its context or in "
                'config["configurable"], or give a scope where memory is wired in'
            )
        return Scope.private(user) if group in (None, "") else Scope.group(group, user)  # type: ignore[arg-type]  # checked there

    def scope_or_none(self, *, tell: bool) -> Scope | None:
        """Return the conversation of the current run, or None. `tell` logs why there is none."""
        try:
            return self.scope()
        except Exception as error:
            if tell:
                _nothing("a turn is not remembered", error)
            return None

    async def withdraw(self) -> None:
        """Withdraw the messages whose ids the run names in `withdrawn`. Never raises."""
        try:
            if withdrawn := given_to_run().get("withdrawn"):
                await self._memory.forget_message(withdrawn, self.scope())
        except Exception as error:
            _nothing("nothing is withdrawn", error)

    def withdraw_now(self) -> None:
        """`withdraw` for synchronous code."""
        if given_to_run().get("withdrawn"):
            run_blocking(self.withdraw())

    async def recalled(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """Return the recalled block as a list of one message of the role `user`, or []."""
        try:
            query, before = _question(messages)
            scope = self.scope()
            block = (
                await self._memory.build_context(
                    query, scope, language=self._language, context=before
                )
                if query
                else ""
            )
        except Exception as error:
            return _nothing("nothing is recalled", error)
        return [HumanMessage(block)] if block else []

    def recalled_now(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """`recalled` for synchronous code."""
        try:
            query, before = _question(messages)
            scope = self.scope()
            block = (
                self._memory.get_memory_context(
                    query, scope, language=self._language, context=before
                )
                if query
                else ""
            )
        except Exception as error:
            return _nothing("nothing is recalled", error)
        return [HumanMessage(block)] if block else []

    async def remember(self, messages: Sequence[BaseMessage]) -> bool:
        """Hand messages over, without the results of memory's own tools.

        A message with an id is stored once. Return False if this failed and should be tried again
        later. Return True for invalid messages too: trying again would not help.
        """
        try:
            given = given_to_run()
            names = {name: given[name] for name in NAMES if name in given}
            await self._memory.remember(
                [one for one in messages if _is_told(one)], self.scope(), **names
            )
        except Exception as error:
            _nothing("a turn is not remembered", error)
            return isinstance(error, InvalidInput)
        return True

    def remember_now(self, messages: Sequence[BaseMessage]) -> bool:
        """`remember` for synchronous code."""
        return run_blocking(self.remember(messages))


def recall_node(
    memory: CognitiveService,
    *,
    scope: ConversationOfRun = None,
    language: LanguageChoice | None = None,
    key: str = "messages",
    into: str = "memory",
) -> Runnable[Any, dict[str, Any]]:
    """Return a node, for before the model's node, that recalls for the last messages of the state.

    It writes a list to the key `into` of the state: one message of the role `user`, to be put
    before the others, or nothing. Declare this key as an `UntrackedValue`, so that the recalled
    block is not stored in checkpoints.
    """
    turns = Turns(memory, scope, language)

    def now(state: Any) -> dict[str, Any]:
        turns.withdraw_now()
        return {into: turns.recalled_now(_messages_of(state, key))}

    async def recall(state: Any) -> dict[str, Any]:
        await turns.withdraw()
        return {into: await turns.recalled(_messages_of(state, key))}

    return RunnableLambda(now, recall, name="recall")


def remember_node(
    memory: CognitiveService, *, scope: ConversationOfRun = None, key: str = "messages"
) -> Runnable[Any, dict[str, Any]]:
    """Return a node that remembers the turn. It runs after the model's node.

    The turn is the last human messages and all messages after them. Messages that have ids from
    LangGraph (`add_messages`, `MessagesState`) are stored once, even if the node runs repeatedly. A
    message whose text changed replaces the earlier version.
    """
    turns = Turns(memory, scope, None)

    def last_turn(state: Any) -> list[BaseMessage]:
        messages = _messages_of(state, key)
        return messages[_turn_begins(messages) :]

    def now(state: Any) -> dict[str, Any]:
        turns.remember_now(last_turn(state))
        return {}

    async def remember(state: Any) -> dict[str, Any]:
        await turns.remember(last_turn(state))
        return {}

    return RunnableLambda(now, remember, name="remember")


def given_to_run() -> dict[str, Any]:
    """Return the fields of the current run; {} outside of graphs.

    Fields of the run's context override those of `config["configurable"]`.
    """
    try:
        configurable, context = (
            get_config().get("configurable", {}),
            getattr(get_runtime(), "context", None),
        )
    except (RuntimeError, KeyError):
        return {}
    if is_dataclass(context):
        named = {field.name: getattr(context, field.name) for field in fields(context)}
    else:
        named = dict(context) if isinstance(context, Mapping) else getattr(context, "__dict__", {})
    known = {name: value for name, value in named.items() if value is not None}
    return {
        **{name: value for name, value in configurable.items() if not name.startswith("__")},
        **known,
    }


def last_said(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the last human message and the human messages directly before it."""
    begin = _turn_begins(messages)
    end = next((n for n in range(begin, len(messages)) if not _is_said(messages[n])), len(messages))
    return list(messages[begin:end])


def before_last_said(
    messages: Sequence[BaseMessage], block: Sequence[BaseMessage]
) -> list[BaseMessage]:
    """Return the messages with `block` before the last human message (at the end without one)."""
    place = next(
        (n for n in reversed(range(len(messages))) if _is_said(messages[n])), len(messages)
    )
    return [*messages[:place], *block, *messages[place:]]


def _turn_begins(messages: Sequence[BaseMessage]) -> int:
    """Return the index of the first message of `last_said`; the number of messages without one."""
    place = next(
        (n for n in reversed(range(len(messages))) if _is_said(messages[n])), len(messages)
    )
    while 0 < place < len(messages) and _is_said(messages[place - 1]):
        place -= 1
    return place


def _question(messages: Sequence[BaseMessage]) -> tuple[list[Any], list[Any]]:
    """Return the contents of the last human messages, and of at most SAID_BEFORE earlier ones."""
    asked = last_said(messages)
    said = [message.content for message in messages if _is_said(message)]
    before = said[: len(said) - len(asked)]
    return said[len(before) :], before[-SAID_BEFORE:]


def _is_said(message: BaseMessage) -> bool:
    """Return True if a person wrote the message.

    LangChain also uses a HumanMessage for a summary that replaces old messages; this returns False.
    """
    return (
        isinstance(message, HumanMessage)
        and message.additional_kwargs.get("lc_source") != "summarization"
    )


def _is_told(message: BaseMessage) -> bool:
    """Return True if the message is to be remembered: from a person, from the model or from a tool.

    Results of memory's own tools are excluded, because they are in memory already.
    """
    is_found_out = isinstance(message, ToolMessage) and message.name not in OWN_TOOLS
    return _is_said(message) or isinstance(message, AIMessage) or is_found_out


def _messages_of(state: Any, key: str) -> list[BaseMessage]:
    given = state.get(key) if isinstance(state, Mapping) else getattr(state, key, None)
    try:
        return convert_to_messages(given or [])
    except Exception as error:
        return _nothing(f"{key!r:.40} of the state holds no messages", error)


def _nothing(what: str, error: Exception) -> list[BaseMessage]:
    """Log a failure, without the text of a foreign error, which may quote messages. Return []."""
    log.warning(
        "%s: %s", what, error if isinstance(error, HistorianError) else type(error).__name__
    )
    return []
