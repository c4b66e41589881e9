"""The events of one scope in memory, as a recall searches them. A snapshot never changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...schema.event import EventFilter
from ...schema.protocols import Vector
from ...text.speakers.borne_names import BorneNames
from .packed import PackedEvents, PackedMatrix
from .words import Mask, ScopeWords, Scores, WordMatch

Positions = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """`events` are in the order of filing; `matrix` holds their unit vectors, undefined where
    `embedded` is False.
    """

    events: PackedEvents
    matrix: PackedMatrix
    embedded: Mask
    times: npt.NDArray[np.float64]
    told: npt.NDArray[np.float64]
    """The first and last moment that each event is about, shape (events, 2). If it names no time,
    both are the time when it was said."""
    marks: Mask
    """Five flags for each event, shape (events, 5): it is superseded, is corrected, asks something
    at its end, is an observation, has no content of its own."""
    who: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """The number of the user id of each event."""
    users: dict[str, int] = field(default_factory=dict)
    """The number of each user id."""
    borne: BorneNames = field(default_factory=BorneNames)
    """The present and former names of the people."""
    words: ScopeWords = field(default_factory=ScopeWords)
    mean: Vector = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    """The mean of the vectors. It may lack the last MEAN_KEPT-th of them."""
    id_hashes: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The hashes of the events' ids."""
    along: Scores = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    """The dot product of every vector with the mean."""
    count: int = 0
    """The number of events that have a vector."""
    expiry: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0, dtype=np.float64))
    """The time at which each event expires (seconds since the epoch); infinity for never."""
    labelled: dict[str, list[int]] = field(default_factory=dict)
    """The positions of the events with each label (`Event.labels`). They may include events that
    are newer than the snapshot."""
    has_general_means: bool = False
    """True if the general means of the model are known."""
    _near: dict[float, tuple[Mask, Mask]] = field(default_factory=dict)
    _lengths: dict[float, Scores] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def dimension(self) -> int:
        """The dimension of the vectors; 0 while no event is embedded."""
        return self.matrix.dimension

    @cached_property
    def positions(self) -> dict[str, int]:
        """The positions of the events by their ids. Built at the first access, which takes a
        microsecond per event.
        """
        return {event.event_id: n for n, event in enumerate(self.events)}

    def place_of(self, event_id: str) -> int | None:
        """Return the position of an event; None if the snapshot does not hold it."""
        places = np.flatnonzero(self.id_hashes == hash(event_id)).tolist()
        return next((place for place in places if self.events[place].event_id == event_id), None)

    @cached_property
    def time_order(self) -> Positions:
        """Positions from the earliest event to the latest. Events of the same moment are in the
        order of filing.
        """
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
    def first_expiry(self) -> float:
        """The time at which the first event expires; infinity if none does."""
        return float(self.expiry.min(initial=np.inf))

    @cached_property
    def is_all_embedded(self) -> bool:
        """True if every event has a vector."""
        return self.count == len(self)

    def near(self, minutes: float) -> tuple[Mask, Mask]:
        """Return two masks over the events in the order of time: whether the gap to the next event
        is at most `minutes`, and whether the next two gaps are.
        """
        if minutes not in self._near:
            near = (
                np.diff(self.times if self.is_in_order else self.times[self.time_order])
                <= minutes * 60.0
            )
            self._near[minutes] = near, near[1:] & near[:-1]
        return self._near[minutes]

    @cached_property
    def over(self) -> Mask | None:
        """A mask of the events that were superseded by a later one; None if there are none."""
        return _if_any(self.marks[:, 0])

    @cached_property
    def corrected(self) -> Mask | None:
        """A mask of the events that were corrected by a later one; None if there are none."""
        return _if_any(self.marks[:, 1])

    @cached_property
    def asking(self) -> Mask | None:
        """A mask of the events that are short and ask something at their end; None if there are
        none.
        """
        return _if_any(self.marks[:, 2])

    @property
    def observed(self) -> Mask:
        """A mask of the observations that no person said."""
        return self.marks[:, 3]

    @cached_property
    def without_content(self) -> Mask | None:
        """A mask of the messages without content of their own (👍, 收到, lol); None if there are
        none.
        """
        return _if_any(self.marks[:, 4])

    def similarities(self, vector: Vector, *, centred: float) -> Scores:
        """Return the cosine of every event with `vector`; undefined where `embedded` is False.

        `centred` (0 to 1) is the share of the mean of the scope that is subtracted from both
        vectors first. Embeddings of small models lie in a narrow cone, in which all cosines are
        similar; seen from the middle of the cone they differ (multilingual-e5-small, LoCoMo turns:
        recall at 10 rises from 53 to 59 %).
        """
        plain = self.matrix.dot(vector)
        if not centred:
            return plain
        along, square = self.along * np.float32(centred), float(self.mean @ self.mean) * centred**2
        to_mean = float(vector @ self.mean) * centred
        if centred not in self._lengths:
            self._lengths[centred] = np.sqrt(
                np.maximum(1.0 - 2.0 * along + square, 1e-12), dtype=np.float32
            )
        length = max(1.0 - 2.0 * to_mean + square, 1e-12) ** 0.5
        return np.asarray(
            (plain - along - to_mean + square) / (self._lengths[centred] * length), dtype=np.float32
        )

    def nearest(self, vector: Vector, chosen: Positions) -> float:
        """Return the highest cosine between `vector` and the events at `chosen`, after the mean is
        subtracted from both; -1 if `chosen` is empty.
        """
        rows, seen = self.matrix[chosen] - self.mean, vector - self.mean
        lengths = np.sqrt(np.vecdot(rows, rows)) * np.sqrt(seen @ seen)
        return float((np.vecdot(rows, seen) / np.maximum(lengths, 1e-6)).max(initial=-1.0))

    def likeness(self, chosen: Positions, *, centred: bool) -> Callable[[int | Positions], Scores]:
        """Return a function of n: the cosines of the events at `chosen` with the n-th of them; 0
        for events without a vector.

        If n is an array, the function returns one row per element.
        """
        rows = self.matrix[chosen]
        if centred and self.dimension:
            rows -= self.mean
        lengths = np.sqrt(np.vecdot(rows, rows))
        rows *= (self.embedded[chosen] / np.maximum(lengths, 1e-6))[:, np.newaxis]
        # Not `rows @ rows[n]`: BLAS starts threads for it, which have to wait if all processors are
        # busy.
        return lambda n: np.vecdot(rows, rows[n][..., np.newaxis, :])

    def in_force(self, admitted: Mask | None, *, past: bool) -> Mask | None:
        """Return a mask of the admitted events that are in force; None if all events are. With
        `past`, superseded events are included. Corrected events never are.
        """
        for gone in (self.corrected, None if past else self.over):
            if gone is not None:
                admitted = ~gone if admitted is None else admitted & ~gone
        return admitted

    def admitted(self, where: EventFilter) -> Mask | None:
        """Return a mask of the events that meet the conditions of `where` other than its scope;
        None if all do.
        """
        gone = (
            None if where.now is None or where.now < self.first_expiry else self.expiry <= where.now
        )
        if not where.narrows:
            return None if gone is None else ~gone
        mask = np.ones(len(self), dtype=bool) if gone is None else ~gone
        if where.user_ids:
            mask &= np.isin(self.who, [self.users.get(one, -1) for one in where.user_ids])
        for name, values in (("kind", where.kinds), ("source", where.sources)):
            if values:
                mask &= self.events.where(name, frozenset(values).__contains__)
        if where.event_ids:
            mask &= self._mask_of(self.positions.get(one, -1) for one in where.event_ids)
        for label in where.labels:
            mask &= self._mask_of(self.labelled.get(label, ()))
        if where.is_absolute is not None:
            mask &= self.events.where("is_absolute", lambda value: value == where.is_absolute)
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

    def _mask_of(self, places: Iterable[int]) -> Mask:
        """Return a mask of the events at `places`. Places outside of the snapshot are ignored."""
        mask = np.zeros(len(self), dtype=bool)
        mask[[place for place in places if 0 <= place < len(self)]] = True
        return mask

    def keywords(self, query: str, admitted: Mask | None, limit: int) -> WordMatch:
        """Return the BM25 score of every event that is admitted and among the `limit` best, else
        0.
        """
        match = self.words.match(query)
        scores = match.scores
        if admitted is not None:
            scores[~admitted] = 0.0
        found = scores[
            scores > 0
        ]  # partitioning an array that is mostly zeros takes ten times as long
        if len(found) > limit:
            scores[scores < np.partition(found, len(found) - limit)[len(found) - limit]] = 0.0
        return match


def _if_any(mask: Mask) -> Mask | None:
    return mask if mask.any() else None
