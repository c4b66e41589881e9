"""The common protocol of stores for the data of an entity, by which forgetting, export and import handle all stores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from ..entity import Entity

Value = TypeVar("Value")


class Record(NamedTuple):
    """A stored record. `id` is the argument of `EntityData.drop`.

    `texts` are its texts, `names` the names of the entity in it, `told` the texts searched for mentions (default: `texts`).
    `job_ids` and `moments` (scope key, seconds since the epoch) identify its jobs; `event_id` is given for events.
    """

    id: str
    texts: tuple[str, ...]
    names: tuple[str, ...] = ()
    told: tuple[str, ...] | None = None
    job_ids: tuple[str, ...] = ()
    moments: tuple[tuple[str, float], ...] = ()
    event_id: str = ""


@dataclass
class Traces:
    """An entity and what is known of its stored data: texts, names, job ids, and moments of its jobs."""

    entity: Entity
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    job_ids: set[str] = field(default_factory=set)
    moments: set[tuple[str, float]] = field(default_factory=set)
    event_ids: set[str] = field(default_factory=set)
    """The events seen by this process."""

    def add(self, record: Record) -> None:
        self.texts.update(record.texts)
        self.names.update(name for name in record.names if name)
        self.job_ids.update(record.job_ids)
        self.moments.update(record.moments)
        if record.event_id:
            self.event_ids.add(record.event_id)


class Mark(NamedTuple):
    """Arguments of `EventStore.is_forgotten` for a value of an archive, with a `label` for messages."""

    label: str
    job_id: str
    entities: tuple[str, ...]
    at: float


class Writer(Protocol):
    """An archive open for writing."""

    def lines(self, name: str, values: Iterator[Mapping[str, Any]]) -> int:
        """Write a member of JSON lines. Return the number of lines."""

    def text(self, name: str, text: str) -> None: ...


class Reader(Protocol):
    """An archive open for reading. Raises InvalidInput that names the member and the line."""

    @property
    def manifest(self) -> Mapping[str, Any]: ...

    @property
    def read_bytes(self) -> int:
        """The unpacked bytes read so far."""

    def lines(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]: ...

    def text(self, name: str) -> str: ...


class Member(Protocol[Value]):
    """One kind of data in an archive: how it is exported and imported."""

    name: str
    """Its name in the manifest."""

    def write(self, archive: Writer, entity: Entity) -> int | list[dict[str, Any]]:
        """Write the data of `entity`. Return the number of items, or the entries of the manifest."""

    def read(self, archive: Reader, path: Path) -> Iterator[Value]:
        """Yield the validated values of an archive. Raises InvalidInput."""

    def stranger(self, value: Value, entity: Entity) -> str:
        """Return whose value it is (`user:42`) if an archive of `entity` may not hold it; else an empty string."""

    def redact(self, value: Value) -> Value:
        """Return `value` with the redaction of this installation applied. Redacted parts stay unchanged."""

    def marks(self, value: Value) -> Iterator[Mark]: ...

    def restore(self, values: Sequence[Value]) -> Mapping[str, int | list[str]]:
        """Store missing values. Return fields of the report. Idempotent."""


class EntityData(Protocol):
    """The stored data of one kind. Calls are blocking and idempotent, also after a crash, and raise StorageError."""

    kind: str
    members: Sequence[Member[Any]]

    def records(self, traces: Traces | None) -> Iterator[Record]:
        """Return the records of an entity; with None, of all entities."""

    def erase(self, traces: Traces) -> int:
        """Permanently remove the data of an entity. Return the number of items."""

    def drop(self, ids: Collection[str], unwanted: Callable[[str], bool]) -> None:
        """Remove records; from records of several lines, remove the `unwanted` lines."""
