"""The growing table behind the snapshots of one scope."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...schema.event import BorneName, Event, is_raw
from ...schema.protocols import Matrix, Vector
from ...text.messages.content import has_content
from ...text.questions import ends_asking
from ...text.speakers.borne_names import BorneNames
from .centre import VectorSum
from .packed import Column, EventRowsInMemory, VectorRows
from .snapshot import Positions, Snapshot
from .words import ScopeWords

BYTES_AN_EVENT = 600
"""The approximate size of a message without its vector, in bytes: its packed bytes, its words and
its array rows."""
BYTES_A_DIMENSION = 2
"""The size of one dimension of a vector, in bytes."""

MEAN_KEPT = 64
"""The mean that is subtracted from the vectors is reused until more than one 64th of the vectors
are new. Until then the products of the vectors with the mean stay valid, so that a recall after a
new message only multiplies the query."""


def _marks(event: Event) -> tuple[bool, bool, bool, bool, bool]:
    ends, empty = ends_asking(event.text), event.is_message and not has_content(event.text)
    return bool(event.superseded_by), bool(event.corrected_by), ends, is_raw(event), empty


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
