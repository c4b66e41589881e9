"""Search of all stored bytes for deleted texts, in every form in which a store writes texts.

A text is searched for in pieces of PIECE_BYTES: as UTF-8, as JSON (plain and with `\\uXXXX`), and
as the words of the keyword index. A text counts as found if any of its pieces is found. Forms
shorter than 9 bytes (three Chinese characters) are not searched for, because they occur by chance.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...schema.entity import Entity
from ...schema.portions import portions
from ...stores.files.bytes_below import PIECE_BYTES, StoredBytes
from ...text.search_words import indexed_words, search_tokens
from .kinds import Kind, Traces

SHORTEST_BYTES = 9
TEXTS_AT_ONCE = 200
"""Number of texts that are split into pieces or compared in one step."""

_PREFIX_BYTES = 8
_TABLE_BITS = 22
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class FoundPiece:
    """A piece that was found: its file or table, the byte offset, and the piece."""

    path: str
    offset: int
    piece: bytes


def forms(text: str) -> tuple[bytes, ...]:
    """Return `text` as the stores write it: UTF-8, JSON, ASCII JSON, and the indexed words of
    events and profiles."""
    long_enough = (
        len(text.encode("utf-8", "replace")) >= SHORTEST_BYTES
    )  # the words of shorter texts are too common
    tokens = search_tokens(text) if long_enough else []
    words = (indexed_words(text, tokens)[1], " ".join(tokens)) if long_enough else ()
    written = (text, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1], *words)
    return tuple(dict.fromkeys(form.encode("utf-8", "replace") for form in written))


def pieces(text: str) -> set[bytes]:
    """Return the pieces of all forms of a text; empty if it is too short."""
    found: set[bytes] = set()
    for form in forms(text.strip()):
        if len(form) < SHORTEST_BYTES:
            continue
        found.update(
            form[start : start + PIECE_BYTES]
            for start in range(0, max(len(form) - PIECE_BYTES, 0) + 1, PIECE_BYTES)
        )
        found.add(form[-PIECE_BYTES:])
    return found


class Needles:
    """Searches data for many pieces at once.

    The speed is about 20 MB per second. It does not depend on the number of pieces, even if all
    pieces begin with the same bytes.
    """

    def __init__(self, wanted: Collection[bytes]) -> None:
        self._wanted = frozenset(wanted)
        # `find` looks up one slice of the data per length, so that pieces with the same first bytes
        # are not compared one by one.
        self._lengths = sorted({len(piece) for piece in wanted})
        first = b"".join(piece[:_PREFIX_BYTES] for piece in self._wanted)
        self._prefixes = np.unique(np.frombuffer(first, dtype="<u8"))
        self._table = np.zeros(1 << _TABLE_BITS, dtype=bool)
        self._table[_slots(self._prefixes)] = True

    def find(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield (offset, piece) of all pieces in `data`."""
        for shift in range(min(_PREFIX_BYTES, max(len(data) - _PREFIX_BYTES + 1, 0))):
            words = np.frombuffer(
                data, dtype="<u8", count=(len(data) - shift) // _PREFIX_BYTES, offset=shift
            )
            maybe = np.flatnonzero(self._table[_slots(words)])
            for n in maybe[np.isin(words[maybe], self._prefixes)].tolist():
                offset = shift + n * _PREFIX_BYTES
                for length in self._lengths:
                    if (piece := data[offset : offset + length]) in self._wanted:
                        yield offset, piece


class Remains:
    """Forgotten texts that are still stored: the pieces found, each once per place.

    `unread` are the names of unreadable files or tables, `searched` is the number of bytes.
    `too_short` is the number of texts that are too short to be searched for.
    """

    def __init__(self) -> None:
        self.found: list[FoundPiece] = []
        self.unread: list[str] = []
        self.searched = self.too_short = 0

    def search(
        self, stored: Iterable[StoredBytes], kinds: Sequence[Kind[Any]], traces: Traces
    ) -> Iterator[None]:
        """Find the texts of `traces` in `stored`. Yields between short steps.

        The same text in a record of others is no remnant. Events (the first of `kinds`) are read
        last, so that a job that is filed meanwhile is not missed.
        """
        wanted: set[bytes] = set()
        for some in portions(sorted(traces.texts), TEXTS_AT_ONCE):
            yield
            for text in some:
                wanted_of_text = pieces(text)
                self.too_short += not wanted_of_text and bool(text.strip())
                wanted |= wanted_of_text
        yield from self.scan(stored, Needles(wanted))
        for kind in reversed(kinds):
            texts = _texts_of_others(kind, traces.entity) if self.found else iter(())
            for others in portions(texts, TEXTS_AT_ONCE):
                yield
                self.leave_out(others)

    def scan(self, stored: Iterable[StoredBytes], needles: Needles) -> Iterator[None]:
        """Add the pieces in `stored`. Yields after each block."""
        seen: set[tuple[str, bytes]] = set()
        for place, start, data in stored:
            for offset, piece in needles.find(data):
                if (place, piece) not in seen:
                    seen.add((place, piece))
                    self.found.append(FoundPiece(place, start + offset, piece))
            self.searched += len(data)
            yield

    def leave_out(self, texts: Iterable[str]) -> None:
        """Remove the pieces that occur in any form of any of `texts`."""
        needles = Needles({one.piece for one in self.found})
        data = b"\0".join(form for text in texts for form in forms(text))
        others = {piece for _, piece in needles.find(data)}
        self.found = [one for one in self.found if one.piece not in others]


def _texts_of_others(kind: Kind[Any], entity: Entity) -> Iterator[str]:
    """Yield the texts of the remaining records of a kind, which are records of other entities.

    For records of several lines (profiles, articles) also yield the joined lines, because a piece
    may span two lines. If a user is forgotten, group profiles are skipped: texts of the user must
    not remain in them.
    """
    for record in kind.records():
        is_group = kind.kind == "profiles" and record.entities[0].startswith("group:")
        if not (is_group and entity.type == "user"):
            yield from record.searched
            yield "\n".join(record.searched)


def _slots(
    words: np.ndarray[tuple[int], np.dtype[np.uint64]],
) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return (words * _MIX) >> np.uint64(64 - _TABLE_BITS)
