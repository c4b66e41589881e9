"""Memory as tools for a bot's model: `search_events`, `get_profile`, `search_profiles`, `recall_deeply`, `propose_recall`.

With LangChain, bound to a service and to the conversation of the turn:

>>> tools = make_memory_tools(memory, Scope.group("100", "42"), language="zh")                # doctest: +SKIP
>>> model.bind_tools(tools)                                                                   # doctest: +SKIP

With a plain OpenAI client, offer `memory_tool_schemas()` and give each call to `handle_memory_call`:

>>> await handle_memory_call(memory, call.function.name, call.function.arguments, scope)      # doctest: +SKIP

The model chooses the query and its conditions, never the conversation: the tools are bound to one. Only for the users in
`cognitive.query.admin_user_ids`, in their private chats, `search_events` searches every conversation.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from langchain_core.tools import BaseTool

from ...retrieval.prompt_block.formatting import format_memories, format_profile_hits
from ...schema.errors import HistorianError, InvalidInput
from ...schema.language import Language
from ...schema.scope import EntityType, Scope
from ...schema.settings import Settings
from ...service.blocking import run_blocking
from . import deep_recall
from .argument_problems import problem, unknown_tool
from .memory import Memory
from .texts import TEXTS, Texts
from .tool_arguments import Arguments, KnownArguments, described, function_schema

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManagerForToolRun, CallbackManagerForToolRun

log = logging.getLogger(__name__)

ScopeSource = Scope | Callable[[], Scope]

MOST_TOKENS = 2_000
"""The approximate bound of a tool's answer, in tokens."""

_TOOLS: Texts = TEXTS["tools"]
_ARGUMENTS: Texts = TEXTS["arguments"]
_ANSWERS: Texts = TEXTS["answers"]


class SearchEventsArguments(KnownArguments):
    """The arguments of `search_events`."""

    query: str
    top_k: int | None = None
    user_id: str | None = None
    kind: Literal["action", "fact"] | None = None
    time_from: str | None = None
    time_to: str | None = None
    occurs_from: str | None = None
    occurs_to: str | None = None


class GetProfileArguments(KnownArguments):
    """The arguments of `get_profile`."""

    entity_type: EntityType = "user"
    entity_id: str | None = None


class SearchProfilesArguments(KnownArguments):
    """The arguments of `search_profiles`."""

    query: str
    top_k: int | None = None


async def _search_events(
    memory: Memory, scope: Scope, asked: SearchEventsArguments, language: Language, *, here_alone: bool = False
) -> str:
    conditions = asked.model_dump(exclude={"query", "top_k"}, exclude_none=True)
    everywhere = getattr(memory, "search_everywhere", None)
    if everywhere is not None and not here_alone and is_admin(memory.settings, scope):
        hits = await everywhere(asked.query, top_k=asked.top_k, **conditions)
    else:
        hits = await memory.search_events(asked.query, scope, top_k=asked.top_k, **conditions)
    return format_memories([], hits, language=language, max_tokens=MOST_TOKENS) or _ANSWERS["nothing"][language]


async def _get_profile(memory: Memory, scope: Scope, asked: GetProfileArguments, language: Language) -> str:
    entity_id = asked.entity_id or (scope.user_id if asked.entity_type == "user" else scope.group_id)
    profile = await memory.get_profile(asked.entity_type, entity_id, scope) if entity_id else None
    shown = format_memories([profile], [], language=language, max_tokens=MOST_TOKENS) if profile is not None else ""
    return shown or _ANSWERS["no_profile"][language]


async def _search_profiles(memory: Memory, scope: Scope, asked: SearchProfilesArguments, language: Language) -> str:
    hits = await memory.search_profiles(asked.query, scope, top_k=asked.top_k)
    return format_profile_hits(hits, language=language, max_tokens=MOST_TOKENS) or _ANSWERS["nothing"][language]


_CALLS: Mapping[str, tuple[type[Arguments], Any]] = {
    "search_events": (SearchEventsArguments, _search_events),
    "get_profile": (GetProfileArguments, _get_profile),
    "search_profiles": (SearchProfilesArguments, _search_profiles),
    "recall_deeply": (deep_recall.RecallDeeplyArguments, deep_recall.recall_deeply),
    "propose_recall": (deep_recall.ProposeRecallArguments, deep_recall.propose_recall),
}

MEMORY_TOOL_NAMES = tuple(_CALLS)


class MemoryTool(BaseTool):
    """One tool, bound to a memory and a conversation (or to a function that returns the current one).

    Call `ainvoke` in asynchronous code; `invoke` works everywhere and blocks a running event loop.
    """

    memory: Memory
    scope: Any
    language: Language = "zh"

    def __init__(
        self, *, name: str = "search_events", memory: Memory, scope: ScopeSource, language: Language = "zh", **more: Any
    ) -> None:
        if name not in _CALLS:
            raise InvalidInput(f"name: {name!r} is not a memory tool; expected one of {', '.join(_CALLS)}")
        super().__init__(
            **{
                "name": name,
                "description": _TOOLS[name][language],
                "args_schema": described(name, _CALLS[name][0], _ARGUMENTS, language),
                "memory": memory,
                "scope": scope,
                "language": language,
                "handle_validation_error": lambda error: _ANSWERS["wrong"][language] + problem(error, language),
                **more,
            }
        )

    async def _arun(self, *, run_manager: AsyncCallbackManagerForToolRun | None = None, **arguments: Any) -> str:
        try:
            scope = self.scope() if callable(self.scope) else self.scope
        except HistorianError as error:
            log.error("%s: the conversation is not known: %s", self.name, error)
            return _ANSWERS["failed"][self.language]
        return await handle_memory_call(self.memory, self.name, arguments, scope, language=self.language)

    def _run(self, *, run_manager: CallbackManagerForToolRun | None = None, **arguments: Any) -> str:
        return run_blocking(self._arun(**arguments))


def make_memory_tools(memory: Memory, scope: ScopeSource, *, language: Language = "zh") -> list[MemoryTool]:
    """Return all memory tools for LangChain."""
    return [MemoryTool(name=name, memory=memory, scope=scope, language=language) for name in _CALLS]


def memory_tool_schemas(language: Language = "zh") -> list[dict[str, Any]]:
    """Return all memory tools as plain OpenAI JSON, for the `tools` of a chat completion."""
    return [
        function_schema(name, _TOOLS[name][language], arguments, _ARGUMENTS, language) for name, (arguments, _) in _CALLS.items()
    ]


async def handle_memory_call(
    memory: Memory, name: str, arguments: str | Mapping[str, Any], scope: Scope, *, language: Language = "zh"
) -> str:
    """Carry out one call and return the answer for the model. Never raises for what the model wrote.

    `arguments` are those of the call, as JSON text or parsed. The answer is a quoted block, as `build_context` returns it.
    """
    return (await answer_memory_call(memory, name, arguments, scope, language=language)).text


class ToolAnswer(NamedTuple):
    """The answer for the model; `is_error` is True if the call could not be carried out."""

    text: str
    is_error: bool = False


async def answer_memory_call(
    memory: Memory,
    name: str,
    arguments: str | Mapping[str, Any],
    scope: Scope,
    *,
    language: Language = "zh",
    here_alone: bool = False,
) -> ToolAnswer:
    """`handle_memory_call` for protocols that distinguish answers from errors.

    With `here_alone`, administrators too search only the conversation of `scope`.
    """
    if name not in _CALLS:
        return ToolAnswer(_ANSWERS["wrong"][language] + unknown_tool(name, ", ".join(_CALLS), language), is_error=True)
    arguments_class, call = _CALLS[name]
    if here_alone and name == "search_events":
        call = partial(_search_events, here_alone=True)
    try:
        data = json.loads(arguments or "{}") if isinstance(arguments, str) else dict(arguments)
        answer: str = await call(memory, scope, arguments_class.model_validate(data), language)
    except (InvalidInput, ValueError, TypeError, RecursionError) as error:
        log.info("%s: the arguments are wrong: %s", name, problem(error, "en"))
        return ToolAnswer(_ANSWERS["wrong"][language] + problem(error, language, _ARGUMENTS), is_error=True)
    except HistorianError as error:
        log.error("%s: memory cannot be read: %s", name, error)
        return ToolAnswer(_ANSWERS["failed"][language], is_error=True)
    return ToolAnswer(answer)


def is_admin(settings: Settings, scope: Scope) -> bool:
    """Return True if the speaker of `scope` may search every conversation: an administrator in a private chat."""
    return scope.request_type == "private" and scope.user_id in settings.query.admin_user_ids
