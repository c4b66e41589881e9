"""Memory as a middleware of LangChain's agents; needs the extra `agents`.

>>> agent = create_agent(model, tools, middleware=[HistorianMiddleware(memory, Scope.private("42"))])       # doctest: +SKIP
>>> await agent.ainvoke({"messages": [("user", "What do I like?")]})                                        # doctest: +SKIP

One agent for many conversations, each named by its run:

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
    raise ImportError(f'HistorianMiddleware needs LangChain ({error}): pip install "langgraph-historian[agents]"') from error

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from ...service.cognitive import CognitiveService


class Kept(TypedDict):
    """A message of a person that was handed over: the digest of its words, and the id of its sender."""

    words: str
    by: str


class Turn(TypedDict):
    """What is to be remembered at the end: the `key` of the scope, and who said what (message ids and user ids, in order)."""

    scope: str
    speakers: dict[str, str]


class TurnState(AgentState[Any]):
    """The state of an agent with memory. A turn that failed or could not be handed over stays open and goes with the next one."""

    historian_turn: NotRequired[Annotated[Turn | None, PrivateStateAttr]]
    historian_kept: NotRequired[Annotated[dict[str, Kept], PrivateStateAttr]]


class HistorianMiddleware(AgentMiddleware[TurnState, Any, Any]):
    """Recall before every call of the model, remember after the agent, and offer the memory tools.

    A message of a person whose words change later under the same id is handed over again, and replaces the former. A run that
    names ids in `withdrawn` withdraws these messages; one that only leaves the state stays in memory, since summarising and
    trimming take messages out, too.

    - `scope`: the conversation; or a function that gets what the run was given (the fields of its context, over those of
      `config["configurable"]`) and returns it; or None: the run names `user_id`, in a group `group_id` too. A run may also name
      `user_name`, `group_name`, `bot_id`, `bot_name`, `timezone` and `withdrawn`.
    - `tools`: offer `search_events`, `get_profile` and the others to the model; with `may_correct` also those that correct and
      pin (as in `make_memory_tools`).
    - `remember`: hand the turn over at its end. None: unless this agent is called by another one as a tool, because what it hears
      then are not the words of a person.
    - `language`: of the block and of the tools, as in `CognitiveService.language_of`. None: the configured one, else that of the
      conversation.

    What is recalled stands in front of the last message of a person, in a message of the role `user`, for this call of the model
    alone: it enters neither the state nor a checkpoint. Nothing that fails in memory stops the agent; it is logged.
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
        """Withdraw what the run names, and note who says what in this turn."""
        self._turns.withdraw_now()
        return self._noted(state)

    async def abefore_agent(self, state: TurnState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Withdraw what the run names, and note who says what in this turn."""
        await self._turns.withdraw()
        return self._noted(state)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Call the model with what is recalled."""
        return handler(self._with(request, self._turns.recalled_now(request.messages)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Call the model with what is recalled."""
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
        return None if scope is None else {"historian_turn": _turn(state.get("historian_turn"), state["messages"], scope)}

    def _with(self, request: ModelRequest[Any], block: Sequence[BaseMessage]) -> ModelRequest[Any]:
        """Return the request with what is recalled, and with the tools described in the language of the conversation."""
        if self.tools:
            request = request.override(tools=self._in_language(request.tools))
        return request.override(messages=cast(list[AnyMessage], before_last_said(request.messages, block))) if block else request

    def _in_language(self, tools: Sequence[BaseTool | dict[str, Any]]) -> list[BaseTool | dict[str, Any]]:
        written = self._memory.language_of(self._turns.scope_or_none(tell=False), language=self._language)
        if written not in self._described:
            self._described[written] = {tool.name: tool for tool in self._tools_in(written)}
        described = self._described[written]
        mine = {id(tool): described[tool.name] for tool in self.tools}
        return [mine.get(id(tool), tool) for tool in tools]

    def _tools_in(self, language: LanguageChoice | None) -> Sequence[BaseTool]:
        return make_memory_tools(self._memory, self._turns.scope, language=language, may_correct=self._may_correct)

    def _remembers(self) -> bool:
        if self._remember is not None:
            return self._remember
        *outer, _ = str(get_config().get("configurable", {}).get("checkpoint_ns", "")).split("|")
        return not any(node.startswith("tools:") for node in outer)


def _turn(open_turn: Turn | None, messages: Sequence[BaseMessage], scope: Scope) -> Turn:
    """Return the turn with what was said last. One that is open belongs to it, if it is of the same conversation."""
    speakers = dict(open_turn["speakers"]) if open_turn and open_turn["scope"] == scope.key else {}
    for message in last_said(messages):
        speakers.setdefault(message.id or "", scope.user_id)
    return {"scope": scope.key, "speakers": speakers}


def _said_in(state: TurnState) -> list[BaseMessage]:
    """Return the messages of the turn, each of a person with its sender; all that are left if the first ones were taken out.

    In front of them are earlier ones whose words have changed since they were handed over.
    """
    turn, messages, kept = state.get("historian_turn"), list(state["messages"]), state.get("historian_kept", {})
    if turn is None:
        return []
    speakers = turn["speakers"]
    begin = next((n for n, message in enumerate(messages) if message.id in speakers), 0)
    known = [(message, kept[message.id]) for message in messages[:begin] if message.id in kept]
    changed = [_by(former["by"], message) for message, former in known if former["words"] != _words(message)]
    return [*changed, *(_by(speakers.get(message.id or ""), message) for message in messages[begin:])]


def _done(state: TurnState) -> dict[str, Any]:
    """Return the state after a turn that was handed over: what is kept of the messages that are still in it."""
    kept, turn = state.get("historian_kept", {}), state.get("historian_turn")
    senders = {**{key: one["by"] for key, one in kept.items()}, **(turn["speakers"] if turn else {})}
    known = [message for message in state["messages"] if message.id and message.id in senders]
    now = {str(one.id): Kept(words=_words(one), by=senders[str(one.id)]) for one in known}
    return {"historian_turn": None, "historian_kept": now}


def _words(message: BaseMessage) -> str:
    return digest_of(message.text)


def _by(speaker: str | None, message: BaseMessage) -> BaseMessage:
    if not speaker or "sender_id" in message.additional_kwargs:
        return message
    return message.model_copy(update={"additional_kwargs": {**message.additional_kwargs, "sender_id": speaker}})
