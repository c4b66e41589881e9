"""Quotations with the kind of their marks: titles in 《》, speech and names in the others."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..remembered import remembered

_PAIRS = {"《": "》", "〈": "〉", "「": "」", "『": "』", "“": "”", "‘": "’", "«": "»"}
_CLOSING = {closing: opening for opening, closing in _PAIRS.items()}
_MARK = re.compile(r"""[《》〈〉「」『』“”‘’«»"']""")
_IGNORED = re.compile(r"[\s\W_]+")


@dataclass(frozen=True, slots=True)
class Quotation:
    """One quotation. `start` and `end` include the marks; `content` does not."""

    start: int
    end: int
    content: str
    opening: str

    @property
    def key(self) -> str:
        """The content for comparison, without case, spaces and punctuation."""
        return comparable(self.content)


def comparable(text: str) -> str:
    """Return the letters, characters and digits of `text` in lower case, for comparing two wordings of a title."""
    return _IGNORED.sub("", text).casefold()


@remembered(256)
def quotations(text: str) -> tuple[Quotation, ...]:
    """Return the outermost closed quotations in text order.

    Straight and single marks count only if they cannot be an apostrophe (Tom's, users', don't) and close on the same
    line. Unclosed marks are ignored.
    """
    found: list[tuple[int, int, str]] = []
    stacks: dict[str, list[int]] = {}
    line = seen = 0
    for match in _MARK.finditer(text):
        mark, at = match.group(), match.start()
        if mark in ('"', "'"):
            line = max(line, text.rfind("\n", seen, at) + 1)
            seen = at
            _straight(text, mark, at, line, stacks, found)
        elif mark in _PAIRS:
            stacks.setdefault(mark, []).append(at)
        elif mark == "’" and _between_letters(text, at):
            continue
        elif stacks.get(_CLOSING[mark]):
            opened = stacks[_CLOSING[mark]].pop()
            found.append((opened, at + 1, _CLOSING[mark]))
    outermost: list[Quotation] = []
    for start, end, opening in sorted(found, key=lambda one: (one[0], -one[1])):
        if not outermost or start >= outermost[-1].end:
            outermost.append(Quotation(start, end, text[start + 1 : end - 1], opening))
    return tuple(outermost)


def _straight(text: str, mark: str, at: int, line: int, stacks: dict[str, list[int]], found: list[tuple[int, int, str]]) -> None:
    """Take in the straight mark at `at`, in the line that begins at `line`."""
    before = text[at - 1 : at] if at else " "
    after = text[at + 1 : at + 2] or " "
    opened = stacks.get(mark)
    if opened and opened[-1] < line:
        opened.clear()
    if opened and not before.isspace() and not (mark == "'" and _is_latin(after)):
        start = opened.pop()
        found.append((start, at + 1, mark))
    elif not after.isspace() and not _is_latin(before):
        stacks[mark] = [at]


def _between_letters(text: str, at: int) -> bool:
    return bool(at) and _is_latin(text[at - 1]) and _is_latin(text[at + 1 : at + 2])


def _is_latin(character: str) -> bool:
    return character.isascii() and character.isalnum()
