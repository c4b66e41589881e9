"""The `end` tool, with which a bot's model hands its turn over to memory.

With LangChain, bind the tool to a service and to the conversation of the turn:

>>> tool = make_end_tool(memory, {"user_id": "42", "user_name": "Ann"}, language="en")        # doctest: +SKIP
>>> model.bind_tools([tool])                                                                  # doctest: +SKIP

With a plain OpenAI client, offer `end_tool_schema()` and give what the model calls it with to `handle_end_call`:

>>> await handle_end_call(memory, call.function.arguments, {"user_id": "42"})                 # doctest: +SKIP

`system_prompt_text()` tells the model what `action_summary` and `new_info` hold; put it into the system prompt.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator, model_validator

from ...prompts.templates import render
from ...schema.errors import HistorianError
from ...schema.language import Language
from .argument_problems import problem
from .texts import TEXTS, Texts
from .tool_arguments import Arguments, described, function_schema

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool

    from ...service.cognitive import CognitiveService

log = logging.getLogger(__name__)

END_TOOL_NAME = "end"

END_ARGUMENTS: Texts = TEXTS["end_arguments"]
_ANSWERS: Texts = TEXTS["end_answers"]


class EndArguments(Arguments):
    """The arguments of `end`. Accepts the old name `summary` for `action_summary`, and one string for a list of one."""

    action_summary: str = ""
    new_info: list[str] = Field(default_factory=list)
    force: bool = False

    @model_validator(mode="before")
    @classmethod
    def _old_name(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        summary = data.get("summary")
        is_used = isinstance(summary, str) and summary and not data.get("action_summary")
        return {**data, "action_summary": summary} if is_used else data

    @field_validator("new_info", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        """Accept one string, or a JSON list inside of a string, which some models send for a list."""
        if not isinstance(value, str):
            return value
        if value.lstrip().startswith("["):
            try:
                parsed = json.loads(value)
            except ValueError:
                return [value]
            if isinstance(parsed, list):
                return [str(item) for item in parsed]
        return [value] if value.strip() else []


def end_tool_schema(language: Language = "zh") -> dict[str, Any]:
    """Return the tool as plain OpenAI JSON, for the `tools` of a chat completion."""
    wanted = ("action_summary", "new_info")
    return function_schema(END_TOOL_NAME, render("end_tool", language), EndArguments, END_ARGUMENTS, language, required=wanted)


def system_prompt_text(language: Language = "zh") -> str:
    """Return a section for the bot's system prompt: when to call `end`, and what its arguments hold."""
    return render("end_guidance", language)


async def handle_end_call(
    memory: CognitiveService,
    arguments: str | Mapping[str, Any],
    conversation: Mapping[str, Any],
    *,
    language: Language = "zh",
    replied: Callable[[], bool] | None = None,
) -> str:
    """Carry out one call of the tool and return the answer for the model. Never raises for what the model wrote.

    `arguments` are those of the call, as JSON text or parsed. `conversation` are the job's other fields (`user_id`, `group_id`,
    `user_name`, `request_id`, `recent_messages`, …; see `CognitiveService.enqueue_job`); the model cannot change them.
    `replied`, if given, returns True if the bot said anything in this turn; if it did not, only `force` ends the turn.
    """
    try:
        parsed = _parsed(arguments)
    except (ValueError, TypeError, RecursionError) as error:
        return _ANSWERS["wrong"][language] + problem(error, language)
    if replied is not None and not parsed.force and not replied():
        return _ANSWERS["no_reply"][language]
    fields = {key: value for key, value in conversation.items() if key not in ("action_summary", "new_info", "force")}
    try:
        job_id = await memory.enqueue_job(parsed.action_summary, parsed.new_info, force=parsed.force, **fields)
    except HistorianError as error:
        log.error("a turn could not be handed over to memory: %s", error)
        return _ANSWERS["lost"][language] + problem(error, language)
    if not memory.settings.cognitive.enabled:
        return _ANSWERS["disabled"][language]
    return _ANSWERS["kept" if job_id is not None else "nothing"][language]


def make_end_tool(
    memory: CognitiveService,
    conversation: Mapping[str, Any] | Callable[[], Mapping[str, Any]],
    *,
    language: Language = "zh",
    replied: Callable[[], bool] | None = None,
) -> StructuredTool:
    """Return the LangChain tool `end`, bound to a service and a conversation (or to a function that returns the current one).

    It is asynchronous (`ainvoke`) and ends an agent's turn (`return_direct`). See also `handle_end_call`.
    """
    from langchain_core.tools import StructuredTool

    async def end(**arguments: Any) -> str:
        current = conversation() if callable(conversation) else conversation
        return await handle_end_call(memory, arguments, current, language=language, replied=replied)

    return StructuredTool.from_function(
        coroutine=end,
        name=END_TOOL_NAME,
        description=render("end_tool", language),
        args_schema=described(END_TOOL_NAME, EndArguments, END_ARGUMENTS, language),
        return_direct=replied is None,
        infer_schema=False,
        handle_validation_error=lambda error: _ANSWERS["wrong"][language] + problem(error, language),
    )


def _parsed(arguments: str | Mapping[str, Any]) -> EndArguments:
    return EndArguments.model_validate(json.loads(arguments or "{}") if isinstance(arguments, str) else dict(arguments))
