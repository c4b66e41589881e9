"""Decode texts: percent-encoding, JSON escapes, full-width letters and invisible characters."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .rules import compiled

_FULL_WIDTH = "[０-９Ａ-Ｚａ-ｚ＠]"
_HALF_WIDTH = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF20, 0xFF3B), *range(0xFF41, 0xFF5B))}
_INVISIBLE = (
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters that show nothing: zero-width ones, soft hyphens, marks of direction, fillers, variation selectors, controls."""
_ESCAPE = r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\([nrt\"'/\\])"
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_PERCENT = r"(?:%[0-9A-Fa-f]{2})+"
_Characters = list[tuple[str, int]]


class View(NamedTuple):
    """A decoded text, and the offset in the original of each of its characters and of its end."""

    text: str
    offsets: list[int]

    def through(self, outer: "View | None") -> "View":
        """Return the same view with offsets in the original of `outer`."""
        return self if outer is None else View(self.text, [outer.offsets[at] for at in self.offsets])


def half_width(text: str) -> str:
    """Return the text with full-width letters, digits and `＠` as ASCII; offsets are unchanged."""
    return text if text.isascii() or not compiled(_FULL_WIDTH).search(text) else text.translate(_HALF_WIDTH)


def without_invisible(text: str) -> View | None:
    """Return the text without the characters that show nothing, or None if it has none."""
    if not compiled(_INVISIBLE).search(text):
        return None
    return _decoded(text, _INVISIBLE, lambda _: [])


def decoded_views(text: str) -> Iterator[View]:
    """Yield the text unescaped, then percent-decoded, then unescaped again.

    JSON inside JSON is escaped twice.
    """
    outer: View | None = None
    for mark, pattern, characters in (("\\", _ESCAPE, _unescaped), ("%", _PERCENT, _from_percent), ("\\", _ESCAPE, _unescaped)):
        seen = outer.text if outer else text
        view = _decoded(seen, pattern, characters) if mark in seen else None
        if view is not None:
            outer = view.through(outer)
            yield outer


def _from_percent(match: re.Match[str]) -> _Characters | None:
    try:
        decoded = bytes.fromhex(match.group().replace("%", "")).decode("utf-8")
    except UnicodeDecodeError:
        return None
    return [(character, 3 * len(character.encode())) for character in decoded]


def _unescaped(match: re.Match[str]) -> _Characters | None:
    code = match[1] or match[2]
    if code is None:
        return [(_ESCAPED.get(match[3], match[3]), 2)]
    character = chr(int(code, 16))
    return None if "\ud800" <= character <= "\udfff" else [(character, len(match.group()))]


def _decoded(text: str, pattern: str, characters: Callable[[re.Match[str]], _Characters | None]) -> View | None:
    """Return the text with every match replaced by `characters`, pairs of a character and its width in the text."""
    pieces: list[str] = []
    offsets: list[int] = []
    done = 0
    for match in compiled(pattern).finditer(text):
        found = characters(match)
        if found is None:
            continue
        pieces.append(text[done : match.start()])
        offsets.extend(range(done, match.start()))
        at = match.start()
        for character, width in found:
            pieces.append(character)
            offsets.append(at)
            at += width
        done = match.end()
    if not done:
        return None
    offsets.extend(range(done, len(text) + 1))
    return View("".join([*pieces, text[done:]]), offsets)
