"""Read JSON as language models write it: inside prose or fences, with single quotes, trailing commas or comments.

The syntax is read leniently, but truncated JSON is never accepted, because half an answer looks like a
complete one. A value is rewritten as strict JSON token by token, and the standard library parses it. Python's literals
(`True`, `None`) are accepted; nothing is evaluated.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

DEEPEST = 40
"""Maximum nesting depth. No answer needs more, and more could exhaust the stack."""
_LONGEST_INTEGER = 400
"""A number with more digits becomes a float: Python refuses to convert very long integers."""

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TOKEN = re.compile(
    r"""(?P<mark>[{}\[\]:,])"""
    r"""|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*')"""
    r"""|(?P<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)"""
    r"""|(?P<word>[A-Za-z_$][\w$-]*)"""
    r"""|(?P<unclosed>["'])""",
    re.DOTALL,
)
_LITERALS = {"true": "true", "True": "true", "false": "false", "False": "false", "null": "null", "None": "null"}
_TO_ESCAPE = re.compile(r'\\(.)|"', re.DOTALL)
_QUOTE_OR_BRACE = re.compile(r'\\.|"(?:[^"\\]|\\.)*"?|[{}]', re.DOTALL)
_CLOSING_THOUGHT = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_OPENING_THOUGHT = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_FENCED = re.compile(r"```[\w-]*\s*\n?(.*?)```", re.DOTALL)


class NotJson(ValueError):
    """There is no value at this position."""


class CutOff(NotJson):
    """The text ends inside a value."""


class TooDeep(NotJson):
    """The value is nested deeper than DEEPEST."""


@dataclass(frozen=True, slots=True)
class Found:
    """The JSON in a text: objects in order, lists that are the whole text or a whole fence, and whether it is truncated."""

    objects: list[dict[str, Any]]
    lists: list[list[Any]]
    cut_off: bool


def find_json(text: str) -> Found:
    """Return every complete JSON object of a model's answer. Reasoning (`<think>…</think>`) is ignored.

    An invalid object is skipped as a whole, and nothing after a truncated one is read: the objects inside are parts of
    something else.
    """
    spoken = _without_thoughts(text)
    objects: list[dict[str, Any]] = []
    cut_off = False
    position = spoken.find("{")
    while position != -1:
        try:
            value, end = _value_at(spoken, position)
            objects.append(value)
        except CutOff:
            cut_off = True
            break
        except TooDeep:
            break
        except NotJson:
            end = _end_of_invalid(spoken, position)
        position = spoken.find("{", end)
    return Found(objects, _bare_lists(spoken), cut_off)


def parse_lenient(text: str) -> Any:
    """Parse `text` as one value. Raises NotJson, or CutOff where the text ends too early."""
    value, end = _value_at(text, 0)
    if _behind_blank(text, end) != len(text):
        raise NotJson("something follows the value")
    return value


def is_open_thought(text: str) -> bool:
    """Return True if `text` ends inside a model's reasoning (`<think>…`), before its answer."""
    return bool(_OPENING_THOUGHT.search(text)) and not _CLOSING_THOUGHT.search(text)


def _without_thoughts(text: str) -> str:
    closings = list(_CLOSING_THOUGHT.finditer(text))
    if closings:
        return text[closings[-1].end() :]
    opening = _OPENING_THOUGHT.search(text)
    return text[: opening.start()] if opening else text


def _bare_lists(text: str) -> list[list[Any]]:
    lists: list[list[Any]] = []
    for block in (text, *_FENCED.findall(text)):
        if block.lstrip().startswith("["):
            try:
                lists.append(parse_lenient(block))
            except NotJson:
                continue
    return lists


def _end_of_invalid(text: str, start: int) -> int:
    """Return where to continue after a brace that opens no object: directly after it in prose, else after its closing brace."""
    if not text.startswith(('"', "'"), _behind_blank(text, start + 1)):
        return start + 1
    depth = 0
    for part in _QUOTE_OR_BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(part.group(), 0)
        if depth == 0:
            return part.end()
    return len(text)


def _behind_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _value_at(text: str, at: int) -> tuple[Any, int]:
    """Return the value that begins at `at`, and the position after it."""
    written: list[str] = []
    closing: list[str] = []
    expected = "value"  # "value", "key", the "colon" after a key, or what comes "after" a value
    while written == [] or closing:
        at = _behind_blank(text, at)
        token = _TOKEN.match(text, at)
        found, kind = (token.group(), token.lastgroup) if token else ("", None)
        if at == len(text) or (kind == "unclosed" and expected in ("value", "key")):
            raise CutOff("the text ends inside a value")
        begins = "," if expected in ("value", "key") and written and written[-1][-1] not in "[{:" else ""
        if closing and found == closing[-1] and (expected != "value" or found == "]") and expected != "colon":
            written.append(closing.pop())
            expected = "after"
        elif expected == "after" and found == ",":
            expected = "key" if closing[-1] == "}" else "value"
        elif expected == "colon" and found == ":":
            written.append(":")
            expected = "value"
        elif expected == "key" and kind in ("string", "word"):
            written.append(f"{begins}{_strict_string(found) if kind == 'string' else json.dumps(found)}")
            expected = "colon"
        elif expected == "value" and found in ("{", "["):
            written.append(f"{begins}{found}")
            closing.append("}" if found == "{" else "]")
            expected = "key" if found == "{" else "value"
            if len(closing) > DEEPEST:
                raise TooDeep("nested too deeply")
        elif expected == "value" and (kind in ("string", "number") or found in _LITERALS):
            written.append(begins + (_strict_string(found) if kind == "string" else _LITERALS.get(found, found)))
            expected = "after"
        elif expected == "value" and kind == "word" and token and token.end() == len(text):
            raise CutOff("the text ends inside a word")
        else:
            raise NotJson(f"no {expected} at {at}")
        at = token.end() if token else at
    try:
        return json.loads("".join(written), strict=False, parse_int=_number), at
    except ValueError as error:
        raise NotJson(str(error)) from None


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) < _LONGEST_INTEGER else float(digits)


def _strict_string(quoted: str) -> str:
    """Return a string in either kind of quotes as JSON. The backslash of an unknown escape is kept."""

    def strict(part: re.Match[str]) -> str:
        escaped = part[1]
        if escaped is None:
            return '\\"'
        return "'" if escaped == "'" else part[0] if escaped in '"\\/bfnrtu' else f"\\\\{escaped}"

    return f'"{_TO_ESCAPE.sub(strict, quoted[1:-1])}"'
