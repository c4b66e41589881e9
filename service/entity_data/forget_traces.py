"""What forgetting passes around: who is forgotten and what is known of them, records of others, and what a store has to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ...schema.entity import Entity


@dataclass
class Traces:
    """Who is forgotten, and what is known of what there was: texts to look for afterwards, names, job ids, and the moments
    (scope key, seconds since the epoch) at which their jobs happened."""

    entity: Entity
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    job_ids: set[str] = field(default_factory=set)
    moments: set[tuple[str, float]] = field(default_factory=set)

    @property
    def scope_key(self) -> str:
        return self.entity.scope.key


class Record(NamedTuple):
    """Something that is kept of others: what `id` means is known to the forgetter of this `kind`."""

    kind: str
    id: str
    text: str


class Forgetter(Protocol):
    """What is kept of one kind. All calls are blocking and raise StorageError."""

    kind: str

    def survey(self, traces: Traces) -> None:
        """Add to `traces` what is kept of the entity."""

    def forget(self, traces: Traces) -> int:
        """Remove it for good; returns how much that was."""

    def others(self) -> Iterator[Record]:
        """What is kept of others (once the entity is forgotten: of everybody)."""

    def drop(self, records: Sequence[Record], unwanted: Callable[[str], bool]) -> int:
        """Remove records of others; of those that hold several lines, the lines that are `unwanted`."""
