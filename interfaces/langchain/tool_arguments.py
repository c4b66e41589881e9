"""The arguments of tools: lenient parsing, and schemas as OpenAI JSON in Chinese or English."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from ...models.chat.lenient_json import find_json
from ...schema.errors import InvalidInput
from ...schema.language import Language
from ...schema.scope import EntityType, Scope
from .texts import Texts

_KEPT = ("type", "enum", "items", "minimum", "maximum")


class Arguments(BaseModel):
    """The arguments of one tool. Models send `null` and "" for what they leave out, and numbers as ids."""

    model_config = ConfigDict(extra="ignore")

    @field_validator("*", mode="before")
    @classmethod
    def _blank_is_left_out(cls, value: Any, info: Any) -> Any:
        field = cls.model_fields[info.field_name]
        if value in (None, "") and not field.is_required():
            return field.get_default(call_default_factory=True)
        if (
            info.field_name.endswith("_id")
            and isinstance(value, int)
            and not isinstance(value, bool)
        ):
            return str(value)
        return value


def read_arguments(arguments: object) -> dict[str, Any]:
    """Return the arguments of a call as a dictionary.

    Accepts a mapping, or JSON as models write it (fenced, with single quotes, or as a JSON string
    in a string). A list of one mapping counts as this mapping. Raises ValueError, TypeError or
    RecursionError for anything else.
    """
    if isinstance(arguments, str):
        text = arguments
        try:
            arguments = json.loads(text or "{}")
        except ValueError:
            found = find_json(text)
            arguments = found.objects or found.lists
        if isinstance(arguments, str):
            arguments = find_json(arguments).objects
    while isinstance(arguments, list) and len(arguments) == 1:
        (arguments,) = arguments
    if not isinstance(arguments, Mapping):
        raise TypeError("the arguments are no mapping")
    return dict(arguments)


class KnownArguments(Arguments):
    """Base class of tool arguments. An unknown argument is an error: ignoring a filter would widen the search."""

    @model_validator(mode="before")
    @classmethod
    def _none_is_unknown(cls, data: Any) -> Any:
        unknown = (
            [str(name) for name in data if name not in cls.model_fields]
            if isinstance(data, Mapping)
            else []
        )
        if unknown:
            known = ", ".join(
                cls.model_json_schema()["properties"]
            )  # the arguments that models are shown
            told = {"name": unknown[0][:60], "known": known}
            raise PydanticCustomError(
                "unknown_argument", "{name}: there is no such argument; those are {known}", told
            )
        return data


class TargetArguments(KnownArguments):
    """Arguments for the user or group that a call is about. Models guess these names, so they are accepted, but not offered."""

    entity_type: SkipJsonSchema[EntityType | None] = None
    target_user_id: SkipJsonSchema[str | None] = None
    target_group_id: SkipJsonSchema[str | None] = None

    def target(self, scope: Scope) -> tuple[EntityType, str] | None:
        """Return type and id of the user or group that the arguments name in `scope`, or None.

        Raises InvalidInput if `target_group_id` is not the group of the conversation.
        """
        if self.target_group_id and self.target_group_id != scope.group_id:
            raise InvalidInput(
                f"target_group_id: memory is bound to {scope.key} here; leave it out"
            )
        if self.target_user_id:
            return "user", self.target_user_id
        if self.target_group_id or self.entity_type == "group":
            return ("group", scope.group_id) if scope.group_id else None
        return ("user", scope.user_id) if self.entity_type and scope.user_id else None


def function_schema(
    name: str,
    description: str,
    arguments: type[Arguments],
    texts: Texts,
    language: Language,
    *,
    fields: Sequence[str] | None = None,
    required: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return a tool as OpenAI JSON, for the `tools` of a chat completion.

    `fields` are the offered fields, in order (default: all). `required` defaults to the offered
    fields that have no default value.
    """
    schemas = arguments.model_json_schema()["properties"]
    properties: dict[str, Any] = {}
    for field in fields if fields is not None else schemas:
        chosen = next(
            (one for one in schemas[field].get("anyOf", ()) if one.get("type") != "null"),
            schemas[field],
        )
        properties[field] = {
            **{key: chosen[key] for key in _KEPT if key in chosen},
            "description": texts[field][language],
        }
    if required is None:
        required = [field for field in properties if arguments.model_fields[field].is_required()]
    parameters = {
        "type": "object",
        "properties": properties,
        **({"required": list(required)} if required else {}),
    }
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }
