"""Pydantic classes as tools, as JSON schemas, and as one line of text for a prompt.

Every token of a tool schema costs money in each call. So titles, defaults, references and limits
that pydantic checks anyway are left out.
"""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

_KEPT = ("type", "enum", "const", "description", "required")
_LONGEST_LIST_LIMIT = 64
"""Largest `minItems` or `maxItems` that is kept: it tells the model how many texts to return.
Larger limits overload the grammars of some servers."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """A form of answers: the tool's `name` and `description`, and the `schema` of its arguments.

    `shape` is the schema as one line of text, for a prompt without tools.
    """

    name: str
    description: str
    schema: dict[str, Any]
    shape: str

    @property
    def tool(self) -> dict[str, Any]:
        function: dict[str, Any] = {"name": self.name, "parameters": self.schema}
        if self.description:
            function["description"] = self.description
        return {"type": "function", "function": function}

    @property
    def response_format(self) -> dict[str, Any]:
        return {"type": "json_schema", "json_schema": {"name": self.name, "schema": self.schema}}


@lru_cache(maxsize=64)
def answer_form(answer: type[BaseModel]) -> AnswerForm:
    """Return the form of a class.

    The description is the first paragraph of the class's docstring. The name is the `title` of its
    `model_config`, else the class name in snake case.
    """
    full = answer.model_json_schema()
    schema = _compact(full, full.get("$defs", {}), ())
    schema.pop("description", None)
    paragraph = inspect.cleandoc(answer.__doc__ or "").split("\n\n")[0]
    return AnswerForm(
        name=answer.model_config.get("title") or _HUMP.sub("_", answer.__name__).lower(),
        description=" ".join(paragraph.split()),
        schema=schema,
        shape=_shape(schema),
    )


def _compact(
    node: dict[str, Any], definitions: dict[str, Any], inside: tuple[str, ...]
) -> dict[str, Any]:
    """Return `node` with references inlined, and with only the keys that a model needs.

    `inside` are the names of the references that are being inlined.
    """
    described = {"description": node["description"]} if "description" in node else {}
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        if name in inside or name not in definitions:
            target: dict[str, Any] = {"type": "object"}
        else:
            target = _compact(definitions[name], definitions, (*inside, name))
            # The docstring of a nested class is for programmers; the field describes it for models.
            target.pop("description", None)
        return {**target, **described}
    variants = node.get("anyOf") or node.get("oneOf") or node.get("allOf")
    if variants:
        kept = [
            _compact(variant, definitions, inside)
            for variant in variants
            if variant.get("type") != "null"
        ]
        return {**kept[0], **described} if len(kept) == 1 else {"anyOf": kept, **described}
    result: dict[str, Any] = {key: node[key] for key in _KEPT if key in node}
    if "properties" in node:
        result["properties"] = {
            name: _compact(value, definitions, inside) for name, value in node["properties"].items()
        }
    if isinstance(node.get("items"), dict):
        result["items"] = _compact(node["items"], definitions, inside)
    for limit in ("minItems", "maxItems"):
        if node.get(limit, _LONGEST_LIST_LIMIT + 1) <= _LONGEST_LIST_LIMIT:
            result[limit] = node[limit]
    return result


def _shape(node: dict[str, Any]) -> str:
    """Return a schema as one line in the style of TypeScript: `{"texts": [string, …]}`.

    Optional keys end in a question mark.
    """
    if "anyOf" in node:
        return " | ".join(_shape(variant) for variant in node["anyOf"])
    if "enum" in node:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in node["enum"])
    if "const" in node:
        return json.dumps(node["const"], ensure_ascii=False)
    if node.get("type") == "array":
        return f"[{_shape(node.get('items', {}))}, …]"
    if "properties" in node:
        required = node.get("required", [])
        fields = (
            f'"{key}"{"" if key in required else "?"}: {_commented(value)}'
            for key, value in node["properties"].items()
        )
        return "{" + ", ".join(fields) + "}"
    kind = node.get("type", "any")
    return str(kind) if isinstance(kind, str) else " | ".join(kind)


def _commented(node: dict[str, Any]) -> str:
    return f"{_shape(node)} ({node['description']})" if node.get("description") else _shape(node)
