"""The events of one scope in memory, in the form that a recall searches.

A snapshot never changes. A table grows by appending, so that searches can go on using earlier
snapshots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...schema.event import BorneName, Event, EventFilter, is_raw
from ...schema.protocols import Matrix, Vector
from ...text.messages.content import has_content
from ...text.questions import ends_asking
from ...text.speakers.borne_names import BorneNames
from .centre import VectorSum
from .packed import Column, EventRowsInMemory, PackedEvents, PackedMatrix, VectorRows
from .words import Mask, ScopeWords, Scores, WordMatch

Positions = npt.NDArray[np.intp]

BYTES_AN_EVENT = 600
"""The approximate size of a message without its vector, in bytes: its packed bytes, its words and
its array rows."""
BYTES_A_DIMENSION = 2
"""The size of one dimension of a vector, in bytes."""

MEAN_KEPT = 64
"""The mean that is subtracted from the vectors is reused until more than one 64th of the vectors
are new. Until then the products of the vectors with the mean stay valid, so that a recall after a
new message only multiplies the query."""


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


def _marks(event: Event) -> tuple[bool, bool, bool, bool, bool]:
    ends, empty = ends_asking(event.text), event.is_message and not has_content(event.text)
    return bool(event.superseded_by), bool(event.corrected_by), ends, is_raw(event), empty


def _if_any(mask: Mask) -> Mask | None:
    return mask if mask.any() else None


class ScopeTable:
    """The growing table behind the snapshots of one scope. Not thread-safe: its owner locks."""

    def __init__(self, change: tuple[int, int], means: Matrix | None = None) -> None:
        self.change = change
        self._has_means = means is not None
        self._sum = VectorSum(means)
        self.sequence = 0
        self.last_row = 0
        self._events = EventRowsInMemory()
        self._users: dict[str, int] = {}
        self._seen: dict[tuple[str, str], tuple[float, float]] = {}
        self._borne = BorneNames()
        self._rows = Column(np.int64)
        self._id_hashes = Column(np.int64)
        self._who = Column(np.int32)
        self._times = Column(np.float64)
        self._told = Column(np.float64, 2)
        self._marks = Column(bool, 5)
        self._expiry = Column(np.float64)
        self._labelled: dict[str, list[int]] = {}
        self._vectors = VectorRows()
        self._embedded = Column(bool)
        self._along = Column(np.float32)
        self._mean: Vector = np.zeros(0, dtype=np.float32)
        self._mean_of = 0
        self._words = ScopeWords()
        self._is_sealed = False
        self.snapshot = self._snapshot()

    @property
    def nbytes(self) -> int:
        columns = (
            *(self._rows, self._who, self._times, self._told, self._marks, self._expiry),
            *(self._embedded, self._along),
        )
        held = sum(column.nbytes for column in columns) + self._vectors.nbytes + self._events.nbytes
        return held + self._words.nbytes

    def seal(self) -> None:
        """Mark the table as in use: from now on, arrays that snapshots show are copied before they
        change.
        """
        self._is_sealed = True
        self._centre()
        self.snapshot = self._snapshot()

    def grow(
        self,
        rows: Sequence[int],
        events: Sequence[Event],
        words: Sequence[tuple[int, int, str]],
        embedded: Sequence[int],
        vectors: Matrix,
    ) -> bool:
        """Add events with their row numbers (ascending) and their words by row number. Also store
        `vectors` for the events with the row numbers `embedded`, which may be older events.

        Return False, without a change, if the vectors have another dimension than those in the
        table.
        """
        if len(embedded) and self._vectors.dimension not in (0, vectors.shape[1]):
            return False
        first = len(self._events)
        if events:
            self._events.extend(events)
            # An event that was deleted in between has no words. Its deletion is counted, so the
            # table is rebuilt.
            by_row = {row: (length, text) for row, length, text in words}
            self._words = self._words.grown([by_row.get(row, (0, "")) for row in rows])
            self.last_row = rows[-1]
            self._note_names(events)
            self._rows.extend(rows)
            self._id_hashes.extend([hash(event.event_id) for event in events])
            self._times.extend([event.timestamp for event in events])
            self._told.extend([event.told for event in events])
            self._marks.extend([_marks(event) for event in events])
            never = np.inf
            self._expiry.extend(
                [never if one.expires_at is None else one.expires_at for one in events]
            )
            for place, event in enumerate(events, first):
                for label in event.labels:
                    self._labelled.setdefault(label, []).append(place)
            self._who.extend(
                [self._users.setdefault(event.user_id, len(self._users)) for event in events]
            )
            self._embedded.extend(np.zeros(len(events), dtype=bool))
            self._along.extend(np.zeros(len(events), dtype=np.float32))
        self._vectors.reserve(
            len(self._events), vectors.shape[1] if len(embedded) else self._vectors.dimension
        )
        if len(embedded):
            self._embed(np.asarray(embedded, dtype=np.int64), vectors, first)
        self.snapshot = self._snapshot()
        return True

    def _embed(self, rows: npt.NDArray[np.int64], vectors: Matrix, first: int) -> None:
        """Store vectors by row number. Snapshots in use may hold the events before `first` as not
        embedded.
        """
        known = self._rows.view()
        places = np.searchsorted(known, rows)
        is_known = (
            known[np.minimum(places, len(known) - 1)] == rows
            if len(known)
            else np.zeros(len(rows), dtype=bool)
        )
        places, vectors = places[is_known], vectors[is_known]
        if not len(places):
            return
        if self._is_sealed and (places < first).any():
            # An older event gets its vector: snapshots in use keep their own copy, in which it has
            # none.
            self._embedded, self._along = self._embedded.copy(), self._along.copy()
        had_one = self._embedded.view()[places]
        if had_one.any():
            self._sum.add(self._vectors.view()[places[had_one]], -1)
        self._sum.add(vectors)
        self._vectors.put(places, vectors)
        self._embedded.view()[places] = True
        if self._is_sealed:
            self._centre(places, vectors)

    def _centre(self, places: Positions | None = None, vectors: Matrix | None = None) -> None:
        """Update the products with the mean: those of all vectors if the mean is computed again,
        else only those of the new vectors.
        """
        changed = abs(self._sum.count - self._mean_of)
        if places is None or vectors is None or changed * MEAN_KEPT > self._mean_of:
            self._mean, self._mean_of = self._sum.mean(self._vectors.dimension), self._sum.count
            self._along = Column(np.float32)
            self._along.extend(self._vectors.view().dot(self._mean))
        else:
            self._along.view()[places] = np.vecdot(vectors, self._mean)

    def _note_names(self, events: Sequence[Event]) -> None:
        """Record the names of the speakers. `BorneNames` is rebuilt only if an event has another
        name than the last one of its speaker.
        """
        is_new = False
        for event in events:
            if event.user_name:
                who, at = (event.user_id, event.user_name), event.timestamp
                first, last = self._seen.get(who, (at, at))
                self._seen[who] = min(first, at), max(last, at)
                is_new = is_new or self._borne.today(event.user_id) != event.user_name
        if is_new:
            self._borne = BorneNames(BorneName(*who, *seen) for who, seen in self._seen.items())

    def _snapshot(self) -> Snapshot:
        return Snapshot(
            events=self._events.view(),
            matrix=self._vectors.view(),
            embedded=self._embedded.view(),
            times=self._times.view(),
            told=self._told.view(),
            marks=self._marks.view(),
            expiry=self._expiry.view(),
            labelled=self._labelled,
            who=self._who.view(),
            users=self._users,
            borne=self._borne,
            words=self._words,
            mean=self._mean,
            along=self._along.view(),
            id_hashes=self._id_hashes.view(),
            count=self._sum.count,
            has_general_means=self._has_means,
        )


def snapshot_of(
    events: Sequence[Event], ids: Sequence[str] = (), vectors: Matrix | None = None
) -> Snapshot:
    """Return a snapshot of the given events, with the vectors of `ids` and without words."""
    table = ScopeTable((0, 0))
    places = {event.event_id: n for n, event in enumerate(events)}
    known = [n for n, one in enumerate(ids) if one in places]
    made = np.zeros((0, 0), dtype=np.float32) if vectors is None else vectors[known]
    table.grow(range(len(events)), events, [], [places[ids[n]] for n in known], made)
    table.seal()
    return table.snapshot
