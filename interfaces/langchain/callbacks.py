"""Observation for LangChain and LangGraph: a callback handler and a node.

Everything that an agent's tools and models do in one call:

>>> handler = ObservationHandler(memory, scope=Scope.group("100", "42"), session_id="100")          # doctest: +SKIP
>>> await agent.ainvoke({"messages": […]}, config={"callbacks": [handler]})                         # doctest: +SKIP

In a graph of one's own, after the node whose messages are to be kept:

>>> builder.add_node("observe", observe_messages(memory, scope=Scope.private("42")))                 # doctest: +SKIP

For bots without either, `memory.hooks` and `observe_hooks` do the same.

None of them stops an agent: what cannot be fed is left out and told in the log. Only what is wrong from the start, such as a
scope that is none, raises InvalidInput when they are made.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, convert_to_messages
from langchain_core.outputs import ChatGeneration, LLMResult

from ...schema.errors import HistorianError, InvalidInput
from ...schema.ids import type_and_size
from ...schema.scope import Scope, checked_scope

if TYPE_CHECKING:
    from ...service.cognitive import CognitiveService

log = logging.getLogger(__name__)

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
    """Say what was not fed. The text of an error that is not ours could hold what was said."""
    log.warning("not observed: %s", error if isinstance(error, HistorianError) else type(error).__name__)


class ObservationHandler(BaseCallbackHandler):
    """Feeds what tools return (or raise) and what is said to a chat model and by it to the observation of `memory`.

    One handler belongs to one conversation. Its methods take microseconds and never raise, whatever the run brings: also where
    `session_id` belongs to another conversation, nothing is observed and the log says why.
    """

    raise_error = False
    run_inline = True

    def __init__(self, memory: CognitiveService, *, scope: Scope, session_id: str = "") -> None:
        self._memory = memory
        self._scope = checked_scope(scope)
        self._session_id = session_id
        self._tools: OrderedDict[UUID, tuple[str, object]] = OrderedDict()
        self._lock = threading.Lock()
        self._said = _Known()

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
        """Remember name and arguments until the tool ends."""
        name = kwargs.get("name") or (serialized or {}).get("name") or "tool"
        with self._lock:
            self._tools[run_id] = (str(name), inputs if inputs is not None else input_str)
            if len(self._tools) > RUNS_KEPT:
                self._tools.popitem(last=False)

    @_never_raising
    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Note what the tool returned."""
        self._tool(run_id, output.content if isinstance(output, ToolMessage) else output)

    @_never_raising
    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Note what the tool raised."""
        self._tool(run_id, error)

    @_never_raising
    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Note what the user said last, once however often the model is asked about it."""
        for conversation in messages:
            last = next((one for one in reversed(conversation) if isinstance(one, HumanMessage)), None)
            if last is not None and self._said.is_new(last, len(conversation) - conversation[::-1].index(last)):
                self._message("user", last.text, getattr(last, "name", None))

    @_never_raising
    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Note what the model said; answers that only call tools say nothing."""
        for generations in response.generations:
            for generation in generations[:1]:
                if isinstance(generation, ChatGeneration) and generation.message.text.strip():
                    self._message("assistant", generation.message.text, generation.message.name)

    @_never_raising
    def on_chat_model_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """As `on_llm_end`, under the name that LangChain's event stream gives it."""
        self.on_llm_end(response, run_id=run_id, **kwargs)

    def _tool(self, run_id: UUID, outcome: object) -> None:
        with self._lock:
            name, arguments = self._tools.pop(run_id, ("tool", None))
        observation = self._memory.observation
        if observation is not None:
            observation.observe_tool(name, arguments, outcome, scope=self._scope, session_id=self._session_id)

    def _message(self, role: str, text: str, name: str | None) -> None:
        self._memory.feed_message(role, text, self._session_id or self._scope.key, scope=self._scope, name=name or "")


def observe_messages(
    memory: CognitiveService,
    *,
    scope: Scope | Callable[[Mapping[str, Any]], Scope],
    session_id: str = "",
    key: str = "messages",
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """A LangGraph node that feeds the new messages of a state to the observation and changes nothing.

    `scope` is the conversation, or a function that reads it out of the state; `key` where the state keeps its messages: as
    LangChain takes them, messages, mappings, pairs of role and text, or text. One that is none of these is passed over. A
    message that was seen before, by its id or its place, is not fed again. With a function for `scope` each conversation is
    a session of its own, whose id begins with `session_id`. The node never raises.
    """
    if not callable(scope):
        checked_scope(scope)
    said: OrderedDict[str, _Known] = OrderedDict()

    def feed(state: Mapping[str, Any]) -> None:
        conversation = checked_scope(scope(state) if callable(scope) else scope)
        session = conversation.key if not session_id else f"{session_id} {conversation.key}" if callable(scope) else session_id
        known = said.setdefault(session, _Known())
        said.move_to_end(session)
        if len(said) > RUNS_KEPT:
            said.popitem(last=False)
        messages = _messages_of(state.get(key))
        calls = {call["id"]: call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls}
        for place, message in enumerate(messages):
            if message is None or not known.is_new(message, place):
                continue
            if isinstance(message, ToolMessage):
                call = calls.get(message.tool_call_id)
                observation = memory.observation
                if observation is not None:
                    name = message.name or (call["name"] if call else "tool")
                    arguments = call["args"] if call else None
                    observation.observe_tool(name, arguments, message.content, scope=conversation, session_id=session)
            elif isinstance(message, HumanMessage | AIMessage) and message.text.strip():
                role = "user" if isinstance(message, HumanMessage) else "assistant"
                memory.feed_message(role, message.text, session, scope=conversation, name=message.name or "")

    def observe(state: Mapping[str, Any]) -> dict[str, Any]:
        try:
            feed(state)
        except Exception as error:
            _tell(error)
        return {}

    return observe


def _messages_of(given: object) -> list[BaseMessage | None]:
    """The messages of a state, None in the place of each that is none."""
    if not given:
        return []
    pair = isinstance(given, tuple) and len(given) == 2 and all(isinstance(part, str) for part in given)
    if pair or isinstance(given, str | BaseMessage | Mapping):
        given = [given]
    if not isinstance(given, Sequence):
        raise InvalidInput(f"messages: expected a list of messages, got {type_and_size(given)}")
    return [one if isinstance(one, BaseMessage) else _converted(one) for one in given]


def _converted(given: Any) -> BaseMessage | None:
    try:
        (message,) = convert_to_messages([given])
    except Exception as error:
        log.warning("a message of the type %s is not observed: %s", type(given).__name__, type(error).__name__)
        return None
    return message


def observe_hooks(memory: CognitiveService) -> Callable[[], None]:
    """Let `memory.hooks.emit("tool_executed", name=…, arguments=…, result=…, scope=…)` and `emit("message", role=…,
    content=…, session_id=…, scope=…)` feed the observation; returns what ends that."""

    def tool_executed(name: str, arguments: object, result: object, scope: Scope | None = None, session_id: str = "") -> None:
        if memory.observation is not None:
            memory.observation.observe_tool(name, arguments, result, scope=scope, session_id=session_id)

    endings = [
        memory.hooks.register("tool_executed", tool_executed, inline=True),
        memory.hooks.register("message", memory.feed_message, inline=True),
    ]

    def unregister() -> None:
        for end in endings:
            end()

    return unregister


class _Known:
    """The messages that were seen, the last 10,000 of them."""

    def __init__(self) -> None:
        self._keys: OrderedDict[object, None] = OrderedDict()
        self._lock = threading.Lock()

    def is_new(self, message: BaseMessage, place: int) -> bool:
        """Whether this message was not seen before; the place in the conversation stands in for a missing id."""
        mark: object = message.id or (place, hash(message.text))
        with self._lock:
            if mark in self._keys:
                return False
            self._keys[mark] = None
            if len(self._keys) > MESSAGES_KNOWN:
                self._keys.popitem(last=False)
        return True
