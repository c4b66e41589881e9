"""Parses a model's message as an answer of a given class.

Tool calls are read first, then JSON in the text: servers that ignore `tool_choice` put the call
into the text, and reading it there saves a request.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from pydantic import BaseModel, ValidationError

from ...schema.protocols import Answer
from ..endpoint import clean_text
from .lenient_json import find_json, without_thoughts

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

_WRAPPERS = ("arguments", "parameters", "args", "input", "properties")
"""Keys under which models put the arguments when they write a tool call as text."""
_MOST_PROBLEMS = 5
_STOPPED = frozenset(
    {"content_filter", "safety", "prohibited_content", "blocklist", "sensitive", "refusal"}
)
"""Finish reasons of answers that a filter stopped, of OpenAI, Azure, DashScope, Gemini, Zhipu and
Anthropic."""
EMPTY = "it is empty"


@dataclass(frozen=True, slots=True)
class AnswerReading(Generic[Answer]):
    """A parsed answer, or the reason why there is none.

    `said` is the model's text (for the repair turn). `in_text` is True if the answer was in the
    text and not in a tool call, `is_near` if there was JSON of the wrong form, and `is_declined` if
    the model or its provider refuses to answer.
    """

    value: Answer | None
    problem: str = ""
    said: str = ""
    in_text: bool = False
    is_near: bool = False
    is_declined: bool = False


def read_answer(message: BaseMessage, answer: type[Answer]) -> AnswerReading[Answer]:
    """Parse `message` as an `answer`.

    Empty tool calls, truncated JSON and objects without a known key do not count.
    """
    said = str(message.text)
    if refusal := message.additional_kwargs.get("refusal"):
        return AnswerReading(
            None, f"the model declines: {clean_text(str(refusal))[:200]}", said, is_declined=True
        )
    ended = message.response_metadata.get("finish_reason") or message.response_metadata.get(
        "stop_reason"
    )
    if str(ended).casefold() in _STOPPED:
        return AnswerReading(
            None,
            f"the provider's content filter stopped the answer ({ended})",
            said,
            is_declined=True,
        )

    called, called_text, problem = _called_arguments(message)
    found = find_json(said)
    candidates = [*called, *reversed(found.objects)]
    if (only_list := _only_list_field(answer)) is not None:
        candidates += [{only_list: bare} for bare in found.lists]
    near = ""
    for number, candidate in enumerate(candidates):
        for value in _unwrapped(candidate, answer):
            try:
                return AnswerReading(
                    answer.model_validate(_clean(value)), said=said, in_text=number >= len(called)
                )
            except ValidationError as error:
                near = near or _worded(error)
    said = said.strip() or called_text
    if near:
        return AnswerReading(None, near, said, is_near=True)
    if found.cut_off or is_cut_off(message):
        problem = "the JSON is cut off"
    return AnswerReading(
        None, problem or ("it contains no JSON object of this form" if said else EMPTY), said
    )


def is_cut_off(message: BaseMessage) -> bool:
    """Return True if the answer reached its token limit."""
    return message.response_metadata.get("finish_reason") == "length"


def is_still_thinking(message: AIMessage) -> bool:
    """Return True if a truncated answer has no JSON yet, or ends inside the model's reasoning."""
    called = message.tool_calls or message.invalid_tool_calls
    return not called and "{" not in without_thoughts(message.text)


def _called_arguments(message: BaseMessage) -> tuple[list[dict[str, Any]], str, str]:
    """Return the tool calls' non-empty arguments, their text, and the problem of unusable calls."""
    arguments: list[Any] = []
    problem = ""
    for call in getattr(message, "tool_calls", []):
        arguments.append(call["args"])
        problem = problem or ("" if call["args"] else "the tool call has no arguments")
    raw = [call.get("args") or "" for call in getattr(message, "invalid_tool_calls", [])]
    old_style = message.additional_kwargs.get("function_call")
    if isinstance(old_style, dict):
        raw.append(str(old_style.get("arguments") or ""))
    for text in raw:
        found = find_json(text)
        arguments += found.objects
        if not found.objects:
            problem = (
                f"the arguments of the tool call are {'cut off' if found.cut_off else 'not JSON'}"
            )
    usable = [value for value in arguments if isinstance(value, dict) and value]
    text = "\n".join([json.dumps(value, ensure_ascii=False) for value in usable] + raw)
    return usable, text, problem


def _unwrapped(candidate: dict[str, Any], answer: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """Yield the objects in `candidate` that hold a key of the class, innermost first."""
    known = set(answer.model_fields) | {
        field.alias for field in answer.model_fields.values() if field.alias
    }
    inner: list[Any] = [
        candidate[key] for key in _WRAPPERS if key in candidate and key not in known
    ]
    function = candidate.get("function")
    if isinstance(function, dict) and "function" not in known:
        inner += [function.get(key) for key in _WRAPPERS]
    if len(candidate) == 1 and not known & candidate.keys():
        inner += candidate.values()
    for value in inner:
        if isinstance(value, str):
            value = next(iter(find_json(value).objects), None)
        if isinstance(value, dict) and known & value.keys():
            yield value
    if known & candidate.keys():
        yield candidate


def _only_list_field(answer: type[BaseModel]) -> str | None:
    """Return the name of the class's only field if it is a list, else None.

    For such a class a bare list is accepted as an answer, too.
    """
    properties = answer.model_json_schema().get("properties", {})
    if len(properties) != 1:
        return None
    ((name, node),) = properties.items()
    return name if node.get("type") == "array" else None


def _clean(value: Any) -> Any:
    """Return `value` with every string in it cleaned (see `clean_text`)."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value


def _worded(error: ValidationError) -> str:
    problems = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'the object'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    more = len(problems) - _MOST_PROBLEMS
    return "; ".join(problems[:_MOST_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")
