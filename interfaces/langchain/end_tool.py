"""The `end` tool, by which a bot's model hands its turn over to memory.

With LangChain, bind the tool to a service and to the conversation of the turn:

>>> tool = make_end_tool(memory, {"user_id": "42", "user_name": "Ann"}, language="en")        # doctest: +SKIP
>>> model.bind_tools([tool])                                                                  # doctest: +SKIP

With a plain OpenAI client, offer `end_tool_schema()` and pass the arguments of a call to
`handle_end_call`:

>>> await handle_end_call(memory, call.function.arguments, {"user_id": "42"})                 # doctest: +SKIP

Add `system_prompt_text()` to the system prompt. It explains the arguments `action_summary` and
`new_info` to the model.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import Field, field_validator, model_validator

from ...models.chat.lenient_json import find_json
from ...prompts.templates import render
from ...schema.errors import HistorianError, InvalidInput
from ...schema.language import Language, LanguageChoice
from ...schema.scope import Scope
from .argument_problems import problem
from .texts import TEXTS, Texts, spoken
from .tool_arguments import Arguments, function_schema, read_arguments

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool

    from ...service.cognitive import CognitiveService

log = logging.getLogger(__name__)

END_TOOL_NAME = "end"

OLD_NAME = "summary"
"""A former name of `action_summary`."""
_TEXT_KEYS = (
    "text",
    "fact",
    "content",
    "info",
    "statement",
    "summary",
    "action_summary",
    "value",
    "item",
)
"""Keys under which models put the text of an item if they return it as a mapping."""
_IDS = (("user_id", "sender_id"), ("group_id", "group_id"))

END_ARGUMENTS: Texts = TEXTS["end_arguments"]
_ANSWERS: Texts = TEXTS["end_answers"]


class EndArguments(Arguments):
    """The arguments of `end`. Accepts OLD_NAME for `action_summary`, and text, lists and mappings in place of one another."""

    action_summary: str = ""
    new_info: list[str] = Field(default_factory=list)
    force: bool = False

    @model_validator(mode="before")
    @classmethod
    def _old_name(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        summary = data.get(OLD_NAME)
        is_used = isinstance(summary, str) and summary and not data.get("action_summary")
        return {**data, "action_summary": summary} if is_used else data

    @field_validator("action_summary", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        parts = _texts(value)
        return value if parts is None else "; ".join(parts)

    @field_validator("new_info", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        """Also accept a list written as a JSON string: some models send this."""
        if isinstance(value, str):
            found = find_json(value).lists if value.lstrip().startswith(("[", "```")) else []
            value = found[0] if found else [value] if value.strip() else []
        parts = _texts(value)
        return value if parts is None else parts


def _texts(value: Any) -> list[str] | None:
    """Return the texts of a value, one per item, or None if an item holds no text.

    >>> _texts([{"kind": "taste", "fact": "Ann likes tea"}, "She has a cat"]), _texts({"Ann": "likes tea", "Ben": "has a cat"})
    (['Ann likes tea', 'She has a cat'], ['Ann: likes tea', 'Ben: has a cat'])
    """
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        named = next((value[key] for key in _TEXT_KEYS if isinstance(value.get(key), str)), None)
        if named is not None:
            return [named]
        items = [
            (_texts(one), "" if str(key).isdigit() else f"{key}: ") for key, one in value.items()
        ]
    else:
        items = [(_texts(one), "") for one in value] if isinstance(value, list) else []
    if (not items and value != []) or any(not texts for texts, _ in items):
        return None
    return [label + "; ".join(texts or ()) for texts, label in items]


def end_tool_schema(
    language: LanguageChoice = "auto", *, said: str | Sequence[str] = ()
) -> dict[str, Any]:
    """Return the tool as plain OpenAI JSON, for the `tools` of a chat completion.

    "auto" is the language of `said`, or Chinese if `said` is empty. `memory.language_of(scope)`
    returns the language of a conversation.
    """
    written, wanted = spoken(language, said), ("action_summary", "new_info")
    return function_schema(
        END_TOOL_NAME,
        render("end_tool", written),
        EndArguments,
        END_ARGUMENTS,
        written,
        required=wanted,
    )


def system_prompt_text(language: LanguageChoice = "auto", *, said: str | Sequence[str] = ()) -> str:
    """Return a section for the bot's system prompt: when to call `end`, and with which arguments.

    "auto" is the language of `said`, or Chinese if `said` is empty. `memory.language_of(scope)`
    returns the language of a conversation.
    """
    return render("end_guidance", spoken(language, said))


async def handle_end_call(
    memory: CognitiveService,
    arguments: str | Mapping[str, Any],
    conversation: Mapping[str, Any],
    *,
    language: LanguageChoice | None = None,
    replied: Callable[[], bool] | None = None,
) -> str:
    """Carry out one call of the tool and return the answer for the model.

    Never raises for wrong `arguments`, which are JSON text or parsed. The answer lists unknown
    arguments. `conversation` holds the other fields of the job (`user_id`, `group_id`, `user_name`,
    `request_id`, `recent_messages`, …; see `CognitiveService.enqueue_job`); the model cannot change
    them. `language` is the language of the answer, as in `CognitiveService.language_of`. `replied`,
    if given, returns True if the bot has sent a reply in this turn; without a reply, only `force`
    ends the turn.
    """
    return (await _ended(memory, arguments, conversation, language, replied)).text


def make_end_tool(
    memory: CognitiveService,
    conversation: Mapping[str, Any] | Callable[[], Mapping[str, Any]],
    *,
    language: LanguageChoice | None = None,
    replied: Callable[[], bool] | None = None,
    return_direct: bool = False,
) -> StructuredTool:
    """Return the LangChain tool `end`, bound to a service and a conversation.

    `conversation` may be a function that returns the current conversation. The tool is asynchronous
    only (`ainvoke`). A prebuilt agent calls the model once more after the tool; the tool's answer
    asks the model for its reply, which is then the last message. With `return_direct` the agent
    ends with the tool's answer: for bots that send their replies by another tool. Your own graph
    may end when it sees the tool's message. `language` is as in `CognitiveService.language_of`. See
    also `handle_end_call`.
    """
    from langchain_core.tools import StructuredTool

    async def end(**arguments: Any) -> str:
        current = conversation() if callable(conversation) else conversation
        answer = await _ended(memory, arguments, current, language, replied)
        if return_direct or not answer.has_ended:
            return answer.text
        return f"{answer.text} {_ANSWERS['reply_now'][answer.language]}"

    known = _scope_of(conversation) if isinstance(conversation, Mapping) else None
    function = end_tool_schema(memory.language_of(known, language=language))["function"]
    return StructuredTool(
        name=END_TOOL_NAME,
        description=function["description"],
        args_schema=function["parameters"],
        coroutine=end,
        return_direct=return_direct,
    )


class _Answer(NamedTuple):
    text: str
    language: Language
    has_ended: bool = True


async def _ended(
    memory: CognitiveService,
    arguments: str | Mapping[str, Any],
    conversation: Mapping[str, Any],
    asked: LanguageChoice | None,
    replied: Callable[[], bool] | None,
) -> _Answer:
    """Carry out a call and return the answer.

    The arguments decide the language of the answer if the conversation's language is not known yet.
    """
    scope = _scope_of(conversation)
    try:
        given = read_arguments(arguments)
        parsed = EndArguments.model_validate(given)
    except (ValueError, TypeError, RecursionError) as error:
        language = memory.language_of(scope, language=asked)
        log.warning(
            "a turn is not kept: the arguments of `end` are wrong: %s", problem(error, "en")
        )
        return _Answer(
            _ANSWERS["wrong"][language] + problem(error, language), language, has_ended=False
        )
    language = memory.language_of(scope, [parsed.action_summary, *parsed.new_info], language=asked)
    if replied is not None and not parsed.force and not replied():
        return _Answer(_ANSWERS["no_reply"][language], language, has_ended=False)
    fields = {
        key: value
        for key, value in conversation.items()
        if key not in ("action_summary", "new_info", "force")
    }
    try:
        job_id = await memory.enqueue_job(
            parsed.action_summary, parsed.new_info, force=parsed.force, **fields
        )
    except HistorianError as error:
        log.error("a turn could not be handed over to memory: %s", error)
        return _Answer(_ANSWERS["lost"][language] + problem(error, language), language)
    outcome = (
        "disabled"
        if not memory.settings.cognitive.enabled
        else "nothing"
        if job_id is None
        else "kept"
    )
    if outcome == "kept" and memory.reading_state() == "unreadable":
        outcome = "kept_unread"
    answer = _ANSWERS[outcome][language]
    if unknown := [
        str(name)[:60] for name in given if name not in (*EndArguments.model_fields, OLD_NAME)
    ]:
        answer += _ANSWERS["left_out"][language].format(
            names=", ".join(unknown), known=", ".join(EndArguments.model_fields)
        )
    return _Answer(answer, language)


def _scope_of(conversation: Mapping[str, Any]) -> Scope | None:
    """Return the scope named by the job's fields, or None. `make_job` reports a missing scope."""
    user_id, group_id = (conversation.get(name) or conversation.get(other) for name, other in _IDS)
    try:
        return (
            Scope.group(group_id, user_id or "")
            if group_id
            else Scope.private(user_id)
            if user_id
            else None
        )
    except InvalidInput:
        return None
