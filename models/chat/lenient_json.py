"""JSON as language models write it: between prose, in fences, with single quotes, trailing commas or comments.

Lenient about form, strict about completeness: what is cut off is never accepted, because half of an answer reads like
a whole one. Nothing is evaluated; the reader knows JSON and Python's way of writing the same values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

DEEPEST = 40
"""Nesting beyond this is no answer of ours, and would exhaust the stack."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_$][\w$-]*")
_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_WORDS: dict[str, Any] = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\", '"': '"', "'": "'"}
_CLOSING_THOUGHT = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_OPENING_THOUGHT = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_FENCED = re.compile(r"```[\w-]*\s*\n?(.*?)```", re.DOTALL)


class NotJson(ValueError):
    """The text at this place is no value."""


class CutOff(NotJson):
    """The text ends inside a value."""


class TooDeep(NotJson):
    """The nesting is deeper than DEEPEST."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a text holds: its objects (in order), the bare lists that are all of it or of a fence, and whether it is cut off."""

    objects: list[dict[str, Any]]
    lists: list[list[Any]]
    cut_off: bool


def find_json(text: str) -> Found:
    """Every complete JSON object of a model's answer. What it thought aloud (`<think>…</think>`) is left out.

    An object that is broken is skipped as a whole, and behind a cut-off one nothing is read: in both cases the inner
    objects are parts of something else.
    """
    spoken = _without_thoughts(text)
    objects: list[dict[str, Any]] = []
    cut_off = False
    position = spoken.find("{")
    while position != -1:
        try:
            value, end = _Reader(spoken).object_at(position)
            objects.append(value)
        except CutOff:
            cut_off = True
            break
        except TooDeep:
            break
        except NotJson:
            end = _end_of_broken(spoken, position)
        position = spoken.find("{", end)
    return Found(objects, _bare_lists(spoken), cut_off)


def parse_lenient(text: str) -> Any:
    """The one value that `text` is. Raises NotJson (CutOff) where it is none, or has something behind it."""
    reader = _Reader(text)
    value, end = reader.value_at(reader.skip(0), 0)
    if reader.skip(end) != len(text):
        raise NotJson("something follows the value")
    return value


def is_open_thought(text: str) -> bool:
    """Whether a text ends in what a model thinks aloud (`<think>…`), before its answer."""
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
                value = parse_lenient(block.strip())
            except NotJson:
                continue
            if isinstance(value, list):
                lists.append(value)
    return lists


def _end_of_broken(text: str, start: int) -> int:
    """Where to go on behind a brace that opens no object: right behind it in prose, else behind its closing brace."""
    behind = _BLANK.match(text, start + 1)
    assert behind is not None  # the pattern matches the empty string too
    if text[behind.end() : behind.end() + 1] not in ('"', "'"):
        return start + 1
    depth, quoted, position = 0, False, start
    while position < len(text):
        character = text[position]
        if character == "\\":
            position += 1
        elif character == '"':
            quoted = not quoted
        elif not quoted and character in "{}":
            depth += 1 if character == "{" else -1
            if depth == 0:
                return position + 1
        position += 1
    return len(text)


class _Reader:
    """Recursive descent; every method returns (value, position behind it)."""

    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> int:
        match = _BLANK.match(self._text, at)
        return match.end() if match else at

    def value_at(self, at: int, depth: int) -> tuple[Any, int]:
        if depth > DEEPEST:
            raise TooDeep("nested too deeply")
        character = self._character(at)
        if character == "{":
            return self.object_at(at, depth)
        if character == "[":
            return self._list_at(at, depth)
        if character in "\"'":
            return self._string_at(at)
        if number := _NUMBER.match(self._text, at):
            literal = number.group()
            whole = literal.lstrip("-").isdigit() and len(literal) < 400
            return (int(literal) if whole else float(literal)), number.end()
        word = _WORD.match(self._text, at)
        if word and word.group() in _WORDS:
            return _WORDS[word.group()], word.end()
        if word and word.end() == len(self._text):
            raise CutOff("the text ends inside a word")
        raise NotJson(f"no value at {at}")

    def object_at(self, at: int, depth: int = 0) -> tuple[dict[str, Any], int]:
        result: dict[str, Any] = {}
        at = self.skip(at + 1)
        while self._character(at) != "}":
            key, at = self._key_at(at)
            at = self.skip(at)
            if self._character(at) != ":":
                raise NotJson(f"no colon at {at}")
            result[key], at = self.value_at(self.skip(at + 1), depth + 1)
            at = self._separator(at, "}")
        return result, at + 1

    def _list_at(self, at: int, depth: int) -> tuple[list[Any], int]:
        result: list[Any] = []
        at = self.skip(at + 1)
        while self._character(at) != "]":
            value, at = self.value_at(at, depth + 1)
            result.append(value)
            at = self._separator(at, "]")
        return result, at + 1

    def _separator(self, at: int, closing: str) -> int:
        """Behind the comma (also a last one), or on the closing character."""
        at = self.skip(at)
        character = self._character(at)
        if character == ",":
            return self.skip(at + 1)
        if character != closing:
            raise NotJson(f"neither comma nor {closing} at {at}")
        return at

    def _key_at(self, at: int) -> tuple[str, int]:
        if self._character(at) in "\"'":
            return self._string_at(at)
        word = _WORD.match(self._text, at)
        if word is None:
            raise NotJson(f"no key at {at}")
        return word.group(), word.end()

    def _string_at(self, at: int) -> tuple[str, int]:
        quote = self._text[at]
        parts: list[str] = []
        at += 1
        while (character := self._character(at)) != quote:
            if character == "\\":
                text, at = self._escape_at(at + 1)
                parts.append(text)
            else:
                parts.append(character)
                at += 1
        return "".join(parts), at + 1

    def _escape_at(self, at: int) -> tuple[str, int]:
        character = self._character(at)
        if character != "u":
            return _ESCAPES.get(character, "\\" + character), at + 1
        code = self._hex_at(at + 1)
        at += 5
        if 0xD800 <= code < 0xDC00 and self._text[at : at + 2] == "\\u":
            low = self._hex_at(at + 2)
            if 0xDC00 <= low < 0xE000:
                return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), at + 6
        return chr(code), at

    def _hex_at(self, at: int) -> int:
        digits = self._text[at : at + 4]
        if len(digits) < 4:
            raise CutOff("the text ends inside an escape")
        try:
            return int(digits, 16)
        except ValueError:
            raise NotJson(f"no escape at {at}") from None

    def _character(self, at: int) -> str:
        if at >= len(self._text):
            raise CutOff("the text ends inside a value")
        return self._text[at]
