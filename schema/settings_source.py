"""Settings from a TOML file and the environment, and the commented file that shows them all."""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .errors import SettingsError
from .settings import Section, Settings, walk

PREFIX = "HISTORIAN__"
CONFIG_VARIABLE = "HISTORIAN_CONFIG"


def find_config(explicit: str | Path | None, environ: Mapping[str, str], directory: Path) -> Path | None:
    """The configuration file: the one named, else `HISTORIAN_CONFIG`, else `config.toml` in `directory`, else None."""
    named = explicit or environ.get(CONFIG_VARIABLE)
    if named:
        path = Path(named)
        if not path.is_file():
            raise SettingsError(f"configuration file {str(path)!r} does not exist; write one with `historian init`")
        return path
    path = directory / "config.toml"
    return path if path.is_file() else None


def load_settings(
    config: str | Path | None = None, *, environ: Mapping[str, str] | None = None, directory: Path | None = None
) -> Settings:
    """Settings from file and environment. `cognitive.data_dir` comes back absolute: a relative one counts from the
    file's directory (or from `directory`, by default the current one, where there is no file)."""
    environ = os.environ if environ is None else environ
    directory = Path.cwd() if directory is None else directory
    path = find_config(config, environ, directory)
    data: dict[str, Any] = {}
    if path is not None:
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsError(
                f"{path}: not valid TOML: {error}; mend that line, or write a new file with `historian init`"
            ) from None
        except OSError as error:
            raise SettingsError(f"{path}: cannot be read: {error}") from None
    return parse_settings(data, environ=environ, base=path.parent if path else directory)


def parse_settings(data: Mapping[str, Any], *, environ: Mapping[str, str], base: Path) -> Settings:
    """Settings from parsed TOML and environment variables; raises SettingsError that names key, value and remedy."""
    merged = _copy(data)
    for name, value in environ.items():
        if name.startswith(PREFIX):
            _put(merged, name.removeprefix(PREFIX).lower().split("__"), value, name)
    try:
        settings = Settings.model_validate(merged)
    except ValidationError as error:
        raise SettingsError(_explain(error)) from None
    cognitive = settings.cognitive
    update = {"data_dir": _absolute(cognitive.data_dir, base)}
    if cognitive.migrate_from:
        update["migrate_from"] = _absolute(cognitive.migrate_from, base)
    if cognitive.notes_dir:
        update["notes_dir"] = _absolute(cognitive.notes_dir, base)
    return settings.model_copy(update={"cognitive": cognitive.model_copy(update=update)})


def _absolute(directory: str, base: Path) -> str:
    path = Path(directory).expanduser()
    return str(path if path.is_absolute() else (base / path).absolute())


def _copy(data: Mapping[str, Any]) -> dict[str, Any]:
    return {k: _copy(v) if isinstance(v, Mapping) else v for k, v in data.items()}


def _put(data: dict[str, Any], path: list[str], value: str, variable: str) -> None:
    for part in path[:-1]:
        inner = data.setdefault(part, {})
        if not isinstance(inner, dict):
            raise SettingsError(f"{variable}: {part!r} is a key, not a section; {_known('.'.join(path))}")
        data = inner
    parsed: Any = value
    if value[:1] in "[{" and value:
        try:
            parsed = json.loads(value)
        except json.JSONDecodeError:
            raise SettingsError(f"{variable}: {value!r:.80} is not valid JSON; lists and tables are written as JSON") from None
    data[path[-1]] = parsed


def _explain(error: ValidationError) -> str:
    lines = []
    for item in error.errors(include_url=False):
        dotted = ".".join(
            str(part) for part in item["loc"] if not str(part).startswith(("literal[", "constrained-", "function-"))
        )
        if item["type"] == "extra_forbidden":
            lines.append(f"{dotted}: unknown key; {_known(dotted)}")
        else:
            shown = "(hidden)" if dotted.endswith("api_key") else f"{item['input']!r:.80}"
            line = f"{dotted} = {shown}: {item['msg'].removeprefix('Value error, ')}"
            if line not in lines:
                lines.append(line)
    return "; ".join(lines) + ". Change it in config.toml or in the environment (HISTORIAN__SECTION__KEY)."


def _known(dotted: str) -> str:
    known = [path for path, _ in walk()]
    parent = dotted.rsplit(".", 1)[0] + "."
    close = difflib.get_close_matches(dotted, known, n=1, cutoff=0.6)
    if close and _is_alike(dotted, close[0]):
        return f"did you mean {close[0]}"
    below = (path.removeprefix(parent).partition(".") for path in known if path.startswith(parent))
    siblings = dict.fromkeys(f"{name}{dot and '.…'}" for name, dot, _ in below)
    return f"known there are {', '.join(siblings)}" if siblings else "`historian init` writes a file with every key"


def _is_alike(given: str, known: str) -> bool:
    """Whether the names themselves are, not only the sections that they stand in."""
    return difflib.SequenceMatcher(None, given.rpartition(".")[2], known.rpartition(".")[2]).ratio() >= 0.6


def hot_changes(old: Settings, new: Settings) -> tuple[list[str], list[str]]:
    """The changed keys that apply at once, and those that need a restart."""
    hot: list[str] = []
    cold: list[str] = []
    for dotted, info in walk():
        if _value(old, dotted) != _value(new, dotted):
            extra = info.json_schema_extra
            (hot if isinstance(extra, dict) and extra.get("hot") else cold).append(dotted)
    return hot, cold


def with_hot_values(settings: Settings, wanted: Settings) -> Settings:
    """`settings` with the hot keys, and only those, as `wanted` has them."""
    hot, _ = hot_changes(settings, wanted)
    changed = settings.model_dump()
    for dotted in hot:
        *parents, name = dotted.split(".")
        table = changed
        for parent in parents:
            table = table[parent]
        table[name] = _value(wanted, dotted)
    # model_dump fills in every key, so that models.historian would count as given in full: it keeps what was given.
    return Settings.model_validate(changed).model_copy(update={"models": settings.models})


def _value(settings: Section, dotted: str) -> Any:
    value: Any = settings
    for part in dotted.split("."):
        value = getattr(value, part)
    return value


def sample_config() -> str:
    """A complete `config.toml`: every key with its default and a line in Chinese and one in English."""
    lines = [
        "# zh: Historian 的全部设置。删去任何一行即用默认值；环境变量 HISTORIAN__节__键 优先于本文件。",
        "# en: Every setting of Historian. Remove any line to get its default; HISTORIAN__SECTION__KEY in the environment wins.",
    ]
    section = ""
    for dotted, info in walk():
        parent, name = dotted.rsplit(".", 1)
        if parent != section:
            section = parent
            lines += ["", f"[{section}]"]
        extra = info.json_schema_extra
        assert isinstance(extra, dict)
        hot = (" （即时生效）", " (applies at once)") if extra["hot"] else ("", "")
        lines += [f"# zh: {extra['zh']}{hot[0]}", f"# en: {extra['en']}{hot[1]}"]
        value = toml_value(info.get_default(call_default_factory=True))
        # What models.historian does not set comes from models.chat: an active default there would win over it.
        lines.append(f"# {name} = {value}" if section == "models.historian" else f"{name} = {value}")
    return "\n".join(lines) + "\n"


def toml_value(value: Any) -> str:
    """A value as it is written in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{}"
    return json.dumps(value, ensure_ascii=False)
