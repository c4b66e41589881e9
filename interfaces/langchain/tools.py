"""Memory as tools for a bot's model.

`search_events`, `get_profile`, `search_profiles`, `recall_deeply` and `propose_recall` read.
`correct_memory`, `pin_memory`, `unpin_memory` and `list_pins` let users correct memory, and
`forget_message` is for the bot's owner; these are offered only if the bot asks for them.

With LangChain, bind the tools to a service and to the conversation of the turn:

>>> tools = make_memory_tools(memory, Scope.group("100", "42"), language="zh")                # doctest: +SKIP
>>> model.bind_tools(tools)                                                                   # doctest: +SKIP

With a plain OpenAI client, offer `memory_tool_schemas()` and pass each call to
`handle_memory_call`:

>>> await handle_memory_call(memory, call.function.name, call.function.arguments, scope)      # doctest: +SKIP

The model chooses the query and its conditions, but not the conversation: the tools are bound to
one. As an exception, `search_events` searches every conversation for the users in
`cognitive.query.admin_user_ids`, in their private chats.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from langchain_core.tools import StructuredTool
from pydantic import Field

from ...retrieval.filters import MOST_HITS
from ...retrieval.prompt_block.formatting import format_memories, format_profile_hits
from ...schema.errors import HistorianError, InvalidInput
from ...schema.event import EventKind
from ...schema.language import Language, LanguageChoice
from ...schema.scope import EntityType, Scope
from ...schema.settings import Settings
from ...service.blocking import run_blocking
from ...service.recall.reading import MOST_NEIGHBOURS, Reading
from . import correcting, deep_recall
from .argument_problems import problem, unknown_tool
from .correcting import MOST_TOKENS
from .texts import TEXTS, Texts, spoken
from .tool_arguments import Arguments, TargetArguments, function_schema, read_arguments

log = logging.getLogger(__name__)

ScopeSource = Scope | Callable[[], Scope]

_TOOLS: Texts = TEXTS["tools"]
_ARGUMENTS: Texts = TEXTS["arguments"]
_ANSWERS: Texts = TEXTS["answers"]
_NOTHING_FOUND = frozenset(
    text
    for name in ("nothing", "no_profile", "nothing_comes_back")
    for text in TEXTS["answers"][name].values()
)


class SearchEventsArguments(TargetArguments):
    """The arguments of `search_events`."""

    query: str
    top_k: int | None = None
    user_id: str | None = None
    kind: EventKind | None = None
    time_from: str | None = None
    time_to: str | None = None
    occurs_from: str | None = None
    occurs_to: str | None = None
    tags: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] | None = None
    neighbours: int | None = Field(default=None, ge=0, le=MOST_NEIGHBOURS)


class GetProfileArguments(TargetArguments):
    """The arguments of `get_profile`."""

    entity_type: EntityType | None = "user"
    entity_id: str | None = None


class SearchProfilesArguments(TargetArguments):
    """The arguments of `search_profiles`."""

    query: str
    top_k: int | None = None


async def _search_events(
    memory: Reading,
    scope: Scope,
    asked: SearchEventsArguments,
    language: Language,
    *,
    here_alone: bool = False,
) -> str:
    other = {"query", "top_k", "neighbours", *TargetArguments.model_fields}
    conditions = asked.model_dump(exclude=other, exclude_none=True)
    match asked.target(scope):
        case "user", user_id:
            conditions.setdefault("user_id", user_id)
    everywhere = getattr(memory, "search_everywhere", None)
    if everywhere is not None and not here_alone and is_admin(memory.settings, scope):
        hits = await everywhere(asked.query, top_k=asked.top_k, **conditions)
    else:
        around = asked.neighbours or 0
        hits = await memory.search_events(
            asked.query, scope, top_k=asked.top_k, neighbours=around, **conditions
        )
    names = await memory.shown_names(scope, asked.query, language)
    shown = format_memories([], hits, language=language, max_tokens=MOST_TOKENS, names=names)
    return shown or _ANSWERS["nothing"][language]


async def _get_profile(
    memory: Reading, scope: Scope, asked: GetProfileArguments, language: Language
) -> str:
    named = asked.target(scope)
    if asked.entity_id and not asked.target_user_id and not asked.target_group_id:
        named = asked.entity_type or "user", asked.entity_id
    profile = await memory.get_profile(*named, scope) if named else None
    if profile is None:
        return _ANSWERS["no_profile"][language]
    names = await memory.shown_names(scope, (), language)
    shown = format_memories([profile], [], language=language, max_tokens=MOST_TOKENS, names=names)
    return shown or _ANSWERS["no_profile"][language]


async def _search_profiles(
    memory: Reading, scope: Scope, asked: SearchProfilesArguments, language: Language
) -> str:
    named = asked.target(scope) if asked.target_user_id or asked.target_group_id else None
    is_narrowed = named is not None or asked.entity_type is not None
    hits = await memory.search_profiles(
        asked.query, scope, top_k=MOST_HITS if is_narrowed else asked.top_k
    )
    keys = [(hit, hit.profile.key) for hit in hits]
    fitting = [
        hit
        for hit, key in keys
        if asked.entity_type in (None, key.entity_type)
        and named in (None, (key.entity_type, key.entity_id))
    ]
    hits = fitting[: asked.top_k or memory.settings.query.profile_top_k]
    names = await memory.shown_names(scope, asked.query, language)
    shown = format_profile_hits(hits, language=language, max_tokens=MOST_TOKENS, names=names)
    return shown or _ANSWERS["nothing"][language]


_CALLS: Mapping[str, tuple[type[Arguments], Any]] = {
    "search_events": (SearchEventsArguments, _search_events),
    "get_profile": (GetProfileArguments, _get_profile),
    "search_profiles": (SearchProfilesArguments, _search_profiles),
    "recall_deeply": (deep_recall.RecallDeeplyArguments, deep_recall.recall_deeply),
    "propose_recall": (deep_recall.ProposeRecallArguments, deep_recall.propose_recall),
}

_CORRECTING: Mapping[str, tuple[type[Arguments], Any]] = {
    "correct_memory": (correcting.CorrectMemoryArguments, correcting.correct_memory),
    "pin_memory": (correcting.PinMemoryArguments, correcting.pin_memory),
    "unpin_memory": (correcting.UnpinMemoryArguments, correcting.unpin_memory),
    "list_pins": (correcting.ListPinsArguments, correcting.list_pins),
}
_WITHDRAWING: Mapping[str, tuple[type[Arguments], Any]] = {
    "forget_message": (correcting.ForgetMessageArguments, correcting.forget_message),
}
"""Tools that change memory, like `_CORRECTING`: they are offered only if the bot asks for them."""

CORRECTING_TOOL_NAMES = tuple(_CORRECTING)
MEMORY_TOOL_NAMES = (*_CALLS, *_CORRECTING, *_WITHDRAWING)


def make_memory_tools(
    memory: Reading,
    scope: ScopeSource,
    *,
    language: LanguageChoice | None = None,
    may_correct: bool = False,
    may_withdraw: bool = False,
) -> list[StructuredTool]:
    """Return the memory tools for LangChain, bound to a conversation.

    `scope` may be a function that returns the current conversation. Call `ainvoke` in asynchronous
    code; `invoke` works everywhere, but blocks a running event loop.

    With `may_correct` the tools that correct and pin are included. Every speaker can then remove
    statements from the speaker's own profile, from the group's profile and from the events of the
    conversation; `undo` restores them. With `may_withdraw` the tool `forget_message` is included,
    which is meant for the bot's owner only.

    `language` is the language of descriptions and answers, as in `CognitiveService.language_of`.
    The language of the descriptions is chosen now, the language of an answer at each call.
    """
    written = memory.language_of(scope if isinstance(scope, Scope) else None, language=language)
    return [
        _tool(memory, scope, language, _function(name, written))
        for name in _offered(may_correct, may_withdraw)
    ]


def _tool(
    memory: Reading, scope: ScopeSource, language: LanguageChoice | None, schema: Mapping[str, Any]
) -> StructuredTool:
    name = schema["function"]["name"]
    how: dict[str, Any] = {"language": language, "may_correct": True, "may_withdraw": True}

    async def call(**arguments: Any) -> str:
        try:
            current = scope() if callable(scope) else scope
        except HistorianError as error:
            log.error("%s: the conversation is not known: %s", name, error)
            return _ANSWERS["failed"][memory.language_of(None, language=language)]
        return await handle_memory_call(memory, name, arguments, current, **how)

    def call_blocking(**arguments: Any) -> str:
        return run_blocking(call(**arguments))

    return StructuredTool(
        name=name,
        description=schema["function"]["description"],
        args_schema=schema["function"]["parameters"],
        func=call_blocking,
        coroutine=call,
    )


def memory_tool_schemas(
    language: LanguageChoice = "auto",
    *,
    said: str | Sequence[str] = (),
    may_correct: bool = False,
    may_withdraw: bool = False,
) -> list[dict[str, Any]]:
    """Return the memory tools as plain OpenAI JSON, for the `tools` of a chat completion.

    "auto" is the language of `said`, or Chinese if `said` is empty. `memory.language_of(scope)`
    returns the language of a conversation. `may_correct` and `may_withdraw` are as in
    `make_memory_tools`.
    """
    written = spoken(language, said)
    return [_function(name, written) for name in _offered(may_correct, may_withdraw)]


def _offered(may_correct: bool, may_withdraw: bool) -> Mapping[str, tuple[type[Arguments], Any]]:
    correcting = _CORRECTING if may_correct else {}
    return {**_CALLS, **correcting, **(_WITHDRAWING if may_withdraw else {})}


def _function(name: str, language: Language) -> dict[str, Any]:
    arguments, _ = _offered(may_correct=True, may_withdraw=True)[name]
    return function_schema(name, _TOOLS[name][language], arguments, _ARGUMENTS, language)


async def handle_memory_call(
    memory: Reading,
    name: str,
    arguments: str | Mapping[str, Any],
    scope: Scope,
    *,
    language: LanguageChoice | None = None,
    may_correct: bool = False,
    may_withdraw: bool = False,
) -> str:
    """Carry out one call and return the answer for the model. Never raises for wrong `arguments`.

    `arguments` are JSON text or parsed. The answer is a quoted block, as `build_context` returns
    it, in `language` (as in `CognitiveService.language_of`). `may_correct` and `may_withdraw` are
    as in `make_memory_tools`.
    """
    how: dict[str, Any] = {"may_correct": may_correct, "may_withdraw": may_withdraw}
    return (await answer_memory_call(memory, name, arguments, scope, language=language, **how)).text


class ToolAnswer(NamedTuple):
    """The answer for the model; `is_error` is True if the call could not be carried out."""

    text: str
    is_error: bool = False


async def answer_memory_call(
    memory: Reading,
    name: str,
    arguments: str | Mapping[str, Any],
    scope: Scope,
    *,
    language: LanguageChoice | None = None,
    here_alone: bool = False,
    may_correct: bool = False,
    may_withdraw: bool = False,
) -> ToolAnswer:
    """Carry out a call like `handle_memory_call`; the answer is marked if it is an error.

    With `here_alone`, administrators also search only the conversation of `scope`.
    """
    written = memory.language_of(scope, _asked(arguments), language=language)
    offered = _offered(may_correct, may_withdraw)
    if name not in offered:
        return ToolAnswer(
            _ANSWERS["wrong"][written] + unknown_tool(name, ", ".join(offered), written),
            is_error=True,
        )
    state = memory.reading_state()
    if state in ("off", "closed"):
        log.error(
            "%s: nothing is looked up: memory is %s",
            name,
            "switched off" if state == "off" else "not open",
        )
        return ToolAnswer(_ANSWERS[state][written], is_error=state == "closed")
    arguments_class, call = offered[name]
    if here_alone and name == "search_events":
        call = partial(_search_events, here_alone=True)
    try:
        data = read_arguments(arguments)
        answer: str = await call(memory, scope, arguments_class.model_validate(data), written)
    except (InvalidInput, ValueError, TypeError, RecursionError) as error:
        log.info("%s: the arguments are wrong: %s", name, problem(error, "en"))
        return ToolAnswer(
            _ANSWERS["wrong"][written] + problem(error, written, _ARGUMENTS), is_error=True
        )
    except HistorianError as error:
        log.error("%s: memory cannot be read: %s", name, error)
        return ToolAnswer(_ANSWERS["failed"][written], is_error=True)
    return _with_state(memory, answer, written)


def _with_state(memory: Reading, answer: str, language: Language) -> ToolAnswer:
    """Return the answer. If nothing was found and memory works only in part, add the reason."""
    state = memory.reading_state()
    if answer not in _NOTHING_FOUND or state == "open":
        return ToolAnswer(answer)
    if state == "keywords":
        return ToolAnswer(answer + _ANSWERS["by_words"][language])
    return ToolAnswer(_ANSWERS["failed"][language], is_error=True)


def _asked(arguments: str | Mapping[str, Any]) -> str:
    """Return the text of a call. It decides the language if the conversation's is not known yet."""
    try:
        given = read_arguments(arguments)
    except (ValueError, TypeError, RecursionError):
        return ""
    return next(
        (
            said
            for name in ("query", "about", "wrong", "text")
            if isinstance(said := given.get(name), str)
        ),
        "",
    )


def is_admin(settings: Settings, scope: Scope) -> bool:
    """Return True if the speaker of `scope` is an administrator in a private chat.

    Such a speaker may search every conversation.
    """
    return scope.request_type == "private" and scope.user_id in settings.query.admin_user_ids
