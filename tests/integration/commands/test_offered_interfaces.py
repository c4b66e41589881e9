"""What users call by name: commands with their options, addresses with their parameters and JSON, tools with their arguments.

`tests/data/interfaces.json` holds all of it in short, without the texts. After a change that is meant, write it anew with
`python tests/integration/commands/test_offered_interfaces.py`.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer.main
from fastapi.routing import APIRoute
from historian.interfaces.cli.app import app
from historian.interfaces.langchain.end_tool import end_tool_schema
from historian.interfaces.langchain.tools import memory_tool_schemas
from historian.interfaces.mcp.server import McpMemory, Writer, _tools
from historian.interfaces.web.app import make_app
from historian.interfaces.web.login import router as login
from historian.interfaces.web.pages import router as page_router
from historian.schema.scope import Scope
from historian.schema.settings.source import parse_settings
from historian.service.cognitive import CognitiveService

SNAPSHOT = Path(__file__).parents[2] / "data" / "interfaces.json"
_BOUNDS = ("default", "minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength")


def commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the parameters of every command by the words that call it; those that all commands share at `historian` alone."""
    below = getattr(command, "commands", {})
    shared = {one.name for one in typer.main.get_command(app).params}
    params = [one for one in command.params if not name or one.name not in shared]
    if not below or not name:
        arguments, options = (
            [one for one in params if (one.param_type_name == "argument") is wanted]
            for wanted in (True, False)
        )
        yield name or "historian", [*map(_parameter, arguments), *sorted(map(_parameter, options))]
    for word, one in below.items():
        yield from commands(one, f"{name} {word}".strip())


def _parameter(one: Any) -> str:
    is_option = one.param_type_name == "option"
    names = (
        "/".join([*one.opts, *one.secondary_opts]) if is_option else str(one.metavar or one.name)
    )
    given = one.bare_type()
    kind = (
        "flag"
        if getattr(one, "is_flag", False)
        else str(getattr(given, "__name__", given)).removeprefix("typing.")
    )
    if kind.startswith("Literal["):  # in the order of whichever equal type was imported first
        kind = "|".join(sorted(re.findall(r"'(.+?)'", kind)))
    bounds = [f"{word} {n}" for word in ("min", "max") if (n := getattr(one, word)) is not None]
    marks = [
        "required" if one.required else "",
        "several" if getattr(one, "multiple", False) or one.nargs == -1 else "",
    ]
    default = "" if one.default in (None, False, "", ()) or one.required else f"= {one.default}"
    return " ".join(filter(None, [names, kind, *bounds, *marks, default]))


def shape(schema: Mapping[str, Any]) -> Any:
    """Return a JSON schema in short: a type as text, an object as its fields (`name?` where it may be left out)."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "properties" in schema:
        required = schema.get("required", ())
        fields = {
            f"{name}{'' if name in required else '?'}": shape(one)
            for name, one in schema["properties"].items()
        }
        return {
            **fields,
            **({"extra": "refused"} if schema.get("additionalProperties") is False else {}),
        }
    if any(word in schema for word in ("anyOf", "oneOf", "allOf")):
        parts = [shape(one) for word in ("anyOf", "oneOf", "allOf") for one in schema.get(word, ())]
        kind = " or ".join(
            one if isinstance(one, str) else json.dumps(one, sort_keys=True) for one in parts
        )
    elif "enum" in schema or "const" in schema:
        kind = "|".join(sorted(map(str, schema.get("enum", [schema.get("const")]))))
    elif schema.get("type") == "array":
        inner = shape(schema.get("items", {}))
        kind = f"[{inner if isinstance(inner, str) else json.dumps(inner, sort_keys=True)}]"
    else:
        kind = schema.get("type", "any")
    bounds = [f"{word} {schema[word]!r}" for word in _BOUNDS if schema.get(word) is not None]
    return ", ".join([kind, *bounds])


def addresses(api: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each address of the API with its parameters, body and answers."""
    for path, methods in api["paths"].items():
        for method, one in methods.items():
            parameters = [
                f"{'' if each.get('required') else '?'}{each['in']} {each['name']}: {shape(each['schema'])}"
                for each in one.get("parameters", ())
            ]
            body = (
                one.get("requestBody", {})
                .get("content", {})
                .get("application/json", {})
                .get("schema")
            )
            answers = {
                code: [
                    shape(each.get("schema", {})) or kind
                    for kind, each in answer.get("content", {}).items()
                ]
                for code, answer in one["responses"].items()
                if code.startswith("2")
            }
            yield (
                f"{method.upper()} {path}",
                {
                    "parameters": sorted(parameters),
                    "body": body and shape(body),
                    "answers": answers,
                },
            )


def pages(routes: Any) -> Iterator[tuple[str, Any]]:
    """Yield each address of a page with its parameters and the fields of its form."""
    for route in routes:
        if isinstance(route, APIRoute):
            given = [*route.dependant.query_params, *route.dependant.body_params]
            yield (
                f"{'/'.join(sorted(route.methods))} {route.path}",
                sorted(one.name for one in given),
            )
        yield from pages(getattr(getattr(route, "original_router", None), "routes", ()))


def tool(function: Mapping[str, Any]) -> Any:
    return shape(function["parameters"])


def offered() -> dict[str, Any]:
    """Return all that is offered, in short."""
    with tempfile.TemporaryDirectory() as folder:
        settings = parse_settings(
            {"web": {"token": "operator-token-1234"}}, environ={}, base=Path(folder)
        )
        web = make_app(CognitiveService(settings))
        writing = McpMemory(settings, Scope.group("7", "42"), language="en", writer=Writer())
        tools = [
            one["function"]
            for one in memory_tool_schemas("en", may_correct=True, may_withdraw=True)
        ]
        tools.append(end_tool_schema("en")["function"])
        mcp = {
            one.name: {
                "arguments": shape(one.input_schema),
                "hints": {
                    name: hint for name, hint in vars(one.annotations).items() if hint is not None
                },
            }
            for one in _tools(writing)
        }
        api = web.openapi()
    return {
        "commands": dict(commands(typer.main.get_command(app))),
        "api": dict(addresses(api)),
        "schemas": {
            name: shape(one)
            for name, one in api["components"]["schemas"].items()
            if "ValidationError" not in name
        },
        "pages": dict(sorted(pages([*login.routes, *page_router.routes]))),
        "tools": {one["name"]: tool(one) for one in tools},
        "mcp": mcp,
    }


def test_names_options_and_types_are_those_of_the_snapshot() -> None:
    found, known = (
        json.loads(json.dumps(offered())),
        json.loads(SNAPSHOT.read_text(encoding="utf-8")),
    )
    for part in known:
        assert found[part] == known[part], part
    assert found.keys() == known.keys()


if __name__ == "__main__":
    lines = (
        f'"{part}": {{\n'
        + ",\n".join(f'"{n}": {json.dumps(one)}' for n, one in sorted(told.items()))
        + "\n}"
        for part, told in offered().items()
    )
    SNAPSHOT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
