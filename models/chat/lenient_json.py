"""Find the JSON in what language models write: inside prose or fences, with the sloppy syntax that `json_repair` mends.

Truncated JSON is never completed, because half an answer looks like a complete one: a value counts only if its brackets
close outside of strings. What the model thought before it answered is left out.
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
"""Characters of a value that is repaired. The time that it takes grows with their square: 4 s for the worst of 10,000."""

_OPENING = re.compile(r"""\{(?=\s*(?:["'“}/]|[A-Za-z_$][\w$-]*\s*:))""")
_PART = re.compile(
    r"""[{}\[\]]|"[^"\\]*(?:\\.[^"\\]*)*"|(?<=[\s\[{,:])'[^'\\]*(?:\\.[^'\\]*)*'|//[^\n]*|/\*.*?\*/|"|(?<=[\s\[{,:])'""",
    re.DOTALL,
)
_INNER_APOSTROPHE = re.compile(r"[\[{,:]\s*'[^'\\]*'\w")
"""A single-quoted string with an apostrophe in it ('it's'): where it ends would be a guess."""
_FENCED = re.compile(r"```[\w-]*\s*\n?(.*?)```", re.DOTALL)
_NAMES_OF_THOUGHT = r"(?:\w+:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?)"
_OPENING_THOUGHT = re.compile(rf"<{_NAMES_OF_THOUGHT}>|◁think▷|\[THINK\]", re.IGNORECASE)
_CLOSING_THOUGHT = re.compile(rf"</{_NAMES_OF_THOUGHT}>|◁/think▷|\[/THINK\]", re.IGNORECASE)
_HARMONY_THOUGHT = re.compile(r"<\|channel\|>analysis.*?(?:<\|end\|>|(?=<\|channel\|>)|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Found:
    """The JSON in a text: objects in order, lists that are the whole text or a whole fence, and whether it is truncated."""

    objects: list[dict[str, Any]]
    lists: list[list[Any]]
    cut_off: bool


def find_json(text: str) -> Found:
    """Return every complete JSON object of a model's answer, without those in its reasoning.

    An object that cannot be read is skipped as a whole, and nothing after a truncated one is read: the objects inside are
    parts of something else. Takes seconds at worst: call it in a thread.
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
    blocks = [block.strip() for block in (spoken, *_FENCED.findall(spoken)) if block.lstrip().startswith("[")]
    whole = [_parsed(block) for block in blocks if _is_one_value(block)]
    return Found(objects, [value for value in whole if isinstance(value, list)], cut_off)


def without_thoughts(text: str) -> str:
    """Return `text` without the model's reasoning: `<think>…</think>` and the like, one tag of which may be missing."""
    text = _HARMONY_THOUGHT.sub("", text)
    closings = list(_CLOSING_THOUGHT.finditer(text))
    text = text[closings[-1].end() :] if closings else text
    opening = _OPENING_THOUGHT.search(text)
    return text[: opening.start()] if opening else text


def _is_one_value(text: str) -> bool:
    end, depth = _end_of_value(text, 0)
    return end == len(text) and depth <= DEEPEST


def _end_of_value(text: str, start: int) -> tuple[int | None, int]:
    """Return the position after the value that opens at `start`, None if the text ends inside, and its greatest depth."""
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
    """Return a complete value; None if it is too sloppy to tell what was meant."""
    try:
        return json.loads(value, strict=False)
    except ValueError:
        if len(value) > LONGEST_REPAIRED or _INNER_APOSTROPHE.search(value):
            return None
    try:
        return json_repair.loads(value, skip_json_loads=True, strict=True)
    except ValueError:
        return None
