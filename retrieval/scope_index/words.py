"""The keyword index of one scope in memory: which events hold which words, with BM25 scores.

It holds the same entries as the keyword index of the store and gives the same scores
(`text.search_words`), in a tenth of the time: a query in the store needs several statements per
word.
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
"""Blocks with more places than this are not joined with others: joining would take longer than a
recall may wait."""
TELLING_WORDS = 8
"""The number of words by which a whole match is measured. A pasted page has many words, and no
record holds more than a few of them."""


@dataclass(frozen=True, eq=False)
class WordBlock:
    """The words of neighbouring events: `places[starts[i] : starts[i + 1]]` are the events that
    hold the word `keys[i]`.

    A word is identified by the hash of its stem (64 bits, with another key in every process; `keys`
    ascend). The chance that any two of a million words share a hash is below 1 in 10 million;
    events with one of them are then found by the other word too.
    """

    keys: Keys
    starts: Places
    places: Places

    @property
    def nbytes(self) -> int:
        return int(self.keys.nbytes + self.starts.nbytes + self.places.nbytes)

    def __add__(self, other: WordBlock) -> WordBlock:
        """Return both blocks as one; the events of `other` must come after those of `self`. The
        places are not sorted again.
        """
        both = np.sort(
            np.concatenate([self.keys, other.keys]), kind="stable"
        )  # two sorted runs, which are only merged
        keys = both[np.append(True, both[1:] != both[:-1])] if len(both) else both
        spots = [keys.searchsorted(one.keys) for one in (self, other)]
        counts = [np.zeros(len(keys), dtype=np.int32) for _ in spots]
        for one, spot, count in zip((self, other), spots, counts, strict=True):
            count[spot] = np.diff(one.starts)
        starts = np.concatenate([[0], np.cumsum(counts[0] + counts[1])]).astype(np.int32)
        places = np.empty(int(starts[-1]), dtype=np.int32)
        # For each word, the places of `self` are written from its start on, and those of `other`
        # behind them.
        for one, spot, before in zip(
            (self, other), spots, (np.zeros_like(counts[0]), counts[0]), strict=True
        ):
            first = (starts[:-1] + before)[spot] - one.starts[:-1]
            places[
                np.repeat(first, np.diff(one.starts)) + np.arange(len(one.places), dtype=np.int32)
            ] = one.places
        return WordBlock(keys, starts, places)


@dataclass(frozen=True, eq=False)
class WordMatch:
    """The BM25 score of every event of a scope, 0 for events that hold no word of the query.

    `whole` is the score of a text of mean length that holds the TELLING_WORDS rarest words of the
    query. Compared with it, the best score shows whether the scope holds anything about the query.
    `known`, the share of the `words` of the query that any event holds, shows it as well.
    """

    scores: Scores
    whole: float = 0.0
    known: float = 1.0
    words: int = 0


@dataclass(frozen=True, eq=False)
class ScopeWords:
    """The words of all events of a scope, by position. Immutable: `grown` returns a new object."""

    blocks: tuple[WordBlock, ...] = ()
    lengths: Keys = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        return 3 * int(self.lengths.nbytes) + sum(
            block.nbytes for block in self.blocks
        )  # with `_gains`

    def grown(self, added: Sequence[tuple[int, str]]) -> ScopeWords:
        """Return the words with further events added. `added` has, for each event, the number of
        its words and the words as indexed.
        """
        if not added:
            return self
        blocks = [*self.blocks, _block_of([words for _, words in added], len(self.lengths))]
        # Each block is kept more than twice as large as the next. There are then few blocks, and a
        # word is seldom merged again.
        while len(blocks) > 1 and len(blocks[-2].places) <= min(
            2 * len(blocks[-1].places), LARGEST_BLOCK
        ):
            last = blocks.pop()
            blocks[-1] = blocks[-1] + last
        lengths = np.concatenate(
            [self.lengths, np.array([length for length, _ in added], dtype=np.int64)]
        )
        return ScopeWords(tuple(blocks), lengths)

    def match(self, query: str) -> WordMatch:
        """Return the scores of every event for the words of `query`."""
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
            places += [
                block.places[start:end]
                for start, end in zip(first.tolist(), last.tolist(), strict=True)
            ]
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
        """For each event the score of a word of weight 1 that it holds once; then, for each event,
        the additional score if it holds the word twice.
        """
        added = norms(self.lengths)
        once = (K1 + 1) / (1 + added)
        return np.concatenate([once, 2 * (K1 + 1) / (2 + added) - once])


def _keys(words: Sequence[str]) -> Keys:
    return np.fromiter(map(hash, STEMMER.stems(words)), dtype=np.int64, count=len(words))


def _block_of(texts: Sequence[str], first: int) -> WordBlock:
    """Return the block of the words of `texts`, whose positions begin at `first`."""
    split = [text.split() for text in texts]
    lengths = list(map(len, split))
    numbers: dict[str, int] = {}
    listed = [numbers.setdefault(word, len(numbers)) for words in split for word in words]
    number = np.array(listed, dtype=np.intp)
    place = np.repeat(np.arange(first, first + len(split), dtype=np.int32), lengths)
    words = list(numbers)
    # The store also finds a non-ASCII pair of characters by its first character.
    begins = [
        first_character(word) if len(word) == 2 and not word.isascii() else "" for word in words
    ]
    beginning = np.array([bool(one) for one in begins], dtype=bool)
    keys, more = _keys(words), np.zeros(len(words), dtype=np.int64)
    more[beginning] = _keys([one for one in begins if one])
    has_beginning = beginning[number]
    return _block(
        np.concatenate([keys[number], more[number[has_beginning]]]),
        np.concatenate([place, place[has_beginning]]),
    )


def _block(keys: Keys, places: Places) -> WordBlock:
    """Return the block of the pairs (word, place), sorted by word and then by place. A place occurs
    once per word, although a text may hold two forms of the word.
    """
    order = np.lexsort((places, keys))
    keys, places = keys[order], places[order]
    kept = np.ones(len(keys), dtype=bool)
    kept[1:] = (keys[1:] != keys[:-1]) | (places[1:] != places[:-1])
    keys, places = keys[kept], places[kept]
    is_first = np.ones(len(keys), dtype=bool)
    is_first[1:] = keys[1:] != keys[:-1]
    starts = np.flatnonzero(is_first)
    return WordBlock(keys[starts], np.append(starts, len(keys)).astype(np.int32), places)
