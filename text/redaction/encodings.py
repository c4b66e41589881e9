"""The same text under another coat: percent-encoded, JSON-escaped, in base64."""

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\([nrt\"'/\\])")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{20,}={0,2}")
_FULL_WIDTH = re.compile("[０-９Ａ-Ｚａ-ｚ＠]")
_HALF_WIDTH = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF20, 0xFF3B), *range(0xFF41, 0xFF5B))}
_SPACED = re.compile(r"(?<!\S)\S(?: \S){3,}(?!\S)")
_PRINTABLE = 0.9
_REACH = 1_000
"""Characters around a decoded one that are read again with it."""
_Decoder = Callable[[re.Match[str]], list[tuple[str, int]] | None]


@dataclass(frozen=True, slots=True)
class View:
    """A decoded text and where its characters come from."""

    text: str
    decoded: tuple[int, ...]
    """Offsets in the decoded text at which a piece begins; a piece is verbatim or one decoded character."""
    original: tuple[int, ...]
    lengths: tuple[int, ...]
    """Characters of the original that the piece stands for."""

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Give the span of the original text that decodes to `start` … `end` (end > start)."""
        return self._begin(start), self._finish(end)

    def around_decoded(self) -> list[tuple[int, int]]:
        """Give the stretches of the decoded text, apart from each other, that reach `_REACH` characters around what is
        decoded, and on to the next ends of lines. All the rest reads as it did in the original."""
        stretches: list[tuple[int, int]] = []
        ends = (*self.decoded[1:], len(self.text))
        for at, width, length in zip(self.decoded, self.lengths, ends, strict=True):
            if length - at == width and width != 1:
                continue  # verbatim
            if stretches and at <= stretches[-1][1] - _REACH:
                continue
            start = self.text.rfind("\n", max(0, at - 2 * _REACH), max(0, at - _REACH)) + 1 or max(0, at - 2 * _REACH)
            end = self.text.find("\n", at + _REACH, at + 2 * _REACH)
            end = min(len(self.text), at + 2 * _REACH) if end < 0 else end
            if stretches and start <= stretches[-1][1]:
                stretches[-1] = (stretches[-1][0], end)
            else:
                stretches.append((start, end))
        return stretches

    def _begin(self, offset: int) -> int:
        piece = bisect_right(self.decoded, offset) - 1
        return self.original[piece] + min(offset - self.decoded[piece], self.lengths[piece])

    def _finish(self, offset: int) -> int:
        piece = bisect_right(self.decoded, offset - 1) - 1
        width = (self.decoded[piece + 1] if piece + 1 < len(self.decoded) else len(self.text)) - self.decoded[piece]
        if width == self.lengths[piece]:
            return self.original[piece] + offset - self.decoded[piece]
        return self.original[piece] + self.lengths[piece]


def unescaped(text: str) -> View | None:
    """Give `text` with JSON and Python escapes undone, None when it holds none."""
    return _decoded(text, _ESCAPE, _escaped_character) if "\\" in text else None


def percent_decoded(text: str) -> View | None:
    """Give `text` with percent-encoding undone, None when it holds none."""
    return _decoded(text, _PERCENT, _percent_characters) if "%" in text else None


def half_width(text: str) -> str:
    """Give `text` with full-width letters, figures and `＠` as plain ones; every character keeps its place."""
    return text.translate(_HALF_WIDTH) if _FULL_WIDTH.search(text) else text


def despaced(text: str) -> View | None:
    """Give `text` with runs of single characters joined, as voice-to-text sets them apart; None when it holds none."""
    return _decoded(text, _SPACED, _joined_characters) if " " in text else None


def base64_texts(text: str) -> Iterator[tuple[int, int, str]]:
    """Give start, end and decoded text of every run that is base64 of printable UTF-8."""
    for match in _BASE64.finditer(text):
        decoded = _decode_base64(match.group())
        if decoded is not None:
            yield match.start(), match.end(), decoded


def _decode_base64(run: str) -> str | None:
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    # A run that was cut somewhere still decodes up to the last whole group of four.
    body = body[: len(body) - (len(body) % 4 == 1)]
    try:
        head = base64.b64decode(body[:64] + "=" * (-len(body[:64]) % 4))
        if sum(byte < 9 or 13 < byte < 32 or byte == 127 for byte in head) > 0:
            return None
        decoded = base64.b64decode(body + "=" * (-len(body) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None  # no text: nothing to look into
    return decoded if sum(c.isprintable() or c.isspace() for c in decoded) >= _PRINTABLE * len(decoded) else None


def _joined_characters(match: re.Match[str]) -> list[tuple[str, int]] | None:
    characters = match.group()[::2]
    # A row of figures is a table, unless it has the length of a telephone or an identity number.
    if characters.isdecimal() and len(characters) not in (11, 18):
        return None
    return [(character, 2) for character in characters[:-1]] + [(characters[-1], 1)]


def _percent_characters(match: re.Match[str]) -> list[tuple[str, int]] | None:
    try:
        decoded = bytes.fromhex(match.group().replace("%", "")).decode("utf-8")
    except UnicodeDecodeError:
        return None
    return [(character, 3 * len(character.encode())) for character in decoded]


def _escaped_character(match: re.Match[str]) -> list[tuple[str, int]] | None:
    code = match[1] or match[2]
    if code is None:
        return [(_ESCAPED.get(match[3], match[3]), 2)]
    character = chr(int(code, 16))
    return None if "\ud800" <= character <= "\udfff" else [(character, len(match.group()))]


def _decoded(text: str, pattern: re.Pattern[str], characters: _Decoder) -> View | None:
    pieces: list[str] = []
    decoded: list[int] = []
    original: list[int] = []
    lengths: list[int] = []
    length = 0
    done = 0

    def add(piece: str, start: int, width: int) -> None:
        nonlocal length
        pieces.append(piece)
        decoded.append(length)
        original.append(start)
        lengths.append(width)
        length += len(piece)

    for match in pattern.finditer(text):
        found = characters(match)
        if found is None:
            continue
        if match.start() > done:
            add(text[done : match.start()], done, match.start() - done)
        at = match.start()
        for character, width in found:
            add(character, at, width)
            at += width
        done = match.end()
    if not pieces:
        return None
    if done < len(text):
        add(text[done:], done, len(text) - done)
    return View("".join(pieces), tuple(decoded), tuple(original), tuple(lengths))
