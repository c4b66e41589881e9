"""Memory as a middleware of LangChain's agents; needs the extra `agents`.

>>> agent = create_agent(model, tools, middleware=[HistorianMiddleware(memory, Scope.private("42"))])       # doctest: +SKIP
>>> await agent.ainvoke({"messages": [("user", "What do I like?")]})                                        # doctest: +SKIP

One agent for many conversations; each run names its conversation:

>>> agent = create_agent(model, tools, middleware=[HistorianMiddleware(memory)])                            # doctest: +SKIP
>>> await agent.ainvoke({"messages": […]}, config={"configurable": {"user_id": "42", "user_name": "Ann"}})  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, cast

from langchain_core.messages import AnyMessage, BaseMessage
from langchain_core.tools import BaseTool
from langgraph.config import get_config
from typing_extensions import TypedDict

from ...schema.ids import digest_of
from ...schema.language import Language, LanguageChoice
from ...schema.scope import Scope
from .tools import make_memory_tools
from .turns import ConversationOfRun, Turns, before_last_said, last_said

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
    from langchain.agents.middleware.types import PrivateStateAttr
except ImportError as error:
    raise ImportError(
        f'HistorianMiddleware needs LangChain ({error}): pip install "langgraph-historian[agents]"'
    ) from error

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from ...service.cognitive import CognitiveService


class Kept(TypedDict):
    """A human message that was handed over: the digest of its text, and the id of its sender."""

    words: str
    by: str


class Turn(TypedDict):
    """The turn to remember at the end: the `key` of its scope, and its user ids by message id."""

    scope: str
    speakers: dict[str, str]


class TurnState(AgentState[Any]):
    """The state of an agent with memory.

    A turn that failed, or that could not be handed over, stays open. It is handed over together
    with the next turn of the same conversation.
    """

    historian_turn: NotRequired[Annotated[Turn | None, PrivateStateAttr]]
    historian_kept: NotRequired[Annotated[dict[str, Kept], PrivateStateAttr]]


class HistorianMiddleware(AgentMiddleware[TurnState, Any, Any]):
    """Recall before every call of the model, remember after the agent, and offer the memory tools.

    If the text of a human message changes later under the same id, the message is handed over
    again and replaces the earlier version. The ids that a run names in `withdrawn` are withdrawn
    from memory. A message that is only removed from the state stays in memory, because summarising
    and trimming remove messages, too.

    - `scope`: the conversation; or a function that returns it for the fields of the run (those of
      its context override those of `config["configurable"]`); or None: the run names `user_id`, and
      in a group also `group_id`. A run may also name `user_name`, `group_name`, `bot_id`,
      `bot_name`, `timezone` and `withdrawn`.
    - `tools`: offer `search_events`, `get_profile` and the other memory tools to the model. With
      `may_correct` the tools that correct and pin are offered too (as in `make_memory_tools`).
    - `remember`: hand the turn over at its end. With None this is done unless another agent calls
      this one as a tool: its input is then not written by a person.
    - `language`: language of the block and of the tools, as in `CognitiveService.language_of`.
      None: the configured language, else the language of the conversation.

    The recalled block is put before the last human message, as a message of the role `user`. It is
    part of this call of the model only, and enters neither the state nor a checkpoint. Failures of
    memory are logged and do not stop the agent.
    """

    state_schema = TurnState

    def __init__(
        self,
        memory: CognitiveService,
        scope: ConversationOfRun = None,
        *,
        tools: bool = True,
        may_correct: bool = False,
        remember: bool | None = None,
        language: LanguageChoice | None = None,
    ) -> None:
        super().__init__()
        self._memory = memory
        self._language = language
        self._turns = Turns(memory, scope, language)
        self._remember = remember
        self._may_correct = may_correct
        self.tools = self._tools_in(language) if tools else []
        self._described: dict[Language, dict[str, BaseTool]] = {}

    def before_agent(self, state: TurnState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Withdraw the messages that the run names, and store the speakers of this turn."""
        self._turns.withdraw_now()
        return self._noted(state)

    async def abefore_agent(self, state: TurnState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Withdraw the messages that the run names, and store the speakers of this turn."""
        await self._turns.withdraw()
        return self._noted(state)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Call the model with the recalled block."""
        return handler(self._with(request, self._turns.recalled_now(request.messages)))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Call the model with the recalled block."""
        return await handler(self._with(request, await self._turns.recalled(request.messages)))

    def after_agent(self, state: TurnState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Hand the turn over."""
        is_done = not self._remembers() or self._turns.remember_now(_said_in(state))
        return _done(state) if is_done else None

    async def aafter_agent(self, state: TurnState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Hand the turn over."""
        is_done = not self._remembers() or await self._turns.remember(_said_in(state))
        return _done(state) if is_done else None

    def _noted(self, state: TurnState) -> dict[str, Any] | None:
        scope = self._turns.scope_or_none(tell=True)
        return (
            None
            if scope is None
            else {"historian_turn": _turn(state.get("historian_turn"), state["messages"], scope)}
        )

    def _with(self, request: ModelRequest[Any], block: Sequence[BaseMessage]) -> ModelRequest[Any]:
        """Return the request with `block`, and with tools in the language of the conversation."""
        if self.tools:
            request = request.override(tools=self._in_language(request.tools))
        return (
            request.override(
                messages=cast(list[AnyMessage], before_last_said(request.messages, block))
            )
            if block
            else request
        )

    def _in_language(
        self, tools: Sequence[BaseTool | dict[str, Any]]
    ) -> list[BaseTool | dict[str, Any]]:
        written = self._memory.language_of(
            self._turns.scope_or_none(tell=False), language=self._language
        )
        if written not in self._described:
            self._described[written] = {tool.name: tool for tool in self._tools_in(written)}
        described = self._described[written]
        mine = {id(tool): described[tool.name] for tool in self.tools}
        return [mine.get(id(tool), tool) for tool in tools]

    def _tools_in(self, language: LanguageChoice | None) -> Sequence[BaseTool]:
        return make_memory_tools(
            self._memory, self._turns.scope, language=language, may_correct=self._may_correct
        )

    def _remembers(self) -> bool:
        if self._remember is not None:
            return self._remember
        *outer, _ = str(get_config().get("configurable", {}).get("checkpoint_ns", "")).split("|")
        return not any(node.startswith("tools:") for node in outer)


def _turn(open_turn: Turn | None, messages: Sequence[BaseMessage], scope: Scope) -> Turn:
    """Return a turn with the speakers of the last human messages.

    It includes the speakers of `open_turn` if that turn is of the same conversation.
    """
    speakers = dict(open_turn["speakers"]) if open_turn and open_turn["scope"] == scope.key else {}
    for message in last_said(messages):
        speakers.setdefault(message.id or "", scope.user_id)
    return {"scope": scope.key, "speakers": speakers}


def _said_in(state: TurnState) -> list[BaseMessage]:
    """Return the messages of the turn; human messages get their sender's id.

    If none of the turn's human messages is left in the state, return all messages of the state.
    Earlier messages whose text changed after they were handed over come first.
    """
    turn, messages, kept = (
        state.get("historian_turn"),
        list(state["messages"]),
        state.get("historian_kept", {}),
    )
    if turn is None:
        return []
    speakers = turn["speakers"]
    begin = next((n for n, message in enumerate(messages) if message.id in speakers), 0)
    known = [(message, kept[message.id]) for message in messages[:begin] if message.id in kept]
    changed = [
        _by(former["by"], message)
        for message, former in known
        if former["words"] != _words(message)
    ]
    return [
        *changed,
        *(_by(speakers.get(message.id or ""), message) for message in messages[begin:]),
    ]


def _done(state: TurnState) -> dict[str, Any]:
    """Return the state update after a turn was handed over.

    It closes the turn, and stores digest and sender of each human message that is still in the
    state and was handed over.
    """
    kept, turn = state.get("historian_kept", {}), state.get("historian_turn")
    senders = {
        **{key: one["by"] for key, one in kept.items()},
        **(turn["speakers"] if turn else {}),
    }
    known = [message for message in state["messages"] if message.id and message.id in senders]
    now = {str(one.id): Kept(words=_words(one), by=senders[str(one.id)]) for one in known}
    return {"historian_turn": None, "historian_kept": now}


def _words(message: BaseMessage) -> str:
    return digest_of(message.text)


def _by(speaker: str | None, message: BaseMessage) -> BaseMessage:
    if not speaker or "sender_id" in message.additional_kwargs:
        return message
    return message.model_copy(
        update={"additional_kwargs": {**message.additional_kwargs, "sender_id": speaker}}
    )
