"""Growing arrays, events and vectors of a scope, packed to use little memory.

Views that were taken earlier are not changed when the arrays grow, so searches can read them
meanwhile.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter, itemgetter
from sys import getsizeof
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ...schema.event import Event
from ...schema.protocols import Matrix, Vector

Array = npt.NDArray[Any]


class Column:
    """A growing array with one row per event. Growing does not change the rows of an existing
    `view`.
    """

    def __init__(self, kind: npt.DTypeLike, *widths: int) -> None:
        self._values: Array = np.empty((0, *widths), dtype=kind)
        self._count = 0

    @property
    def nbytes(self) -> int:
        return int(self._values.nbytes)

    def extend(self, values: npt.ArrayLike) -> None:
        """Add rows. The first rows are stored without spare room, later ones with spare room for
        more.
        """
        added = np.asarray(values, dtype=self._values.dtype)
        if not len(added):
            return
        needed = self._count + len(added)
        if needed > len(self._values):
            former = self._values
            self._values = np.empty(
                (with_room(needed, len(former)), *former.shape[1:]), dtype=former.dtype
            )
            self._values[: self._count] = former[: self._count]
        self._values[self._count : needed] = added
        self._count = needed

    def copy(self) -> Column:
        """Return another column with the same rows."""
        copied = Column(self._values.dtype, *self._values.shape[1:])
        copied._values, copied._count = self._values.copy(), self._count
        return copied

    def view(self) -> Array:
        """Return the rows that are present now."""
        return self._values[: self._count]


def with_room(needed: int, capacity: int) -> int:
    """Return the number of rows to reserve for `needed` rows if the capacity so far was
    `capacity`.
    """
    return needed if not capacity else max(needed, capacity + capacity // 4 + 16)


COMMON = (
    *(
        "kind",
        "user_id",
        "group_id",
        "request_type",
        "timezone",
        "user_name",
        "is_absolute",
        "gate_reasons",
    ),
    *(
        "rewritten_by",
        "source",
        "schema_version",
        "speakers",
        "said_by",
        "bot_name",
        "group_name",
        "version",
        "role",
    ),
)
"""Fields whose values many events of a scope share. Each distinct combination of values is stored
once."""
OWN = tuple(field.name for field in fields(Event) if field.name not in COMMON)
_in_order = itemgetter(*((*COMMON, *OWN).index(field.name) for field in fields(Event)))
_common_of, _own_of = attrgetter(*COMMON), attrgetter(*OWN)
BYTES_A_SET = 600
"""The approximate size of one combination of common values, in bytes."""
BYTES_A_ROW = 24
"""The size of an event in addition to its packed bytes: its place in the list, and the rounding by
the allocator."""

Values = tuple[Any, ...]


class PackedEvents(Sequence[Event]):
    """Events by position, as `EventRowsInMemory` held them when the view was taken. Each access
    builds a new Event.
    """

    def __init__(
        self, packed: list[bytes], common: list[Values], sets: npt.NDArray[np.int32]
    ) -> None:
        self._packed, self._common, self._sets = packed, common, sets

    def __len__(self) -> int:
        return len(self._sets)

    @overload
    def __getitem__(self, position: int) -> Event: ...
    @overload
    def __getitem__(self, position: slice) -> list[Event]: ...
    def __getitem__(self, position: int | slice) -> Event | list[Event]:
        if isinstance(position, slice):
            return [self._event(n) for n in range(*position.indices(len(self)))]
        return self._event(range(len(self))[position])

    def __iter__(self) -> Iterator[Event]:
        return map(self._event, range(len(self)))

    def _event(self, position: int) -> Event:
        values = (*self._common[self._sets[position]], *marshal.loads(self._packed[position]))
        return Event(*_in_order(values))

    def where(self, name: str, is_admitted: Callable[[Any], bool]) -> npt.NDArray[np.bool_]:
        """Return a mask of the events with an admitted value in the field `name`, which must be one
        of COMMON.
        """
        place = COMMON.index(name)
        admitted = [
            is_admitted(values[place])
            for values in self._common[: int(self._sets.max(initial=-1)) + 1]
        ]
        return (
            np.asarray(admitted, dtype=bool)[self._sets]
            if admitted
            else np.zeros(len(self), dtype=bool)
        )


class EventRowsInMemory:
    """The growing list behind `PackedEvents`. Events are stored as bytes, which the garbage
    collector does not traverse.
    """

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        self._common: list[Values] = []
        self._numbers: dict[Hashable, int] = {}
        self._sets = Column(np.int32)
        self._bytes = 0

    @property
    def nbytes(self) -> int:
        return self._bytes + BYTES_A_SET * len(self._common) + self._sets.nbytes

    def __len__(self) -> int:
        return len(self._packed)

    def extend(self, events: Sequence[Event]) -> None:
        packed = [marshal.dumps(_own_of(event)) for event in events]
        self._bytes += sum(map(getsizeof, packed)) + BYTES_A_ROW * len(packed)
        self._packed += packed
        self._sets.extend([self._number(_common_of(event)) for event in events])

    def _number(self, values: Values) -> int:
        number = self._numbers.setdefault(values, len(self._common))
        if number == len(self._common):
            self._common.append(values)
        return number

    def view(self) -> PackedEvents:
        return PackedEvents(self._packed, self._common, self._sets.view())


Numbers = npt.NDArray[np.int16]
Scores = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]

BLOCK_ROWS = 4_096
"""The number of rows of a full block (3 MB with 384 dimensions). Growing copies at most the last
block."""
AT_ONCE = 1_024
"""The number of rows that are converted to float32 at a time: 1.5 MB with 384 dimensions, which
fits into the cache of a processor."""
LARGEST = 32_767.0


@dataclass(frozen=True, eq=False)
class PackedMatrix:
    """Rows of unit vectors, as `VectorRows` held them when the view was taken. A row without a
    vector is undefined.
    """

    blocks: tuple[Numbers, ...]
    scales: Scores
    dimension: int

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.dimension

    def __len__(self) -> int:
        return len(self.scales)

    def __getitem__(self, rows: Rows) -> Matrix:
        """Return the vectors of `rows` (an array of row numbers) as float32, shape (rows,
        dimension).
        """
        found = np.empty((len(rows), self.dimension), dtype=np.float32)
        block_of = rows // BLOCK_ROWS
        for number in np.unique(block_of).tolist() if self.dimension else ():
            here = block_of == number
            found[here] = self.blocks[number][rows[here] - number * BLOCK_ROWS]
        found *= self.scales[rows, np.newaxis]
        return found

    def dot(self, vector: Vector) -> Scores:
        """Return the dot product of every row with `vector`."""
        found = np.zeros(len(self), dtype=np.float32)
        if not self.dimension:
            return found
        part = np.empty((min(AT_ONCE, len(self)), self.dimension), dtype=np.float32)
        for start in range(0, len(self), AT_ONCE):
            end = min(start + AT_ONCE, len(self))
            offset = start % BLOCK_ROWS
            rows = part[: end - start]
            np.copyto(rows, self.blocks[start // BLOCK_ROWS][offset : offset + end - start])
            # Not `rows @ vector`: BLAS starts threads for it, which have to wait if all processors
            # are busy. (10,000 vectors beside ten busy processes on two cores: 28 ms against 0.3,
            # p50.)
            np.vecdot(rows, vector, out=found[start:end])
        found *= self.scales
        return found


class VectorRows:
    """The growing matrix of one scope, in blocks: growing never copies more than one block."""

    def __init__(self) -> None:
        self.dimension = 0
        self._blocks: list[Numbers] = []
        self._scales: Scores = np.zeros(0, dtype=np.float32)
        self._count = 0

    @property
    def nbytes(self) -> int:
        return int(self._scales.nbytes) + sum(int(block.nbytes) for block in self._blocks)

    def reserve(self, count: int, dimension: int) -> None:
        """Make room for `count` rows in total. If `dimension` differs from the present one, all
        stored vectors are dropped and it applies to all rows from now on.
        """
        if dimension != self.dimension:
            self._blocks, self.dimension = [], dimension
        if count > len(self._scales):
            former, is_first = self._scales, not len(self._scales)
            self._scales = np.zeros(
                count if is_first else with_room(count, len(former)), dtype=np.float32
            )
            self._scales[: len(former)] = former
        self._count = count
        if self.dimension:
            while (held := sum(map(len, self._blocks))) < count:
                self._add_room(count, held)

    def _add_room(self, count: int, held: int) -> None:
        last = self._blocks[-1] if self._blocks and len(self._blocks[-1]) < BLOCK_ROWS else None
        needed = count - held + (0 if last is None else len(last))
        room = min(with_room(needed, 0 if last is None else len(last)), BLOCK_ROWS)
        block = np.zeros((room, self.dimension), dtype=np.int16)
        if last is None:
            self._blocks.append(block)
        else:
            block[: len(last)] = last
            self._blocks[-1] = block

    def put(self, rows: Rows, vectors: Matrix) -> None:
        """Store vectors at rows that were reserved."""
        largest = np.maximum(np.abs(vectors).max(axis=1), np.float32(1e-12))
        numbers = np.rint(vectors * (LARGEST / largest)[:, np.newaxis]).astype(np.int16)
        block_of = rows // BLOCK_ROWS
        for number in np.unique(block_of).tolist():
            here = block_of == number
            self._blocks[number][rows[here] - number * BLOCK_ROWS] = numbers[here]
        self._scales[rows] = largest / np.float32(LARGEST)

    def view(self) -> PackedMatrix:
        """Return the rows as they are now. Rows that get a vector later are undefined in the
        view.
        """
        return PackedMatrix(tuple(self._blocks), self._scales[: self._count], self.dimension)
