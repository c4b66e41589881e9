"""Every setting as Markdown tables, in Chinese or English, made from the settings model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from .settings import Settings, walk
from .settings_source import toml_value

Language = Literal["zh", "en"]

_WORDS: dict[Language, tuple[str, str, tuple[str, ...]]] = {
    "zh": (
        "设置",
        "由 `historian init --markdown zh` 从设置模型生成。写在 `config.toml`，或用环境变量 `HISTORIAN__节__键`（优先）。"
        "✓ 表示改了立即生效，其余重启后生效。",
        ("键", "默认", "允许", "即时", "含义"),
    ),
    "en": (
        "Settings",
        "Made by `historian init --markdown en` from the settings model. They go into `config.toml`, or into the environment as "
        "`HISTORIAN__SECTION__KEY`, which wins. ✓: applies at once; the others after a restart.",
        ("key", "default", "allowed", "hot", "meaning"),
    ),
}

_KINDS: dict[Language, dict[str, str]] = {
    "zh": {"integer": "整数", "number": "数", "string": "文字", "boolean": "`true`、`false`", "array": "列表", "object": "表"},
    "en": {
        "integer": "integer",
        "number": "number",
        "string": "text",
        "boolean": "`true`, `false`",
        "array": "list",
        "object": "table",
    },
}


def settings_tables(language: Language) -> str:
    """Every setting as Markdown: a table a section with key, default, what is allowed, whether it is hot, and its meaning."""
    title, remark, columns = _WORDS[language]
    allowed = _allowed_values(language)
    lines = [f"# {title}", "", remark]
    section = ""
    for dotted, info in walk():
        parent, name = dotted.rsplit(".", 1)
        if parent != section:
            section = parent
            lines += ["", f"## `[{section}]`", "", f"| {' | '.join(columns)} |", "| --- | --- | --- | :-: | --- |"]
        extra = info.json_schema_extra
        assert isinstance(extra, dict)
        default = f"`{toml_value(info.get_default(call_default_factory=True))}`"
        if section == "models.historian":  # what it does not set comes from there
            default = f"`models.chat.{name}`"
        meaning = str(extra[language]).replace("|", "\\|")
        lines.append(f"| `{name}` | {default} | {allowed[dotted]} | {'✓' if extra['hot'] else ''} | {meaning} |")
    return "\n".join(lines) + "\n"


def _allowed_values(language: Language) -> dict[str, str]:
    """What each key accepts, in the words of TOML, read from the model's JSON schema."""
    schema = Settings.model_json_schema()
    found: dict[str, str] = {}

    def enter(node: dict[str, Any], path: str) -> None:
        for name, inner in node["properties"].items():
            dotted = f"{path}.{name}" if path else name
            if "$ref" in inner:
                enter(schema["$defs"][inner["$ref"].rsplit("/", 1)[1]], dotted)
            else:
                found[dotted] = _allowed(inner, language)

    enter(schema, "")
    return found


def _allowed(node: Mapping[str, Any], language: Language) -> str:
    comma = "、" if language == "zh" else ", "
    if "anyOf" in node:
        return comma.join(_allowed(one, language) for one in node["anyOf"] if one.get("type") != "null")
    if values := node.get("enum") or ([node["const"]] if "const" in node else []):
        return comma.join(f"`{toml_value(value)}`" for value in values)
    low = f"≥ {node['minimum']}" if "minimum" in node else f"> {node['exclusiveMinimum']}" if "exclusiveMinimum" in node else ""
    high = f"≤ {node['maximum']}" if "maximum" in node else ""
    return " ".join(part for part in (_KINDS[language][node["type"]], comma.join(part for part in (low, high) if part)) if part)
