"""The input lines of the filters: JSON objects or plain text, and their typed values.

Errors about a line are in English only, for programs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from ...schema.errors import InvalidInput
from ...schema.language import LanguageChoice

if TYPE_CHECKING:
    from ...schema.names import Names


NAME_KEYS = ("bot_name", "user_name", "user_id", "group_name", "group_id")


def json_lines() -> Iterator[Mapping[str, Any] | InvalidInput]:
    """Read objects from stdin, one a line, as they arrive; yield an error with the line number for anything else."""
    for number, raw in _numbered_lines():
        try:
            line = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
        except UnicodeDecodeError as error:
            yield InvalidInput(f"line {number}: not UTF-8 (byte {error.start + 1}); convert it")
            continue
        except (ValueError, RecursionError) as error:
            yield InvalidInput(f"line {number}: not JSON ({error}); write one object a line")
            continue
        yield line if isinstance(line, dict) else InvalidInput(f'line {number}: expected an object such as {{"text": "…"}}')


def text_lines() -> Iterator[Mapping[str, Any] | InvalidInput]:
    """Read plain lines from stdin, each as if it had come as an object."""
    for _, raw in _numbered_lines():
        yield {"text": raw.decode("utf-8", errors="replace").rstrip("\r\n")}


def _numbered_lines() -> Iterator[tuple[int, bytes]]:
    """Read lines of stdin that are not blank, as they come, with their numbers from 1."""
    for number, raw in enumerate(iter(sys.stdin.buffer.readline, b""), 1):
        if raw.strip():
            yield number, raw


def text_of(line: Mapping[str, Any]) -> str:
    """Return the text of a line. Like the functions below, raises InvalidInput for a value of the wrong type."""
    text = line.get("text")
    if not isinstance(text, str):
        raise InvalidInput(f"text: expected a string, got {text!r:.80}" if "text" in line else "text: missing")
    return text


def string_of(line: Mapping[str, Any], key: str) -> str:
    """Return a string; "" if it is missing or null. Ids may be numbers."""
    value = line.get(key)
    if value is None:
        return ""
    if key.endswith("_id") and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise InvalidInput(f"{key}: expected a string, got {value!r:.80}")
    return value


def strings_of(line: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return a list of strings; empty if it is missing."""
    value = line.get(key) or []
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InvalidInput(f"{key}: expected a list of strings, got {value!r:.80}")
    return tuple(value)


def language_of(line: Mapping[str, Any]) -> LanguageChoice:
    """Return the language; auto if none is given."""
    value = string_of(line, "language") or "auto"
    if value not in ("auto", "zh", "en"):
        raise InvalidInput(f"language: {value!r} is not one of auto, zh, en")
    return cast(LanguageChoice, value)


def names_of(line: Mapping[str, Any], *, default_bot: str) -> Names:
    """Return the names of a line, with `default_bot` if it names no bot."""
    from ...schema.names import Names

    values = {key: string_of(line, key) for key in NAME_KEYS}
    return Names(
        **{**values, "bot_name": values["bot_name"] or default_bot},
        others=strings_of(line, "others"),
        glossary=strings_of(line, "glossary"),
    )
