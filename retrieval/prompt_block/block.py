"""The quoted block of all memories: lines within a budget, marked as reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...schema.language import Language
from ...schema.profile import ProfileLine
from ...text.tokens import estimate_tokens
from ...text.unspoken import MEMORY_CLOSING as CLOSING
from ...text.unspoken import MEMORY_OPENING as OPENING
from .quoting import quoted_name

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_FIGURE = re.compile(r"\(?\d[\d.,:/-]*\d\)?", re.ASCII)
_CHARACTERS_A_TOKEN = 24
"""More than any text has but runs of one letter, which are cut here."""
SHORTEST_TOKENS = 12
"""Lines are cut to no fewer tokens than this; shorter ones are left out."""


def day(timestamp: str) -> str:
    """Return the day of an ISO 8601 time; "?" if it is none."""
    return timestamp[:10] if _DAY.fullmatch(timestamp[:10]) else "?"


def minute(timestamp: str) -> str:
    """Return day and time of day, `2026-02-20 17:30`; the day alone of what has no time of day, and of midnight sharp."""
    time_of_day = timestamp[11:16]
    return day(timestamp) if time_of_day in ("", "00:00") else f"{day(timestamp)} {quoted_name(time_of_day)}"


class Block:
    """The lines of one block, within a budget of tokens."""

    def __init__(self, language: Language, max_tokens: int) -> None:
        self._opening = OPENING[language]
        self._max_tokens = max_tokens
        self._room = max_tokens - estimate_tokens(self._opening) - estimate_tokens(CLOSING) - 2
        self.lines: list[str] = []
        self.said: set[str] = set()
        """Texts that stand in the block as a whole, beside its lines."""
        self.shown_of: dict[str, str] = {}
        """By the ids of events: what a line of a profile shows of each."""

    @property
    def left(self) -> int:
        """The number of tokens left."""
        return max(self._room, 0)

    def note(self, line: ProfileLine) -> None:
        """Note that a line of a profile stands in the block: neither its text nor what it rests on says it again."""
        self.said.add(line.text)
        self.shown_of |= dict.fromkeys(line.evidence, bare(line.text))

    def add(self, lines: Iterable[str]) -> None:
        """Add lines that fit."""
        for line in lines:
            self.lines.append(line)
            self._room -= cost_of(line)

    def fits(self, lines: Sequence[str]) -> bool:
        """Return True if the block with these lines keeps the budget as a whole."""
        return estimate_tokens(self._joined(lines)) <= self._max_tokens

    def fill(self, lines: Iterable[str], share: float) -> None:
        """Add the lines that fit into `share` of the remaining budget; stop when too little is left for any line."""
        room = int(self._room * share)
        for line in lines:
            cost = cost_of(line)
            if cost > room:
                line = cut(line, room - 1)
                cost = cost_of(line) if line else 0
            if not line and room < SHORTEST_TOKENS:
                break
            if not line:
                continue
            self.lines.append(line)
            room -= cost
            self._room -= cost

    def text(self) -> str:
        """Return the block; "" without lines. Lines over the budget because of rounding are removed from the end."""
        while self.lines and estimate_tokens(self._joined()) > self._max_tokens:
            last = self.lines.pop()
            shorter = cut(last, estimate_tokens(last) - 2)
            self.lines += [shorter] if shorter else []
        return self._joined() if self.lines else ""

    def _joined(self, more: Sequence[str] = ()) -> str:
        return "\n".join([self._opening, *self.lines, *more, CLOSING])


def bare(text: str) -> str:
    """Return a text without the quotation marks and full stops around it."""
    return text.strip("“”\"'.。!！ \n")


def cost_of(line: str) -> int:
    """Return the tokens that a line takes, with its line break."""
    return estimate_tokens(line) + 1


def cut(line: str, tokens: int) -> str:
    """Return the beginning of a line, at most `tokens` long, with an ellipsis; "" if nothing useful remains.

    A word of an alphabet, a figure and a date are never cut in two.
    """
    if tokens < SHORTEST_TOKENS:
        return ""
    low, high = 0, min(len(line), _CHARACTERS_A_TOKEN * tokens)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(line[:middle] + "…") <= tokens:
            low = middle
        else:
            high = middle - 1
    low = _before_figure(line, low)
    head = line[:low].rstrip()
    if low < len(line) and _is_inside_word(line, low):
        whole = head.rpartition(" ")[0]
        head = whole if len(whole) > len(head) // 2 else head
    said = head.partition("] ")[2] if head.startswith("- [") else head.partition(": ")[2] or head.removeprefix("- ")
    return f"{head}…" if said.strip() else ""


def _before_figure(line: str, place: int) -> int:
    """Return the start of the figure or date that a place stands in, with its bracket; the place itself outside of one."""
    figures = (found.span() for found in _FIGURE.finditer(line))
    return next((start for start, end in figures if start < place < end), place)


def _is_inside_word(line: str, place: int) -> bool:
    """Return True if letters of an alphabet stand on both sides of a place."""
    return all(character.isalnum() and character < "\u2e80" for character in line[place - 1 : place + 1])
