"""Memory as tools for a bot's model: `search_events`, `get_profile`, `search_profiles`, `recall_deeply`, `propose_recall`.

With LangChain, bound to a service and to the conversation of the turn:

>>> tools = make_memory_tools(memory, Scope.group("100", "42"), language="zh")                # doctest: +SKIP
>>> model.bind_tools(tools)                                                                   # doctest: +SKIP

With a plain OpenAI client, offer `memory_tool_schemas()` and give each call to `handle_memory_call`:

>>> await handle_memory_call(memory, call.function.name, call.function.arguments, scope)      # doctest: +SKIP

The model chooses the query and what narrows it, never the conversation: that is the one the tools are bound to. Only
for the users in `cognitive.query.admin_user_ids`, in their private chats, does `search_events` look everywhere.
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
from ...schema.scope import EntityType, Scope
from ...schema.settings import Settings
from ...service.blocking import run_blocking
from ...text.language import Language
from . import deep_recall
from .argument_problems import problem, unknown_tool
from .memory import Memory
from .tool_arguments import Arguments, Texts, described, function_schema

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManagerForToolRun, CallbackManagerForToolRun

log = logging.getLogger(__name__)

ScopeSource = Scope | Callable[[], Scope]

MOST_TOKENS = 2_000
"""A tool's answer costs no more than about this."""

_TOOLS: Texts = {
    "search_events": {
        "zh": "在本会话的长期记忆里搜索：以前做过、说过、得知的事。想不起来、或用户提到以前的事时使用。",
        "en": "Search the long-term memory of this conversation: what was done, said or learnt before. Use it when something "
        "from the past is needed or the user refers to it.",
    },
    "get_profile": {
        "zh": "读取一个用户或本群的画像：长期不变的特点、喜好、约定。",
        "en": "Read the profile of a user or of this group: lasting traits, likes, agreements.",
    },
    "search_profiles": {
        "zh": "按描述查找人：谁喜欢某物、谁会做某事。返回相符的画像。",
        "en": "Find people by a description: who likes something, who can do something. Gives the profiles that fit.",
    },
    **deep_recall.TOOLS,
}

_ARGUMENTS: Texts = {
    "query": {"zh": "要找什么，用一句话或几个关键词", "en": "what to look for, as a sentence or a few words"},
    "top_k": {"zh": "最多几条，1–500；不填用默认值", "en": "at most so many, 1-500; leave out for the default"},
    "user_id": {"zh": "只看这个用户的记录（用户的平台 id）", "en": "only records of this user (a platform id)"},
    "kind": {"zh": "action：机器人做过的事；fact：得知的事", "en": "action: what the bot did; fact: what it learnt"},
    "time_from": {"zh": "不早于，如 2026-02-01", "en": "not before, such as 2026-02-01"},
    "time_to": {"zh": "不晚于，如 2026-02-28（含当天）", "en": "not after, such as 2026-02-28 (that day included)"},
    "entity_type": {"zh": "user 用户，group 本群", "en": "user, or group for this group"},
    "entity_id": {
        "zh": "用户的平台 id；不填为当前说话的人（或本群）",
        "en": "the user's platform id; leave out for who speaks now (or this group)",
    },
    **deep_recall.ARGUMENTS,
}

_ANSWERS: Texts = {
    "nothing": {"zh": "没有找到相关的记忆。", "en": "Nothing is remembered of that."},
    "no_profile": {"zh": "还没有画像。", "en": "There is no profile yet."},
    "wrong": {"zh": "参数有误：", "en": "The arguments are wrong: "},
    "failed": {"zh": "记忆暂时读不到。", "en": "Memory cannot be read at the moment."},
}


class SearchEventsArguments(Arguments):
    """What `search_events` is called with."""

    query: str
    top_k: int | None = None
    user_id: str | None = None
    kind: Literal["action", "fact"] | None = None
    time_from: str | None = None
    time_to: str | None = None


class GetProfileArguments(Arguments):
    """What `get_profile` is called with."""

    entity_type: EntityType = "user"
    entity_id: str | None = None


class SearchProfilesArguments(Arguments):
    """What `search_profiles` is called with."""

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
    """One tool, bound to a memory and a conversation (or to a function that gives the present one).

    `ainvoke` in asynchronous code; `invoke` works everywhere and holds a running event loop up meanwhile.
    """

    memory: Memory
    scope: Any
    language: Language = "zh"

    def __init__(
        self, *, name: str = "search_events", memory: Memory, scope: ScopeSource, language: Language = "zh", **more: Any
    ) -> None:
        if name not in _CALLS:
            raise InvalidInput(f"name: {name!r} is no tool of memory; there are {', '.join(_CALLS)}")
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
        scope = self.scope() if callable(self.scope) else self.scope
        return await handle_memory_call(self.memory, self.name, arguments, scope, language=self.language)

    def _run(self, *, run_manager: CallbackManagerForToolRun | None = None, **arguments: Any) -> str:
        return run_blocking(self._arun(**arguments))


def make_memory_tools(memory: Memory, scope: ScopeSource, *, language: Language = "zh") -> list[MemoryTool]:
    """All of these tools for LangChain."""
    return [MemoryTool(name=name, memory=memory, scope=scope, language=language) for name in _CALLS]


def memory_tool_schemas(language: Language = "zh") -> list[dict[str, Any]]:
    """All of these tools as plain OpenAI JSON, for the `tools` of a chat completion."""
    return [
        function_schema(name, _TOOLS[name][language], arguments, _ARGUMENTS, language) for name, (arguments, _) in _CALLS.items()
    ]


async def handle_memory_call(
    memory: Memory, name: str, arguments: str | Mapping[str, Any], scope: Scope, *, language: Language = "zh"
) -> str:
    """Carry out one call and return what to tell the model. Never raises for what the model wrote.

    `arguments` are the call's, as JSON text or parsed. The answer is a quoted block, as `build_context` makes them.
    """
    return (await answer_memory_call(memory, name, arguments, scope, language=language)).text


class ToolAnswer(NamedTuple):
    """What to tell the model, and whether that says that the call could not be carried out."""

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
    """`handle_memory_call` for protocols that tell an answer from a refusal.

    With `here_alone` administrators too search the conversation of `scope` alone.
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
    """Whether who speaks in `scope` may search every conversation: an administrator, in a private chat, unheard by others."""
    return scope.request_type == "private" and scope.user_id in settings.query.admin_user_ids
