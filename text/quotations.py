"""Quotations with their opening marks: titles in 《》, speech and names in the other marks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .protected import quoted_spans
from .remembered import remembered

_IGNORED = re.compile(r"[\W_]+")


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
    """Return the letters and digits of `text` in lower case, to compare two wordings."""
    return _IGNORED.sub("", text).casefold()


@remembered(256)
def quotations(text: str) -> tuple[Quotation, ...]:
    """Return the outermost closed quotations in text order."""
    outermost: list[Quotation] = []
    for start, end in sorted(quoted_spans(text), key=lambda span: (span[0], -span[1])):
        if not outermost or start >= outermost[-1].end:
            outermost.append(Quotation(start, end, text[start + 1 : end - 1], text[start]))
    return tuple(outermost)
