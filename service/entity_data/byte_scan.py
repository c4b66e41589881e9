"""Search of all stored bytes for deleted texts, in every form in which a store writes texts.

A text is searched for in pieces of PIECE_BYTES: as UTF-8, as JSON (plain and with `\\uXXXX`), and
as the words of the keyword index. A text counts as found if any of its pieces is found. Forms
shorter than 9 bytes (three Chinese characters) are not searched for, because they occur by chance.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ...stores.files.bytes_below import PIECE_BYTES, StoredBytes
from ...text.search_words import indexed_words, search_tokens

SHORTEST_BYTES = 9

_PREFIX_BYTES = 8
_TABLE_BITS = 22
_MIX = np.uint64(0x9E3779B97F4A7C15)
_TEXTS_AT_ONCE = 1_000


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

    def __init__(self, wanted: Collection[bytes] = ()) -> None:
        self._wanted: set[bytes] = set()
        # Lengths of the pieces by their first 8 bytes. `find` looks up one slice of the data per
        # length, so that pieces with the same first bytes are not compared one by one.
        self._lengths: dict[int, tuple[int, ...]] = {}
        self._sorted = np.zeros(0, dtype=np.uint64)
        self._table = np.zeros(1 << _TABLE_BITS, dtype=bool)
        self.add(wanted)

    def add(self, wanted: Collection[bytes]) -> None:
        """Add pieces to search for."""
        self._wanted.update(wanted)
        for piece in wanted:
            prefix = int.from_bytes(piece[:_PREFIX_BYTES], "little")
            known = self._lengths.get(prefix, ())
            if len(piece) not in known:
                self._lengths[prefix] = (*known, len(piece))

    def find(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield (offset, piece) of all pieces in `data`."""
        if len(self._sorted) < len(self._lengths):
            self._sorted = np.sort(np.fromiter(self._lengths, np.uint64, len(self._lengths)))
            self._table[_slots(self._sorted)] = True
        for shift in range(min(_PREFIX_BYTES, max(len(data) - _PREFIX_BYTES + 1, 0))):
            words = np.frombuffer(
                data, dtype="<u8", count=(len(data) - shift) // _PREFIX_BYTES, offset=shift
            )
            maybe = np.flatnonzero(self._table[_slots(words)])
            for n in maybe[np.isin(words[maybe], self._sorted)].tolist():
                offset = shift + n * _PREFIX_BYTES
                for length in self._lengths[int(words[n])]:
                    if (piece := data[offset : offset + length]) in self._wanted:
                        yield offset, piece


def scanning(
    stored: Iterable[StoredBytes], needles: Needles, found: list[FoundPiece]
) -> Iterator[int]:
    """Append the pieces found to `found`, each once per place. Yield the number of bytes searched
    so far after each block."""
    size = 0
    seen: set[tuple[str, bytes]] = set()
    for place, start, data in stored:
        for offset, piece in needles.find(data):
            if (place, piece) not in seen:
                seen.add((place, piece))
                found.append(FoundPiece(place, start + offset, piece))
        size += len(data)
        yield size


def standing_in(texts: Iterable[str], wanted: Collection[bytes]) -> set[bytes]:
    """Return the pieces that occur in any form of any of `texts`. Processes a thousand texts at
    once."""
    needles, source = Needles(wanted), iter(texts)
    found: set[bytes] = set()
    while len(found) < len(wanted) and (some := list(islice(source, _TEXTS_AT_ONCE))):
        found.update(
            piece
            for _, piece in needles.find(b"\0".join(form for text in some for form in forms(text)))
        )
    return found


def _slots(
    words: np.ndarray[tuple[int], np.dtype[np.uint64]],
) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return (words * _MIX) >> np.uint64(64 - _TABLE_BITS)
