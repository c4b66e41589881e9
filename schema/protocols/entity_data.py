"""What every store tells of a person or a group, so that forgetting, export and import need to know no store by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from ..entity import Entity

Value = TypeVar("Value")


class Record(NamedTuple):
    """Something that is kept. `id` is what `EntityData.drop` takes.

    `texts` are what it says, `names` what the entity is called in it. `told` are the texts in which mentions are looked for, by
    default `texts`. `job_id` and `moment` (scope key, seconds since the epoch) say of which job it is.
    """

    id: str
    texts: tuple[str, ...]
    names: tuple[str, ...] = ()
    told: tuple[str, ...] | None = None
    job_ids: tuple[str, ...] = ()
    moments: tuple[tuple[str, float], ...] = ()


@dataclass
class Traces:
    """Who is meant, and what is known of what is kept of them: texts, names, job ids, moments of their jobs."""

    entity: Entity
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    job_ids: set[str] = field(default_factory=set)
    moments: set[tuple[str, float]] = field(default_factory=set)

    def add(self, record: Record) -> None:
        self.texts.update(record.texts)
        self.names.update(name for name in record.names if name)
        self.job_ids.update(record.job_ids)
        self.moments.update(record.moments)


class Mark(NamedTuple):
    """By what something may have been forgotten: `label` says it to people, the rest is as `EventStore.is_forgotten` takes it."""

    label: str
    job_id: str
    entities: tuple[str, ...]
    at: float


class Writer(Protocol):
    """An archive that is written."""

    def lines(self, name: str, values: Iterator[Mapping[str, Any]]) -> int:
        """Write a member of JSON lines; returns how many."""

    def text(self, name: str, text: str) -> None: ...


class Reader(Protocol):
    """An archive that is read. Raises InvalidInput that names the member and the line."""

    @property
    def manifest(self) -> Mapping[str, Any]: ...

    def lines(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]: ...

    def text(self, name: str) -> str: ...


class Member(Protocol[Value]):
    """What an archive carries of one kind, and what an import does with it."""

    name: str
    """How the manifest calls it."""

    def write(self, archive: Writer, entity: Entity) -> int | list[dict[str, Any]]:
        """Write what is kept of `entity`; returns how much that is, or what the manifest has to say of it."""

    def read(self, archive: Reader, path: Path) -> list[Value]:
        """Return what an archive holds, all of it checked. Raises InvalidInput."""

    def redact(self, value: Value) -> Value:
        """Return `value` as if it had been handed over here. What was redacted before stays as it is."""

    def marks(self, value: Value) -> Iterator[Mark]: ...

    def restore(self, values: Sequence[Value]) -> Mapping[str, int | list[str]]:
        """Bring back what is not there; returns the fields of the report. The same values again change nothing."""


class EntityData(Protocol):
    """What is kept of one kind. Every call is blocking, may be repeated, also after a crash, and raises StorageError."""

    kind: str
    members: Sequence[Member[Any]]

    def records(self, traces: Traces | None) -> Iterator[Record]:
        """What is kept of an entity; with None, of everybody."""

    def erase(self, traces: Traces) -> int:
        """Remove what is kept of an entity for good; returns how much that was."""

    def drop(self, ids: Collection[str], unwanted: Callable[[str], bool]) -> None:
        """Remove records; of those that hold several lines, the lines that are `unwanted`."""
