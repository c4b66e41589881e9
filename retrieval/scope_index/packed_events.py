"""Events of a scope in a fifth of the memory: each as bytes, what many have in common once."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import fields
from operator import attrgetter, itemgetter
from sys import getsizeof
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ...schema.event import Event
from .columns import Column

COMMON = (
    *("kind", "user_id", "group_id", "request_type", "timezone", "user_name", "is_absolute", "gate_reasons"),
    *("rewritten_by", "source", "schema_version", "speakers", "said_by", "bot_name", "group_name", "version", "role"),
)
"""Fields that many events of a scope have in common: a set of their values is kept once."""
OWN = tuple(field.name for field in fields(Event) if field.name not in COMMON)
_in_order = itemgetter(*((*COMMON, *OWN).index(field.name) for field in fields(Event)))
_common_of, _own_of = attrgetter(*COMMON), attrgetter(*OWN)
BYTES_A_SET = 600
"""About what a set of common values takes."""
BYTES_A_ROW = 24
"""What an event takes beside its bytes: its place in the list, what the allocator rounds up."""

Values = tuple[Any, ...]


class PackedEvents(Sequence[Event]):
    """Events by position, as `EventRowsInMemory` held them when it was asked: made anew whenever one is looked at."""

    def __init__(self, packed: list[bytes], common: list[Values], sets: npt.NDArray[np.int32]) -> None:
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
        """Return which events have an admitted value of a field in COMMON."""
        place = COMMON.index(name)
        admitted = [is_admitted(values[place]) for values in self._common[: int(self._sets.max(initial=-1)) + 1]]
        return np.asarray(admitted, dtype=bool)[self._sets] if admitted else np.zeros(len(self), dtype=bool)


class EventRowsInMemory:
    """The growing list behind `PackedEvents`. Bytes are nothing that the garbage collector has to look at."""

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
