"""The keyword index of one scope in memory: which events hold which words, and BM25 over them.

It holds what the keyword index of the store holds for the same rows and scores as that does
(`text.keywords`), in a tenth of the time: a query there costs several statements a word.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...text.search_words import K1, STEMMER, first_character, norms, query_words, repeated

Scores = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]

LARGEST_BLOCK = 2**20
"""Blocks with more places than this are joined with no other: that would take longer than a recall may wait."""
TELLING_WORDS = 8
"""What a whole match is measured by. A pasted page has many words, of which no record holds more than a few."""


@dataclass(frozen=True, eq=False)
class WordBlock:
    """The words of neighbouring events: `places[starts[i] : starts[i + 1]]` are the events that hold the word `keys[i]`.

    A word is told by the hash of its stem (64 bits, keyed anew in every process; `keys` ascend). Any two of a
    million words share one with a chance below 1 in 10 millions; then events of this scope are found by the other word too.
    """

    keys: Keys
    starts: Places
    places: Places

    @property
    def nbytes(self) -> int:
        return int(self.keys.nbytes + self.starts.nbytes + self.places.nbytes)

    def __add__(self, other: WordBlock) -> WordBlock:
        """Return both blocks as one; the events of `other` come after those of `self`. Nothing is sorted."""
        both = np.sort(np.concatenate([self.keys, other.keys]), kind="stable")  # two sorted runs: takes no sorting
        keys = both[np.append(True, both[1:] != both[:-1])] if len(both) else both
        spots = [keys.searchsorted(one.keys) for one in (self, other)]
        counts = [np.zeros(len(keys), dtype=np.int32) for _ in spots]
        for one, spot, count in zip((self, other), spots, counts, strict=True):
            count[spot] = np.diff(one.starts)
        starts = np.concatenate([[0], np.cumsum(counts[0] + counts[1])]).astype(np.int32)
        places = np.empty(int(starts[-1]), dtype=np.int32)
        # Of each word the places of `self` go to its start, those of `other` behind them.
        for one, spot, before in zip((self, other), spots, (np.zeros_like(counts[0]), counts[0]), strict=True):
            first = (starts[:-1] + before)[spot] - one.starts[:-1]
            places[np.repeat(first, np.diff(one.starts)) + np.arange(len(one.places), dtype=np.int32)] = one.places
        return WordBlock(keys, starts, places)


@dataclass(frozen=True, eq=False)
class WordMatch:
    """The BM25 score of every event of a scope, 0 for those that hold no word of the query.

    `whole`: what a text of mean length would score that held the TELLING_WORDS most telling words of the query. Beside it
    the best score there is says whether the scope speaks of what was asked at all, and so does `known`, the share of the
    `words` of the query that any event holds.
    """

    scores: Scores
    whole: float = 0.0
    known: float = 1.0
    words: int = 0


@dataclass(frozen=True, eq=False)
class ScopeWords:
    """The words of all events of a scope, by their position. Never changed: `grown` gives another one."""

    blocks: tuple[WordBlock, ...] = ()
    lengths: Keys = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        return 3 * int(self.lengths.nbytes) + sum(block.nbytes for block in self.blocks)  # with what they gain

    def grown(self, added: Sequence[tuple[int, str]]) -> ScopeWords:
        """Return the words with further events added: for each its number of words, and the words as indexed."""
        if not added:
            return self
        blocks = [*self.blocks, _block_of([words for _, words in added], len(self.lengths))]
        # Each block is more than twice as large as the next, so that there are few, and a word is seldom sorted again.
        while len(blocks) > 1 and len(blocks[-2].places) <= min(2 * len(blocks[-1].places), LARGEST_BLOCK):
            last = blocks.pop()
            blocks[-1] = blocks[-1] + last
        lengths = np.concatenate([self.lengths, np.array([length for length, _ in added], dtype=np.int64)])
        return ScopeWords(tuple(blocks), lengths)

    def match(self, query: str) -> WordMatch:
        """Score every event against the words of `query`."""
        count = len(self.lengths)
        words = query_words(query)
        if not words or not count:
            return WordMatch(np.zeros(count, dtype=np.float32))
        keys = _keys([*words, *map(repeated, words)])
        held = np.zeros(len(keys), dtype=np.int64)
        numbers: list[Keys] = []
        places: list[Places] = []
        for block in self.blocks:
            if not len(block.keys):
                continue
            spots = block.keys.searchsorted(keys)
            known = np.flatnonzero(block.keys[np.minimum(spots, len(block.keys) - 1)] == keys)
            first, last = block.starts[spots[known]], block.starts[spots[known] + 1]
            held[known] += last - first
            numbers.append(np.repeat(known, last - first))
            places += [block.places[start:end] for start, end in zip(first.tolist(), last.tolist(), strict=True)]
        telling = [math.log(1 + (count - n + 0.5) / (n + 0.5)) for n in held[: len(words)].tolist()]
        whole = sum(sorted(telling, reverse=True)[:TELLING_WORDS])
        if not places:
            return WordMatch(np.zeros(count, dtype=np.float32), whole, 0.0, len(words))
        number, place = np.concatenate(numbers), np.concatenate(places)
        gains = self._gains[place + count * (number >= len(words))]
        scores = np.bincount(place, weights=gains * np.array(2 * telling)[number], minlength=count)
        known_share = float(np.count_nonzero(held[: len(words)])) / len(words)
        return WordMatch(scores.astype(np.float32), whole, known_share, len(words))

    @cached_property
    def _gains(self) -> npt.NDArray[np.float64]:
        """What each event gains for a word that it holds, by a weight of 1; then what more if the word stands there twice."""
        added = norms(self.lengths)
        once = (K1 + 1) / (1 + added)
        return np.concatenate([once, 2 * (K1 + 1) / (2 + added) - once])


def _keys(words: Sequence[str]) -> Keys:
    return np.fromiter(map(hash, STEMMER.stems(words)), dtype=np.int64, count=len(words))


def _block_of(texts: Sequence[str], first: int) -> WordBlock:
    """Return the words of texts, at the positions from `first` on."""
    split = [text.split() for text in texts]
    lengths = list(map(len, split))
    numbers: dict[str, int] = {}
    listed = [numbers.setdefault(word, len(numbers)) for words in split for word in words]
    number = np.array(listed, dtype=np.intp)
    place = np.repeat(np.arange(first, first + len(split), dtype=np.int32), lengths)
    words = list(numbers)
    # What the store finds by the beginning of a pair: the first character of pairs that are no ASCII.
    begins = [first_character(word) if len(word) == 2 and not word.isascii() else "" for word in words]
    beginning = np.array([bool(one) for one in begins], dtype=bool)
    keys, more = _keys(words), np.zeros(len(words), dtype=np.int64)
    more[beginning] = _keys([one for one in begins if one])
    has_beginning = beginning[number]
    return _block(np.concatenate([keys[number], more[number[has_beginning]]]), np.concatenate([place, place[has_beginning]]))


def _block(keys: Keys, places: Places) -> WordBlock:
    """Sorted by word, then by place; a place once a word, though two forms of a word may stand in one text."""
    order = np.lexsort((places, keys))
    keys, places = keys[order], places[order]
    kept = np.ones(len(keys), dtype=bool)
    kept[1:] = (keys[1:] != keys[:-1]) | (places[1:] != places[:-1])
    keys, places = keys[kept], places[kept]
    is_first = np.ones(len(keys), dtype=bool)
    is_first[1:] = keys[1:] != keys[:-1]
    starts = np.flatnonzero(is_first)
    return WordBlock(keys[starts], np.append(starts, len(keys)).astype(np.int32), places)
