"""Settings from a TOML file and the environment."""

from __future__ import annotations

import copy
import difflib
import json
import os
import re
import tomllib
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from ..errors import SettingsError
from ..ids import type_and_size
from . import Section, Settings, walk

PREFIX = "HISTORIAN__"
CONFIG_VARIABLE = "HISTORIAN_CONFIG"

_PLAIN_WORD = re.compile(r"[A-Za-z_/-]{0,24}")
"""Values that messages may show: names of choices and time zones. Keys and passwords have digits or
are longer."""

Anything = TypeVar("Anything", bound=Section)


def find_config(
    explicit: str | Path | None, environ: Mapping[str, str], directory: Path
) -> Path | None:
    """Return the configuration file: `explicit`, else `HISTORIAN_CONFIG`, else `config.toml` in `directory`, else None."""
    named = explicit or environ.get(CONFIG_VARIABLE)
    if named:
        path = Path(named)
        if not path.is_file():
            raise SettingsError(
                f"configuration file {str(path)!r} does not exist; write one with `historian init`"
            )
        return path
    path = directory / "config.toml"
    return path if path.is_file() else None


def load_settings(
    config: str | Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    directory: Path | None = None,
) -> Settings:
    """Load settings from file and environment; raises SettingsError.

    Paths are returned as absolute paths. A relative path is relative to the directory of the file,
    or if there is no file to `directory` (default: the current directory).
    """
    environ = os.environ if environ is None else environ
    directory = Path.cwd() if directory is None else directory
    path = find_config(config, environ, directory)
    data: dict[str, Any] = {}
    if path is not None:
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsError(
                f"{path}: not valid TOML: {error}; fix that line, or write a new file with `historian init`"
            ) from None
        except OSError as error:
            raise SettingsError(f"{path}: cannot be read: {error}") from None
    return parse_settings(
        data,
        environ=environ,
        base=path.parent if path else directory,
        file=str(path or "config.toml"),
    )


def parse_settings(
    data: Mapping[str, Any], *, environ: Mapping[str, str], base: Path, file: str = "config.toml"
) -> Settings:
    """Build settings from parsed TOML and environment variables. Raises SettingsError that names
    key, value and remedy.

    `file` is the name of the settings file for error messages.
    """
    merged = copy.deepcopy(dict(data))
    variables: dict[str, str] = {}
    for name, value in environ.items():
        if name.startswith(PREFIX):
            path = name.removeprefix(PREFIX).lower().split("__")
            _put(merged, path, value, name)
            variables[".".join(path)] = name
    try:
        settings = Settings.model_validate(merged)
    except ValidationError as error:
        raise SettingsError(_explain(error, file, variables)) from None
    cognitive = settings.cognitive
    given = {name: getattr(cognitive, name) for name in ("data_dir", "migrate_from", "notes_dir")}
    update = {
        name: _absolute(path, base) for name, path in given.items() if path or name == "data_dir"
    }
    return settings.model_copy(update={"cognitive": cognitive.model_copy(update=update)})


def _absolute(directory: str, base: Path) -> str:
    path = Path(directory).expanduser()
    return str(path if path.is_absolute() else (base / path).absolute())


def _put(data: dict[str, Any], path: list[str], value: str, variable: str) -> None:
    for part in path[:-1]:
        inner = data.setdefault(part, {})
        if not isinstance(inner, dict):
            raise SettingsError(
                f"{variable}: {part!r} is a key, not a section; {_known('.'.join(path))}"
            )
        data = inner
    parsed: Any = value
    if value[:1] in "[{" and value:
        try:
            parsed = json.loads(value)
        except json.JSONDecodeError:
            raise SettingsError(
                f"{variable}: its value is not valid JSON; lists and tables are written as JSON"
            ) from None
    data[path[-1]] = parsed


def _explain(error: ValidationError, file: str, variables: Mapping[str, str]) -> str:
    """Return one message for all errors. `variables` are the names of the environment variables by
    the dotted path that each one sets.
    """
    lines = []
    for item in error.errors(include_url=False):
        dotted = ".".join(
            str(part)
            for part in item["loc"]
            if not str(part).startswith(("literal[", "constrained-", "function-"))
        )
        if item["type"] == "extra_forbidden":
            given = {
                path: name
                for path, name in variables.items()
                if f"{path}.".startswith(f"{dotted}.")
            }
            lines += [
                f"{name}: unknown key {path}; {_known(path, PREFIX)}"
                for path, name in given.items()
            ]
            lines += [] if given else [f"{dotted}: unknown key; {_known(dotted)}"]
        else:
            shown = _shown(dotted, item["input"])
            message = item["msg"].removeprefix("Value error, ")
            if isinstance(item["input"], str) and shown != repr(item["input"]):
                message = message.replace(repr(item["input"]), shown)
            line = f"{variables.get(dotted, dotted)} = {shown}: {message}"
            if line not in lines:
                lines.append(line)
    return (
        "; ".join(lines) + f". Change it in {file} or in the environment (HISTORIAN__SECTION__KEY)."
    )


def _shown(dotted: str, value: object) -> str:
    """Return a rejected value for a message: a number, or a plain word of `cognitive`; otherwise
    its type and size.

    A secret may be given under any key by mistake, and the sections of `models` hold many secrets.
    """
    if isinstance(value, bool | int | float) and not dotted.endswith("api_key"):
        return repr(value)
    is_word = (
        isinstance(value, str) and dotted.startswith("cognitive.") and _PLAIN_WORD.fullmatch(value)
    )
    return repr(value) if is_word or value is None else f"({type_and_size(value)})"


def _known(dotted: str, prefix: str = "") -> str:
    """Return the most similar key to an unknown one, or else the other keys of its section.

    With the `prefix` of environment variables the key is given as a variable, with its table.
    """
    known = [path for path, _ in walk()]
    parent = dotted.rsplit(".", 1)[0] + "."
    longer = [path for path in known if path.endswith(f".{dotted}")]
    close = longer or difflib.get_close_matches(dotted, known, n=1, cutoff=0.6)
    if close and _is_alike(dotted, close[0]):
        table, _, name = close[0].rpartition(".")
        variable = prefix + close[0].upper().replace(".", "__")
        return (
            f"did you mean {variable} ({name} in the table [{table}])"
            if prefix
            else f"did you mean {close[0]}"
        )
    below = (path.removeprefix(parent).partition(".") for path in known if path.startswith(parent))
    siblings = dict.fromkeys(f"{name}{dot and '.…'}" for name, dot, _ in below)
    return (
        f"the known keys there are {', '.join(siblings)}"
        if siblings
        else "`historian init` writes a file with every key"
    )


def _is_alike(given: str, known: str) -> bool:
    """Return True if the last parts of the keys are similar, not only their sections."""
    return (
        difflib.SequenceMatcher(None, given.rpartition(".")[2], known.rpartition(".")[2]).ratio()
        >= 0.6
    )


def is_hot(info: FieldInfo) -> bool:
    """Return True if a change of the key applies without a restart."""
    return isinstance(info.json_schema_extra, dict) and bool(info.json_schema_extra.get("hot"))


def hot_changes(old: Settings, new: Settings) -> tuple[list[str], list[str]]:
    """Return the paths of changed keys: those whose change applies at once, and those that need a
    restart.
    """
    changed = [
        (dotted, info) for dotted, info in walk() if value_at(old, dotted) != value_at(new, dotted)
    ]
    return [dotted for dotted, info in changed if is_hot(info)], [
        dotted for dotted, info in changed if not is_hot(info)
    ]


def with_hot_values(settings: Anything, wanted: Anything) -> Anything:
    """Return `settings` with the values of the hot keys taken from `wanted`."""
    update: dict[str, Any] = {}
    for name, info in type(settings).model_fields.items():
        old, new = getattr(settings, name), getattr(wanted, name)
        if isinstance(old, Section):
            update[name] = with_hot_values(old, new)
        elif is_hot(info):
            update[name] = new
    return settings.model_copy(update=update)


def value_at(settings: Section, dotted: str) -> Any:
    """Return the section or value at a dotted path."""
    return attrgetter(dotted)(settings)
