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
one. There is one exception: if a user in `cognitive.query.admin_user_ids` asks in a private chat,
`search_events` searches all conversations.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from langchain_core.tools import StructuredTool

from ...schema.errors import HistorianError, InvalidInput
from ...schema.language import Language, LanguageChoice
from ...schema.scope import Scope
from ...service.blocking import run_blocking
from ...service.recall.reading import Reading
from . import correcting, deep_recall, searching
from .argument_problems import problem, unknown_tool
from .texts import TEXTS, Texts, spoken
from .tool_arguments import Arguments, function_schema, read_arguments

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


_CALLS: Mapping[str, tuple[type[Arguments], Any]] = {
    "search_events": (searching.SearchEventsArguments, searching.search_events),
    "get_profile": (searching.GetProfileArguments, searching.get_profile),
    "search_profiles": (searching.SearchProfilesArguments, searching.search_profiles),
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
    described_in = memory.language_of(
        scope if isinstance(scope, Scope) else None, language=language
    )
    return [
        _tool(memory, scope, language, _function(name, described_in))
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
    described_in = spoken(language, said)
    return [_function(name, described_in) for name in _offered(may_correct, may_withdraw)]


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

    With `here_alone`, even administrators search only the conversation of `scope`.
    """
    answer_language = memory.language_of(scope, _asked(arguments), language=language)
    offered = _offered(may_correct, may_withdraw)
    if name not in offered:
        return ToolAnswer(
            _ANSWERS["wrong"][answer_language]
            + unknown_tool(name, ", ".join(offered), answer_language),
            is_error=True,
        )
    state = memory.reading_state()
    if state in ("off", "closed"):
        log.error(
            "%s: nothing is looked up: memory is %s",
            name,
            "switched off" if state == "off" else "not open",
        )
        return ToolAnswer(_ANSWERS[state][answer_language], is_error=state == "closed")
    arguments_class, call = offered[name]
    if here_alone and name == "search_events":
        call = partial(searching.search_events, here_alone=True)
    try:
        data = read_arguments(arguments)
        answer: str = await call(
            memory, scope, arguments_class.model_validate(data), answer_language
        )
    except (InvalidInput, ValueError, TypeError, RecursionError) as error:
        log.info("%s: the arguments are wrong: %s", name, problem(error, "en"))
        return ToolAnswer(
            _ANSWERS["wrong"][answer_language] + problem(error, answer_language, _ARGUMENTS),
            is_error=True,
        )
    except HistorianError as error:
        log.error("%s: memory cannot be read: %s", name, error)
        return ToolAnswer(_ANSWERS["failed"][answer_language], is_error=True)
    return _with_state(memory, answer, answer_language)


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
