"""Finds the JSON in the text of a language model, inside prose or fences.

`json_repair` repairs slightly wrong syntax. Truncated JSON is never completed, because half an
answer would look like a complete one: a value counts only if its brackets close outside of strings.
The model's reasoning is left out.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import json_repair

DEEPEST = 40
"""Maximum nesting depth. No answer needs more, and more could exhaust the stack."""
LONGEST_REPAIRED = 10_000
"""Maximum length of a value that is repaired, in characters. The time grows with the square of the
length: at worst 4 s for 10,000 characters."""

_OPENING = re.compile(r"""\{(?=\s*(?:["'“}/]|[A-Za-z_$][\w$-]*\s*:))""")
_PART = re.compile(
    r"""[{}\[\]]|"[^"\\]*(?:\\.[^"\\]*)*"|(?<=[\s\[{,:])'[^'\\]*(?:\\.[^'\\]*)*'|//[^\n]*|/\*.*?\*/|"|(?<=[\s\[{,:])'""",
    re.DOTALL,
)
_INNER_APOSTROPHE = re.compile(r"[\[{,:]\s*'[^'\\]*'\w")
"""A single-quoted string with an apostrophe inside ('it's'): its end would be a guess."""
_FENCED = re.compile(r"```[\w-]*\s*\n?(.*?)```", re.DOTALL)
_NAMES_OF_THOUGHT = r"(?:\w+:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?)"
_OPENING_THOUGHT = re.compile(rf"<{_NAMES_OF_THOUGHT}>|◁think▷|\[THINK\]", re.IGNORECASE)
_CLOSING_THOUGHT = re.compile(rf"</{_NAMES_OF_THOUGHT}>|◁/think▷|\[/THINK\]", re.IGNORECASE)
_HARMONY_THOUGHT = re.compile(
    r"<\|channel\|>analysis.*?(?:<\|end\|>|(?=<\|channel\|>)|\Z)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Found:
    """The JSON in a text: objects in order, and lists that are the whole text or a whole fence.

    `cut_off` is True if the text ends inside an object.
    """

    objects: list[dict[str, Any]]
    lists: list[list[Any]]
    cut_off: bool


def find_json(text: str) -> Found:
    """Return every complete JSON object of a model's answer, except those in its reasoning.

    An object that cannot be parsed is skipped with the objects inside it, and nothing is read after
    the beginning of a truncated one. Takes seconds at worst: call it in a thread.
    """
    spoken = without_thoughts(text)
    objects: list[dict[str, Any]] = []
    cut_off = False
    opening = _OPENING.search(spoken)
    while opening and not cut_off:
        end, depth = _end_of_value(spoken, opening.start())
        cut_off = end is None
        value = _parsed(spoken[opening.start() : end]) if end and depth <= DEEPEST else None
        if isinstance(value, dict):
            objects.append(value)
        opening = _OPENING.search(spoken, end or len(spoken))
    blocks = [
        block.strip()
        for block in (spoken, *_FENCED.findall(spoken))
        if block.lstrip().startswith("[")
    ]
    whole = [_parsed(block) for block in blocks if _is_one_value(block)]
    return Found(objects, [value for value in whole if isinstance(value, list)], cut_off)


def without_thoughts(text: str) -> str:
    """Return `text` without the model's reasoning (`<think>…</think>` and similar tags).

    One of the two tags may be missing.
    """
    text = _HARMONY_THOUGHT.sub("", text)
    closings = list(_CLOSING_THOUGHT.finditer(text))
    text = text[closings[-1].end() :] if closings else text
    opening = _OPENING_THOUGHT.search(text)
    return text[: opening.start()] if opening else text


def _is_one_value(text: str) -> bool:
    end, depth = _end_of_value(text, 0)
    return end == len(text) and depth <= DEEPEST


def _end_of_value(text: str, start: int) -> tuple[int | None, int]:
    """Return the end position of the value that begins at `start`, and its greatest depth.

    The position is None if the text ends inside the value.
    """
    depth = deepest = 0
    for part in _PART.finditer(text, start):
        token = part.group()
        if token in ('"', "'"):  # a string that is never closed
            break
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token, 0)
        deepest = max(deepest, depth)
        if not depth:
            return part.end(), deepest
    return None, deepest


def _parsed(value: str) -> Any:
    """Return a complete value parsed, or None if it cannot be repaired reliably."""
    try:
        return json.loads(value, strict=False)
    except ValueError:
        if len(value) > LONGEST_REPAIRED or _INNER_APOSTROPHE.search(value):
            return None
    try:
        return json_repair.loads(value, skip_json_loads=True, strict=True)
    except ValueError:
        return None
