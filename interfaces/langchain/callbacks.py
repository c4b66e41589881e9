"""Observation for LangChain and LangGraph: a callback handler and a node.

Observe everything that an agent's tools and models do in one call:

>>> handler = ObservationHandler(memory, scope=Scope.group("100", "42"), session_id="100")          # doctest: +SKIP
>>> await agent.ainvoke({"messages": […]}, config={"callbacks": [handler]})                         # doctest: +SKIP

In your own graph, after the node whose messages are to be observed:

>>> builder.add_node("observe", observe_messages(memory, scope=Scope.private("42")))                 # doctest: +SKIP

For bots without either, use `memory.hooks` and `observe_hooks`.

None of them stops an agent: a message or result that cannot be observed is skipped and logged.
Only creating a handler or node raises: InvalidInput for a wrong argument, such as a `scope` that is
no Scope.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
    convert_to_messages,
)
from langchain_core.outputs import ChatGeneration, LLMResult

from ...schema.errors import HistorianError, InvalidInput
from ...schema.ids import type_and_size
from ...schema.scope import Scope, checked_scope
from ...service.bounded import Bounded
from .end_tool import END_TOOL_NAME
from .tools import MEMORY_TOOL_NAMES

if TYPE_CHECKING:
    from ...service.cognitive import CognitiveService

log = logging.getLogger(__name__)

OWN_TOOLS = frozenset((*MEMORY_TOOL_NAMES, END_TOOL_NAME))
"""The names of memory's own tools. These are not observed: their content is in memory already."""
RUNS_KEPT = 1_000
MESSAGES_KNOWN = 10_000

_Method = TypeVar("_Method", bound=Callable[..., None])


def _never_raising(method: _Method) -> _Method:
    @wraps(method)
    def call(*arguments: Any, **options: Any) -> None:
        try:
            method(*arguments, **options)
        except Exception as error:
            _tell(error)

    return cast(_Method, call)


def _tell(error: Exception) -> None:
    """Log a failed observation, without the text of a foreign error, which may quote messages."""
    log.warning(
        "not observed: %s", error if isinstance(error, HistorianError) else type(error).__name__
    )


class ObservationHandler(BaseCallbackHandler):
    """Observe the results and errors of tools, and the messages to and from a chat model.

    One handler belongs to one conversation. Its methods take microseconds and never raise. If
    `session_id` belongs to another conversation, nothing is observed and a warning is logged.
    """

    run_inline = True

    def __init__(self, memory: CognitiveService, *, scope: Scope, session_id: str = "") -> None:
        self._memory = memory
        self._scope = checked_scope(scope)
        self._session_id = session_id
        self._tools: Bounded[UUID, tuple[str, object]] = Bounded(RUNS_KEPT)
        self._said = _Known(MESSAGES_KNOWN)

    @_never_raising
    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        inputs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Store the name and the arguments of the tool until it ends."""
        name = kwargs.get("name") or (serialized or {}).get("name") or "tool"
        self._tools.set(run_id, (str(name), inputs if inputs is not None else input_str))

    @_never_raising
    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Observe the result of the tool."""
        self._tool(run_id, output.content if isinstance(output, ToolMessage) else output)

    @_never_raising
    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Observe the error of the tool."""
        self._tool(run_id, error)

    @_never_raising
    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        **kwargs: Any,
    ) -> None:
        """Observe the last user message, unless an earlier call of the model had the same one."""
        for conversation in messages:
            last = next(
                (one for one in reversed(conversation) if isinstance(one, HumanMessage)), None
            )
            if last is not None and self._said.is_new(
                last, len(conversation) - conversation[::-1].index(last)
            ):
                self._message("user", last.content, getattr(last, "name", None))

    @_never_raising
    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Observe the answer of the model. An answer without text (a tool call) is skipped."""
        for generations in response.generations:
            for generation in generations[:1]:
                if isinstance(generation, ChatGeneration) and generation.message.text.strip():
                    self._message("assistant", generation.message.text, generation.message.name)

    def _tool(self, run_id: UUID, outcome: object) -> None:
        name, arguments = self._tools.pop(run_id, ("tool", None))
        _observe_tool(self._memory, name, arguments, outcome, self._scope, self._session_id)

    def _message(self, role: str, content: object, name: str | None) -> None:
        self._memory.feed_message(
            role, content, self._session_id or self._scope.key, scope=self._scope, name=name or ""
        )


def observe_messages(
    memory: CognitiveService,
    *,
    scope: Scope | Callable[[Mapping[str, Any]], Scope],
    session_id: str = "",
    key: str = "messages",
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return a LangGraph node that observes the new messages of a state and returns no update.

    `scope` is the conversation, or a function that returns it for a state. If it is a function,
    each conversation is a session of its own, whose id begins with `session_id`.

    `key` is the key of the messages in the state. They may have any form that LangChain accepts:
    messages, mappings, (role, text) pairs, or text; anything else is skipped. A message is observed
    once. It is identified by its id, or without id by its position and text. The node never raises.
    """
    if not callable(scope):
        checked_scope(scope)
    said: Bounded[str, _Known] = Bounded(RUNS_KEPT)

    def feed(state: Mapping[str, Any]) -> None:
        conversation = checked_scope(scope(state) if callable(scope) else scope)
        session = (
            conversation.key
            if not session_id
            else f"{session_id} {conversation.key}"
            if callable(scope)
            else session_id
        )
        known = said.setdefault(session, _Known(MESSAGES_KNOWN))
        messages = _messages_of(state.get(key))
        calls: dict[str | None, tuple[str, object]] = {
            call["id"]: (call["name"], call["args"])
            for message in messages
            if isinstance(message, AIMessage)
            for call in message.tool_calls
        }
        for place, message in enumerate(messages):
            if message is None or not known.is_new(message, place):
                continue
            if isinstance(message, ToolMessage):
                name, arguments = calls.get(message.tool_call_id, ("tool", None))
                _observe_tool(
                    memory, message.name or name, arguments, message.content, conversation, session
                )
            elif isinstance(message, HumanMessage | AIMessage) and message.content:
                role = "user" if isinstance(message, HumanMessage) else "assistant"
                memory.feed_message(
                    role, message.content, session, scope=conversation, name=message.name or ""
                )

    def observe(state: Mapping[str, Any]) -> dict[str, Any]:
        try:
            feed(state)
        except Exception as error:
            _tell(error)
        return {}

    return observe


def _messages_of(given: object) -> list[BaseMessage | None]:
    """Return the messages of a state, with None in place of each item that is not a message."""
    if not given:
        return []
    pair = (
        isinstance(given, tuple)
        and len(given) == 2
        and all(isinstance(part, str) for part in given)
    )
    if pair or isinstance(given, str | BaseMessage | Mapping):
        given = [given]
    if not isinstance(given, Sequence):
        raise InvalidInput(f"messages: expected a list of messages, got {type_and_size(given)}")
    return [one if isinstance(one, BaseMessage) else _converted(one) for one in given]


def _converted(given: Any) -> BaseMessage | None:
    try:
        (message,) = convert_to_messages([given])
    except Exception as error:
        log.warning(
            "a message of the type %s is not observed: %s",
            type(given).__name__,
            type(error).__name__,
        )
        return None
    return message


def observe_hooks(memory: CognitiveService) -> Callable[[], None]:
    """Observe the hooks "tool_executed" and "message". Return a function that stops this.

    They are emitted by `memory.hooks.emit("tool_executed", name=…, arguments=…, result=…, scope=…)`
    and `memory.hooks.emit("message", role=…, content=…, session_id=…, scope=…)`.
    """

    def tool_executed(
        name: str,
        arguments: object,
        result: object,
        scope: Scope | None = None,
        session_id: str = "",
    ) -> None:
        _observe_tool(memory, name, arguments, result, scope, session_id)

    registered = ExitStack()
    registered.callback(memory.hooks.register("tool_executed", tool_executed, inline=True))
    registered.callback(memory.hooks.register("message", memory.feed_message, inline=True))
    return registered.close


def _observe_tool(
    memory: CognitiveService,
    name: str,
    arguments: object,
    outcome: object,
    scope: Scope | None,
    session_id: str,
) -> None:
    if name not in OWN_TOOLS:
        memory.on_tool_executed(name, arguments, outcome, scope=scope, session_id=session_id)


class _Known(Bounded[object, object]):
    """The messages that were already observed."""

    def is_new(self, message: BaseMessage, place: int) -> bool:
        """Return True if this message was not seen before.

        A message without id is identified by its position in the conversation and its text.
        """
        mine = object()
        return self.setdefault(message.id or (place, hash(message.text)), mine) is mine
