"""The events of one scope in memory, as a recall searches them.

A snapshot is never changed; a table grows by appending, so that snapshots taken before stay right beside the search that
uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from sys import getsizeof

import numpy as np
import numpy.typing as npt

from ...schema.event import Event, EventFilter, is_raw
from ...schema.protocols import Matrix, Vector
from ...text.content import has_content
from ...text.questions.asking import ends_asking, is_question
from .centre import VectorSum
from .words import Mask, ScopeWords, Scores, WordMatch

Positions = npt.NDArray[np.intp]

BYTES_AN_EVENT = 400
"""About what an event takes beside its two texts and its vector, with its places in the lists and the dictionary."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """`events` in the order of filing; `matrix` has their unit vectors, a row of zeros where `embedded` is False."""

    events: Sequence[Event]
    positions: dict[str, int]
    matrix: Matrix
    embedded: Mask
    times: npt.NDArray[np.float64]
    told: npt.NDArray[np.float64]
    """The first and last moment that each event tells of, shape (events, 2): when it was said if it names no time."""
    marks: Mask
    """Which events are superseded, are corrected, ask in the end, are observations, are questions, have no content of their
    own, shape (events, 6)."""
    who: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int32))
    """The numbers of the user id and of the name of each event, shape (events, 2)."""
    users: dict[str, int] = field(default_factory=dict)
    """The numbers of the user ids."""
    names: dict[str, int] = field(default_factory=dict)
    """The numbers of the names, from 1."""
    words: ScopeWords = field(default_factory=ScopeWords)
    mean: Vector = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    """The mean of the vectors."""
    count: int = 0
    """How many events have a vector."""
    has_general_means: bool = False
    """True if the general means of the model are known."""
    _near: dict[float, tuple[Mask, Mask]] = field(default_factory=dict)
    _lengths: dict[float, Scores] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def dimension(self) -> int:
        """0 while nothing is embedded."""
        return int(self.matrix.shape[1])

    @cached_property
    def time_order(self) -> Positions:
        """Positions from the earliest event to the latest; those of one moment in the order of filing."""
        return np.argsort(self.times, kind="stable")

    @cached_property
    def time_ranks(self) -> Positions:
        """The place of each event in `time_order`."""
        ranks = np.empty(len(self), dtype=np.intp)
        ranks[self.time_order] = np.arange(len(self))
        return ranks

    @cached_property
    def is_in_order(self) -> bool:
        """True if the events were filed in the order of their times."""
        return bool((self.times[1:] >= self.times[:-1]).all())

    @cached_property
    def is_all_embedded(self) -> bool:
        """True if every event has a vector."""
        return self.count == len(self)

    def near(self, minutes: float) -> tuple[Mask, Mask]:
        """Return, in the order of time, which gaps to the next event, and which two gaps in a row, are at most so long."""
        if minutes not in self._near:
            near = np.diff(self.times if self.is_in_order else self.times[self.time_order]) <= minutes * 60.0
            self._near[minutes] = near, near[1:] & near[:-1]
        return self._near[minutes]

    @cached_property
    def over(self) -> Mask | None:
        """Which events a later one has superseded; None if there are none."""
        return _if_any(self.marks[:, 0])

    @cached_property
    def corrected(self) -> Mask | None:
        """Which events a later one has corrected; None if there are none."""
        return _if_any(self.marks[:, 1])

    @cached_property
    def asking(self) -> Mask | None:
        """Which events are short and ask something in the end; None if there are none."""
        return _if_any(self.marks[:, 2])

    @property
    def observed(self) -> Mask:
        """Which events are observations that no person said."""
        return self.marks[:, 3]

    @property
    def questions(self) -> Mask:
        """Which events are a question and little else, or tell of one."""
        return self.marks[:, 4]

    @cached_property
    def without_content(self) -> Mask | None:
        """Which messages have no content of their own (👍, 收到, lol); None if there are none."""
        return _if_any(self.marks[:, 5])

    @cached_property
    def _along(self) -> Scores:
        """The product of every vector with the mean."""
        return np.asarray(np.vecdot(self.matrix, self.mean), dtype=np.float32)

    def similarities(self, vector: Vector, *, centred: float) -> Scores:
        """Return the exact cosine of every event with `vector`; undefined where `embedded` is False.

        `centred` (0 to 1): the cosine after so much of the mean of the scope is taken away from both sides. Embeddings of
        small models lie in a narrow cone, where all cosines are alike; seen from the middle of the cone they differ
        (multilingual-e5-small, LoCoMo turns: recall at 10 rises from 53 to 59 %).
        """
        # Not `matrix @ vector`: BLAS starts its threads for it, which wait for a processor where all are busy. (10,000 vectors
        # beside ten busy processes on two cores: 28 ms against 0.3, p50.)
        plain = np.asarray(np.vecdot(self.matrix, vector), dtype=np.float32)
        if not centred:
            return plain
        along, square = self._along * np.float32(centred), float(self.mean @ self.mean) * centred**2
        to_mean = float(vector @ self.mean) * centred
        if centred not in self._lengths:
            self._lengths[centred] = np.sqrt(np.maximum(1.0 - 2.0 * along + square, 1e-12), dtype=np.float32)
        length = max(1.0 - 2.0 * to_mean + square, 1e-12) ** 0.5
        return np.asarray((plain - along - to_mean + square) / (self._lengths[centred] * length), dtype=np.float32)

    def nearest(self, vector: Vector, chosen: Positions) -> float:
        """Return the highest cosine of the events at `chosen` with `vector`, seen from the mean; -1 if there are none."""
        rows, seen = self.matrix[chosen] - self.mean, vector - self.mean
        lengths = np.sqrt(np.vecdot(rows, rows)) * np.sqrt(seen @ seen)
        return float((np.vecdot(rows, seen) / np.maximum(lengths, 1e-6)).max(initial=-1.0))

    def likeness(self, chosen: Positions, *, centred: bool) -> Callable[[int | Positions], Scores]:
        """Return a function of n: the cosines of the events at `chosen` with the n-th of them; 0 without a vector.

        Of several n one row each.
        """
        rows = self.matrix[chosen]
        if centred and self.dimension:
            rows -= self.mean
        lengths = np.sqrt(np.vecdot(rows, rows))
        rows *= (self.embedded[chosen] / np.maximum(lengths, 1e-6))[:, np.newaxis]
        # Not `rows @ rows[n]`: BLAS starts its threads for it, which wait for a processor where all are busy.
        return lambda n: np.vecdot(rows, rows[n][..., np.newaxis, :])

    def in_force(self, admitted: Mask | None, *, past: bool) -> Mask | None:
        """Return which of the admitted events hold, with `past` those that are superseded as well; None: all events."""
        for gone in (self.corrected, None if past else self.over):
            if gone is not None:
                admitted = ~gone if admitted is None else admitted & ~gone
        return admitted

    def admitted(self, where: EventFilter) -> Mask | None:
        """Return which events meet the conditions of `where` besides its scope; None if all do."""
        if not where.narrows:
            return None
        mask = np.ones(len(self), dtype=bool)
        if where.user_ids:
            mask &= np.isin(self.who[:, 0], [self.users.get(one, -1) for one in where.user_ids])
        for name, values in (("kind", where.kinds), ("source", where.sources), ("event_id", where.event_ids)):
            if values:
                allowed = frozenset(values)
                mask &= np.fromiter((getattr(self.events[n], name) in allowed for n in range(len(self))), bool, len(self))
        if where.is_absolute is not None:
            mask &= np.fromiter((self.events[n].is_absolute == where.is_absolute for n in range(len(self))), bool, len(self))
        if where.holds is not None:
            held = self.in_force(None, past=False)
            mask &= np.full(len(self), where.holds) if held is None else held == where.holds
        if where.time_from is not None:
            mask &= self.times >= where.time_from
        if where.time_to is not None:
            mask &= self.times <= where.time_to
        if where.occurs_from is not None:
            mask &= self.told[:, 1] >= where.occurs_from
        if where.occurs_to is not None:
            mask &= self.told[:, 0] <= where.occurs_to
        return mask

    def keywords(self, query: str, admitted: Mask | None, limit: int) -> WordMatch:
        """Return the BM25 score of every event that is admitted and among the `limit` best, else 0."""
        match = self.words.match(query)
        scores = match.scores
        if admitted is not None:
            scores[~admitted] = 0.0
        found = scores[scores > 0]  # a partition of what is mostly zeros takes ten times as long
        if len(found) > limit:
            scores[scores < np.partition(found, len(found) - limit)[len(found) - limit]] = 0.0
        return match


def _marks(event: Event) -> tuple[bool, bool, bool, bool, bool, bool]:
    ends, empty = ends_asking(event.text), event.is_message and not has_content(event.text)
    return bool(event.superseded_by), bool(event.corrected_by), ends, is_raw(event), is_question(event.text), empty


def _if_any(mask: Mask) -> Mask | None:
    return mask if mask.any() else None


class ScopeTable:
    """The growing table behind the snapshots of one scope. Not safe for several threads: its owner locks."""

    def __init__(self, change: tuple[int, int], means: Matrix | None = None) -> None:
        self.change = change
        self._has_means = means is not None
        self._sum = VectorSum(means)
        self.sequence = 0
        self.last_row = 0
        self._events: list[Event] = []
        self._text_bytes = 0
        self._positions: dict[str, int] = {}
        self._users: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._who = np.zeros((0, 2), dtype=np.int32)
        self._times = np.empty(0, dtype=np.float64)
        self._told = np.empty((0, 2), dtype=np.float64)
        self._marks = np.zeros((0, 6), dtype=bool)
        self._matrix: Matrix = np.zeros((0, 0), dtype=np.float32)
        self._embedded = np.zeros(0, dtype=bool)
        self._words = ScopeWords()
        self._is_sealed = False
        self.snapshot = self._snapshot()

    @property
    def nbytes(self) -> int:
        return int(self._matrix.nbytes) + BYTES_AN_EVENT * len(self._events) + self._text_bytes + self._words.nbytes

    def seal(self) -> None:
        """From now on snapshots are in use: what they show is copied before it changes."""
        self._is_sealed = True

    def grow(
        self,
        rows: Sequence[int],
        events: Sequence[Event],
        words: Sequence[tuple[int, int, str]],
        ids: Sequence[str],
        vectors: Matrix,
    ) -> bool:
        """Add events with their row numbers, their words by row number, and the vectors that came since, by event id.

        False: the vectors are of another dimension.
        """
        if len(ids) and self._matrix.shape[1] not in (0, vectors.shape[1]):
            return False
        first = len(self._events)
        for position, event in enumerate(events, first):
            self._positions[event.event_id] = position
        self._events.extend(events)
        if events:
            self._text_bytes += sum(getsizeof(event.text) + getsizeof(event.handed_over) for event in events)
            # One that was deleted in between has none; its removal is counted, and the table made anew.
            by_row = {row: (length, text) for row, length, text in words}
            self._words = self._words.grown([by_row.get(row, (0, "")) for row in rows])
            self.last_row = rows[-1]
            self._times = np.concatenate([self._times, [event.timestamp for event in events]])
            self._told = np.concatenate([self._told, [event.told for event in events]])
            self._marks = np.concatenate([self._marks, np.array([_marks(event) for event in events])])
            self._who = np.concatenate([self._who, np.array([self._numbers(event) for event in events], dtype=np.int32)])
        self._reserve(len(self._events), vectors.shape[1] if len(ids) else self._matrix.shape[1])
        known = [(n, self._positions[event_id]) for n, event_id in enumerate(ids) if event_id in self._positions]
        if known:
            sources, targets = (np.array(column) for column in zip(*known, strict=True))
            if self._is_sealed and (targets < first).any():
                # An older event has got its vector: snapshots in use keep the matrix that they have.
                self._matrix, self._embedded = self._matrix.copy(), self._embedded.copy()
            self._sum.add(self._matrix[targets[self._embedded[targets]]], -1)
            self._sum.add(vectors[sources])
            self._matrix[targets] = vectors[sources]
            self._embedded[targets] = True
        self.snapshot = self._snapshot()
        return True

    def _numbers(self, event: Event) -> tuple[int, int]:
        user = self._users.setdefault(event.user_id, len(self._users))
        name = event.user_name
        return user, self._names.setdefault(name, len(self._names) + 1) if name else 0

    def _reserve(self, count: int, dimension: int) -> None:
        capacity = len(self._embedded)
        if count <= capacity and dimension == self._matrix.shape[1]:
            return
        # Exactly what is there at first; room for more once a table turns out to grow.
        is_first = capacity == 0 or dimension != self._matrix.shape[1]
        room = count if is_first else max(count, capacity + capacity // 4 + 16)
        matrix = np.zeros((room, dimension), dtype=np.float32)
        embedded = np.zeros(room, dtype=bool)
        if self._matrix.shape[1] == dimension:
            matrix[:capacity] = self._matrix
            embedded[:capacity] = self._embedded
        self._matrix, self._embedded = matrix, embedded

    def _snapshot(self) -> Snapshot:
        count = len(self._events)
        return Snapshot(
            events=self._events,
            positions=self._positions,
            matrix=self._matrix[:count],
            embedded=self._embedded[:count],
            times=self._times,
            told=self._told,
            marks=self._marks,
            who=self._who,
            users=self._users,
            names=self._names,
            words=self._words,
            mean=self._sum.mean(self._matrix.shape[1]),
            count=self._sum.count,
            has_general_means=self._has_means,
        )


def snapshot_of(events: Sequence[Event], ids: Sequence[str] = (), vectors: Matrix | None = None) -> Snapshot:
    """Return events alone as a snapshot, with the vectors of `ids` and without words."""
    table = ScopeTable((0, 0))
    table.grow([0] * len(events), events, [], ids, np.zeros((0, 0), dtype=np.float32) if vectors is None else vectors)
    return table.snapshot
