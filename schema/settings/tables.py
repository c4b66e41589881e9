"""Documentation of all settings, generated from the model: the commented `config.toml`, and Markdown tables."""

from __future__ import annotations

import ast
import inspect
import json
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Annotated, Any

from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from ..language import Language
from . import Section, Settings, walk
from .source import is_hot, value_at

_WORDS: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("tables.toml").read_text(encoding="utf-8")
)


def sample_config() -> str:
    """Return a complete `config.toml`: every key with its default and a line in Chinese and one in English."""
    lines = list(_WORDS["heads"].values())
    for section, keys in _sections():
        lines += ["", f"[{section}]"]
        for name, info in keys:
            meanings = meaning_of(f"{section}.{name}").items()
            lines += [
                f"# {language}: {text}{_WORDS['hot'][language] if is_hot(info) else ''}"
                for language, text in meanings
            ]
            # Keys missing in models.historian come from models.chat: an active default here would override it.
            lines.append(
                f"{'# ' if section == 'models.historian' else ''}{name} = {_default(info)}"
            )
    return "\n".join(lines) + "\n"


def settings_tables(language: Language) -> str:
    """Return every setting as Markdown: a table per section with key, default, allowed values, hot, and meaning."""
    lines = [f"# {_WORDS['titles'][language]}", "", _WORDS["remarks"][language]]
    for section, keys in _sections():
        lines += [
            "",
            f"## `[{section}]`",
            "",
            f"| {_WORDS['columns'][language]} |",
            "| --- | --- | --- | :-: | --- |",
        ]
        for name, info in keys:
            default = (
                f"`models.chat.{name}`" if section == "models.historian" else f"`{_default(info)}`"
            )
            allowed = _allowed(_schema_of(info), language)
            meaning = meaning_of(f"{section}.{name}")[language].replace("|", "\\|")
            lines.append(
                f"| `{name}` | {default} | {allowed} | {'✓' if is_hot(info) else ''} | {meaning} |"
            )
    return "\n".join(lines) + "\n"


def meaning_of(dotted: str) -> Mapping[Language, str]:
    """Return the meaning of a key in Chinese and English: its docstring in the settings model."""
    section, _, name = dotted.rpartition(".")
    tables = type(value_at(Settings(), section)).__mro__
    text = next((text for table in tables if (text := _key_docstrings(table).get(name))), "")
    zh, _, en = inspect.cleandoc(text).partition("\n")
    return {"zh": zh, "en": " ".join(en.split())}


@cache
def _key_docstrings(table: type) -> dict[str, str]:
    """Return the docstring of each key that this class itself declares.

    The source is read only when needed. Pydantic's `use_attribute_docstrings` would read it at
    every import.
    """
    if not issubclass(table, Section):
        return {}
    (declared,) = ast.parse(inspect.getsource(table)).body
    assert isinstance(declared, ast.ClassDef)
    return {
        ast.unparse(field.target): str(text.value.value)
        for field, text in pairwise(declared.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }


def _sections() -> Iterator[tuple[str, list[tuple[str, FieldInfo]]]]:
    for section, keys in groupby(walk(), lambda key: key[0].rpartition(".")[0]):
        yield section, [(dotted.rpartition(".")[2], info) for dotted, info in keys]


def _schema_of(info: FieldInfo) -> dict[str, Any]:
    kind: Any = Annotated[info.annotation, "key", *info.metadata]
    return TypeAdapter(kind).json_schema()


def _default(info: FieldInfo) -> str:
    return toml_value(info.get_default(call_default_factory=True))


def toml_value(value: Any) -> str:
    """Return a value in TOML syntax."""
    return "{}" if isinstance(value, dict) else json.dumps(value, ensure_ascii=False)


def _allowed(node: Mapping[str, Any], language: Language) -> str:
    """Return the values that a JSON schema accepts, in TOML terms."""
    comma: str = _WORDS["comma"][language]
    if "anyOf" in node:
        return comma.join(
            _allowed(one, language) for one in node["anyOf"] if one.get("type") != "null"
        )
    if values := node.get("enum") or ([node["const"]] if "const" in node else []):
        return comma.join(f"`{toml_value(value)}`" for value in values)
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤"}
    bounds = comma.join(f"{sign} {node[name]}" for name, sign in signs.items() if name in node)
    return f"{_WORDS['kinds'][node['type']][language]} {bounds}".rstrip()
