"""Hits as lines of the quoted block, with the messages needed to understand them. The best hits are
added first until the budget is used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...schema.hit import Hit
from ...schema.language import Language
from ...text.search_words import query_tokens
from ...text.speakers.shown_names import AS_BORNE, ShownNames
from ...text.tokens import estimate_tokens
from ..passages import Placed, context_of, said_at, texts_of
from .block import SHORTEST_TOKENS, Block, bare, cost_of, cut, heading_of, record_line, until_mark

PENDING_SHARE = 0.3
"""The maximum share of the room for texts that are not filed yet, if there are other hits."""
LONGEST_SHARE = 0.35
"""The maximum share of the room for one line, if there are other hits."""
SHORT_LINE = 40
"""A line of at most this many tokens is left out rather than cut, if there are other lines."""
MOST_MISSES = 12
"""After this many hits in a row that find no room, the remaining hits are not tried."""
_SENTENCE = re.compile(r"(?<=[.!?。！？；;…])\s*")


@dataclass(frozen=True, slots=True)
class _BlockLine:
    """A line and its heading; `order` is the sort key of the line in the block."""

    order: tuple[bool, str, str, tuple[float, float]]
    heading: str
    text: str
    cost: int


class PassageLines:
    """Chooses the lines of the hits in one block."""

    def __init__(
        self, block: Block, language: Language, queries: Sequence[str], names: ShownNames = AS_BORNE
    ) -> None:
        self._block = block
        self._language = language
        self._queries = queries
        self._names = names
        self._room = block.left
        self._lines: dict[str, _BlockLine] = {}
        self._texts = set(block.said)
        self._headings: set[str] = set()
        self._messages: set[str] = set()
        self._sources: set[str] = set()

    def fill(self, hits: Sequence[Hit]) -> None:
        """Add the hits, best first, until the block is full. The lines are then put in the order of
        time.
        """
        self._names = self._names.beside((*self._block.said, *texts_of(hits)))
        whole, waiting, misses = self._room, 0, 0
        has_filed = any(not hit.pending for hit in hits)
        for hit in hits:
            if self._is_told(hit):
                continue
            room = self._room
            if hit.pending and has_filed:
                room = min(room, int(PENDING_SHARE * whole) - waiting)
            taken = self._take(hit, room, int(LONGEST_SHARE * whole) if len(hits) > 1 else room)
            misses = 0 if taken else misses + 1
            waiting += taken if hit.pending else 0
            if self._room < SHORTEST_TOKENS or misses >= MOST_MISSES:
                break
        shown = self._in_order()
        while len(self._lines) > 1 and not self._block.fits(
            shown
        ):  # over by a few tokens: estimates are rounded
            self._lines.popitem()  # the line that was added last fits least
            shown = self._in_order()
        self._block.add(shown)

    def _is_told(self, hit: Hit) -> bool:
        """Return True if the block already holds the text of a hit, its source messages, or an
        event or profile line made from it.
        """
        event = hit.event
        if event.event_id in self._lines or event.job_id in self._sources:
            return True
        if event.sources and self._messages.issuperset(event.sources):
            return True
        return event.said in self._texts or self._block.shown_of.get(event.event_id) == bare(
            event.text
        )

    def _take(self, hit: Hit, room: int, longest: int) -> int:
        """Add a hit with its context, else alone, else cut, as it fits into `room`. Return the
        number of tokens used, 0 if it was left out.
        """
        own = Placed(hit.event, float(hit.place))
        around = [one for one in context_of(hit) if one.event.event_id not in self._lines]
        made = {one.event.event_id: self._line(hit, one, longest) for one in (own, *around)}
        for wanted in ([own, *around], [own]) if around else ([own],):
            lines = {one.event.event_id: made[one.event.event_id] for one in wanted}
            cost = self._cost(list(lines.values()))
            if cost <= room:
                return self._add(wanted, lines, cost)
        line = lines[hit.event.event_id]
        if self._lines and line.cost <= SHORT_LINE:
            return 0
        shorter = (
            cut(line.text, room - (cost - line.cost) - 1) if line.cost > whole_line(room) else ""
        )
        if not shorter:
            return 0
        lines[hit.event.event_id] = _BlockLine(line.order, line.heading, shorter, cost_of(shorter))
        return self._add([own], lines, self._cost(list(lines.values())))

    def _add(self, placed: Sequence[Placed], lines: dict[str, _BlockLine], cost: int) -> int:
        self._lines.update(lines)
        self._room -= cost
        for event, _ in placed:
            self._texts.add(event.said)
            self._sources.update(event.sources)
            if event.is_message:
                self._messages.add(event.job_id)
        self._headings.update(line.heading for line in lines.values())
        return cost

    def _cost(self, lines: Sequence[_BlockLine]) -> int:
        headings = {line.heading for line in lines} - self._headings
        return sum(line.cost for line in lines) + sum(map(cost_of, headings))

    def _line(self, hit: Hit, placed: Placed, longest: int) -> _BlockLine:
        event = placed.event
        shown = hit if event is hit.event else Hit(event, 0.0, pending=hit.pending, group=hit.group)
        text = record_line(shown, self._names)
        cost = cost_of(text)
        if cost > longest:
            text = excerpt(text, self._queries, longest)
            cost = cost_of(text)
        order = (hit.pending, event.day, hit.group, said_at(placed))
        if over := until_mark(event, self._language):
            text, cost = text + over, cost_of(text + over)
        return _BlockLine(order, heading_of(shown, self._language), text, cost)

    def _in_order(self) -> list[str]:
        shown: list[str] = []
        heading = ""
        for line in sorted(self._lines.values(), key=lambda line: line.order):
            if line.heading != heading:
                heading = line.heading
                shown.append(heading)
            shown.append(line.text)
        return shown


def whole_line(room: int) -> int:
    """Return the number of tokens above which a line is cut rather than left out if it does not fit
    into `room`.
    """
    return max(SHORTEST_TOKENS, room // 2)


def excerpt(line: str, queries: Sequence[str], tokens: int) -> str:
    """Return at most `tokens` tokens of a line: its beginning, or the speaker and the text from the
    sentence on that shares most words with the queries.
    """
    head = "- " if line.startswith("- ") else line[: line.find(": ") + 2]
    said = line[len(head) :]
    words = [word for query in queries for word in query_tokens(query)]
    sentences = _SENTENCE.split(said)
    held = [sum(word in sentence.casefold() for word in words) for sentence in sentences]
    best = max(range(len(held)), key=held.__getitem__)
    before = " ".join(sentences[:best])
    if not held[best] or estimate_tokens(before) < tokens // 2:
        return cut(line, tokens - 1)
    return cut(f"{head}…{' '.join(sentences[best:])}", tokens - 1)
