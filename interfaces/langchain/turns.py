"""The turns of an agent or a graph, as memory takes part in them; and two nodes for a LangGraph graph of your own.

>>> class State(MessagesState):                                                               # doctest: +SKIP
...     memory: Annotated[list[AnyMessage], UntrackedValue(list)]     # for this run only, in no checkpoint
>>> builder.add_node("recall", recall_node(memory))                                           # doctest: +SKIP
>>> async def reply(state: State) -> dict[str, Any]:                                          # doctest: +SKIP
...     return {"messages": [await model.ainvoke([*state["memory"], *state["messages"]])]}
>>> builder.add_node("remember", remember_node(memory))                                       # doctest: +SKIP
>>> await builder.compile().ainvoke(…, config={"configurable": {"user_id": "42"}})            # doctest: +SKIP

The conversation of a turn is a Scope, or a function that gets what the run was given (the fields of its context, over those of
`config["configurable"]`) and returns a Scope. Without either, the run names it: `user_id`, in a group `group_id` too. It may name
`user_name`, `group_name`, `bot_id`, `bot_name` and `timezone` as well, and in `withdrawn` the ids of messages that were withdrawn
since: they go from memory. (A message that only leaves the state stays: summarising and trimming take messages out, too.)

Nothing here stops an agent: what fails is logged.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, convert_to_messages
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
"""What a run may tell of its conversation beside `user_id` and `group_id`: parameters of `CognitiveService.remember`."""
SAID_BEFORE = 3
"""The former messages of people that go along with a query, for those too short to search with."""


class Turns:
    """Recalls for a turn and remembers it. `recalled` and `remember` have synchronous twins, and none of them raises."""

    def __init__(self, memory: CognitiveService, scope: ConversationOfRun, language: LanguageChoice | None) -> None:
        self._memory = memory
        self._scope = scope if scope is None or callable(scope) else checked_scope(scope)
        self._language = language

    def scope(self) -> Scope:
        """Return the conversation of the run that is going on. Raises InvalidInput if nothing names it."""
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
        """Return the conversation of the run that is going on; None if nothing names it, which the log tells if it is to."""
        try:
            return self.scope()
        except Exception as error:
            if tell:
                _nothing("a turn is not remembered", error)
            return None

    async def withdraw(self) -> None:
        """Take the messages out of memory that the run names in `withdrawn`. Never raises."""
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
        """Return what memory has for these messages as one message of the role `user`, or none."""
        try:
            query, before = _question(messages)
            scope = self.scope()
            block = await self._memory.build_context(query, scope, language=self._language, context=before) if query else ""
        except Exception as error:
            return _nothing("nothing is recalled", error)
        return [HumanMessage(block)] if block else []

    def recalled_now(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """`recalled` for synchronous code."""
        try:
            query, before = _question(messages)
            scope = self.scope()
            block = self._memory.get_memory_context(query, scope, language=self._language, context=before) if query else ""
        except Exception as error:
            return _nothing("nothing is recalled", error)
        return [HumanMessage(block)] if block else []

    async def remember(self, messages: Sequence[BaseMessage]) -> bool:
        """Hand messages over, but for what memory itself put among them. One with an id is taken once.

        Return False if that failed and they should be handed over again later; what is invalid never will be taken.
        """
        try:
            given = given_to_run()
            names = {name: given[name] for name in NAMES if name in given}
            await self._memory.remember([one for one in messages if _is_told(one)], self.scope(), **names)
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
    """Return a node that recalls for the last messages of the state, before the model's node.

    It puts a list into the state, under the key `into`: one message of the role `user` to put before the others, or none. Declare
    that key as an `UntrackedValue`, so that no checkpoint keeps what was recalled.
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
    """Return a node that remembers the turn after the model's node: the last messages of people, and what followed.

    Messages that LangGraph gave ids (`add_messages`, `MessagesState`) are taken once, however often the node runs; one with other
    words than before replaces the former.
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
    """Return the fields of the running graph's context, over those of `config["configurable"]`; {} outside of graphs."""
    try:
        configurable, context = get_config().get("configurable", {}), getattr(get_runtime(), "context", None)
    except (RuntimeError, KeyError):
        return {}
    if is_dataclass(context):
        named = {field.name: getattr(context, field.name) for field in fields(context)}
    else:
        named = dict(context) if isinstance(context, Mapping) else getattr(context, "__dict__", {})
    known = {name: value for name, value in named.items() if value is not None}
    return {**{name: value for name, value in configurable.items() if not name.startswith("__")}, **known}


def last_said(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the last message of a person, with those of people directly before it."""
    begin = _turn_begins(messages)
    end = next((n for n in range(begin, len(messages)) if not _is_said(messages[n])), len(messages))
    return list(messages[begin:end])


def before_last_said(messages: Sequence[BaseMessage], block: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the messages with `block` in front of the last one of a person."""
    place = next((n for n in reversed(range(len(messages))) if _is_said(messages[n])), len(messages))
    return [*messages[:place], *block, *messages[place:]]


def _turn_begins(messages: Sequence[BaseMessage]) -> int:
    """Return the place of the first of the last messages of people; the number of messages if nobody said anything."""
    place = next((n for n in reversed(range(len(messages))) if _is_said(messages[n])), len(messages))
    while 0 < place < len(messages) and _is_said(messages[place - 1]):
        place -= 1
    return place


def _question(messages: Sequence[BaseMessage]) -> tuple[list[Any], list[Any]]:
    """Return the contents of the last messages of people, and those of the people's messages before."""
    asked = last_said(messages)
    said = [message.content for message in messages if _is_said(message)]
    before = said[: len(said) - len(asked)]
    return said[len(before) :], before[-SAID_BEFORE:]


def _is_said(message: BaseMessage) -> bool:
    """Return True for what a person said: the summary that LangChain puts in place of old messages is no such thing."""
    return isinstance(message, HumanMessage) and message.additional_kwargs.get("lc_source") != "summarization"


def _is_told(message: BaseMessage) -> bool:
    """Return True for what was said or found out: what memory's own tools returned is in memory already."""
    is_found_out = isinstance(message, ToolMessage) and message.name not in OWN_TOOLS
    return _is_said(message) or isinstance(message, AIMessage) or is_found_out


def _messages_of(state: Any, key: str) -> list[BaseMessage]:
    given = state.get(key) if isinstance(state, Mapping) else getattr(state, key, None)
    try:
        return convert_to_messages(given or [])
    except Exception as error:
        return _nothing(f"{key!r:.40} of the state holds no messages", error)


def _nothing(what: str, error: Exception) -> list[BaseMessage]:
    """Log what did not work. The text of a foreign error is left out: it may hold what was said."""
    log.warning("%s: %s", what, error if isinstance(error, HistorianError) else type(error).__name__)
    return []
