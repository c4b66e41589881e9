"""The Chinese and English texts of the MCP server: instructions, answers, and its own two tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from ...schema.language import Language
from ..langchain.end_tool import END_ARGUMENTS, EndArguments
from ..langchain.texts import Texts, read_texts
from ..langchain.tool_arguments import KnownArguments, function_schema

_TEXTS = read_texts(__file__)
INSTRUCTIONS: Mapping[Language, str] = _TEXTS["server"]["instructions"]
ANSWERS: Texts = _TEXTS["answers"]
ARGUMENTS: Texts = _TEXTS["arguments"]
LABEL_ARGUMENTS: Texts = _TEXTS["label_arguments"]


class RecallArguments(KnownArguments):
    """The arguments of `recall`."""

    model_config = ConfigDict(str_strip_whitespace=True)

    query: str = Field(min_length=1)
    top_k: Annotated[int, Field(strict=True, ge=1, le=500)] | None = None


class RememberArguments(EndArguments):
    """The arguments of `remember`: those of a turn, with its labels."""

    tags: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] | None = None
    expires_at: str | None = None


def own_tools(language: Language, *, writing: bool) -> list[dict[str, Any]]:
    """Return the schemas of `recall`, and with `writing` also of `remember`, as OpenAI JSON."""
    recall = function_schema(
        "recall", _TEXTS["tools"]["recall"][language], RecallArguments, ARGUMENTS, language
    )
    if not writing:
        return [recall]
    fields = ("new_info", "action_summary", "tags", "metadata", "expires_at")
    text, told = _TEXTS["tools"]["remember"][language], {**END_ARGUMENTS, **LABEL_ARGUMENTS}
    return [
        recall,
        function_schema("remember", text, RememberArguments, told, language, fields=fields),
    ]
