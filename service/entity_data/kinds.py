"""Base classes of the declarations in `registry.py`: what the operations need to know of each kind
of stored data.

A subclass declares where the values of one table or file are stored, to whom a value belongs
(`record`), which of its fields are redacted, and its member in an archive. Forgetting, export,
import and the search for mentions go through all kinds and treat them alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from pydantic import ValidationError

from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.event import Event
from ...schema.job import Job
from ...schema.summary import Restored
from ...schema.validation import invalid_input
from ...stores.files.archive import ArchiveReader, ArchiveWriter
from ...text.redaction import Level, redact
from ...text.remembered import remembered
from ..components import Parts

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Value = TypeVar("Value")
Redactable = TypeVar("Redactable", bound="DataclassInstance")

ALL = 10_000_000
"""A limit above the size of any store."""
_redact_word = remembered(4096)(redact)
"""`redact` with a cache, for names and reasons that occur in many records."""
_WORD_CHARACTERS = 200


class Record(NamedTuple):
    """The common form of a stored value. `Kind.drop` takes its `id`.

    `entities` are the keys of the owners (`user:42`), the main one first. `texts` are all texts of
    the value. `lines` are the texts that are searched for mentions, if they differ from `texts`.
    `job_id` and `at` (seconds since the epoch) identify the job of the value. `rests_on` is the id
    of a job with which the value is erased, whoever its owner is.

    `scope` is the key of the value's conversation. If it is "", the value belongs to all
    conversations in which a person of `borne` spoke. `borne` are the names in the value as (entity
    key, name): the bot has an empty key, and a speaker whose name is unknown has an empty name.
    `named` are the people named in the text of an event, as stored in the event: (entity key,
    words).
    """

    id: str
    entities: Sequence[str] = ()
    texts: tuple[str, ...] = ()
    scope: str = ""
    at: float = float("-inf")
    job_id: str = ""
    rests_on: str = ""
    lines: tuple[str, ...] | None = None
    borne: tuple[tuple[str, str], ...] = ()
    named: tuple[tuple[str, str], ...] = ()
    is_event: bool = False

    @property
    def searched(self) -> tuple[str, ...]:
        """The texts that are searched for mentions."""
        return self.texts if self.lines is None else self.lines


@dataclass
class Traces:
    """An entity with the texts, names, job ids and moments (scope key, seconds) of its stored
    data."""

    entity: Entity
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    job_ids: set[str] = field(default_factory=set)
    moments: set[tuple[str, float]] = field(default_factory=set)

    def add(self, record: Record) -> None:
        self.texts.update(record.texts)
        self.names.update(name for whose, name in record.borne if name and whose == self.entity.key)
        if record.job_id:
            self.job_ids.add(record.job_id)
        if record.job_id and record.scope and record.at >= 0:  # the time is known
            self.moments.add((record.scope, record.at))


class Kind(ABC, Generic[Value]):
    """One kind of stored data. Methods are blocking and idempotent, also after a crash, and raise
    StorageError."""

    kind: str
    """The name in reports. Kinds that are reported together have the same name."""
    name = ""
    """The name in the manifest of an archive; "" if the kind is not archived."""
    path = ""
    """The file or folder in an archive."""
    is_imported = True
    """False if an archive holds the kind for information only."""
    is_compared = True
    """False if an import does not compare the values that are already stored."""
    redacted = ""
    """The fields that an import redacts (see `redacted_in`)."""

    def __init__(self, parts: Parts, store: Any = None) -> None:
        """`store` is the store of this kind; None if the kind finds it in `parts`."""
        self.parts = parts
        self.backend = parts.backend
        self.store = store
        self.level: Level = parts.settings.historian.redact_jobs

    def stored(self, entity: Entity | None) -> Iterator[Value]:
        """Yield the stored values. With an entity, those of others may be left out."""
        return iter(())

    def record(self, value: Value) -> Record:
        raise NotImplementedError  # a kind without values

    def is_of(self, record: Record, traces: Traces) -> bool:
        """Return True if a value is erased when the entity is forgotten."""
        return traces.entity.key in record.entities or record.rests_on in traces.job_ids

    def may_hold(self, entity: Entity, record: Record) -> bool:
        """Return True if an archive of the entity may hold a value."""
        return self.is_of(record, Traces(entity))

    def values(self, entity: Entity) -> Iterator[Value]:
        """Yield the values of an entity, for an archive."""
        traces = Traces(entity)
        return (one for one in self.stored(entity) if self.is_of(self.record(one), traces))

    def records(self, traces: Traces | None = None) -> Iterator[Record]:
        """Yield the records of an entity; with None, of all entities."""
        for record in map(self.record, self.stored(traces.entity if traces else None)):
            if traces is None or self.is_of(record, traces):
                yield record

    def erase(self, traces: Traces) -> int:
        """Permanently remove the data of an entity. Return the number of items."""
        return int(self.store.erase(traces.entity))

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        """Remove texts from records in one pass, and remove records that have no other text.

        `unwanted` maps record ids to texts of `Record.searched`. Some kinds always remove the whole
        record.
        """

    def write(self, archive: ArchiveWriter, entity: Entity) -> int | list[dict[str, Any]]:
        """Write the data of `entity`. Return the number of items, or the entries of the
        manifest."""
        return 0

    def read(self, archive: ArchiveReader, path: Path) -> Iterator[Value]:
        """Yield the validated values of an archive. Raises InvalidInput."""
        return iter(())

    def redact(self, value: Any) -> Any:
        """Return `value` with the redaction of this installation applied. Parts that are redacted
        already are not changed."""
        return redacted_in(value, self.level, self.redacted)

    def restore(self, values: Sequence[Value]) -> Sequence[Restored]:
        """Store the values that are missing here. Return the results. Idempotent."""
        return ()


class Lines(Kind[Value]):
    """A kind that is written into an archive as JSON lines."""

    @abstractmethod
    def as_data(self, value: Value) -> Mapping[str, Any]: ...

    @abstractmethod
    def parse(self, data: dict[str, Any]) -> Value:
        """Return the parsed value. May raise the errors that `checked` converts."""

    def write(self, archive: ArchiveWriter, entity: Entity) -> int:
        return archive.lines(self.path, map(self.as_data, self.values(entity)))

    def read(self, archive: ArchiveReader, path: Path) -> Iterator[Value]:
        for number, data in archive.lines(self.path):
            with checked(f"{path}: {self.path}, line {number}"):
                value = self.parse(data)
            yield value


@contextmanager
def checked(where: str) -> Iterator[None]:
    """Convert errors in a value to InvalidInput that begins with `where`, the place of the
    value."""
    try:
        yield
    except ValidationError as error:
        raise InvalidInput(f"{where}: {invalid_input(error, whole='event')}") from None
    except UnicodeEncodeError:
        raise InvalidInput(f"{where}: holds a lone surrogate, which cannot be stored") from None
    except (InvalidInput, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidInput(f"{where}: {error}") from None


def redacted_in(value: Redactable, level: Level, paths: str) -> Redactable:
    """Return a copy of a dataclass with the texts at `paths` (separated by spaces) redacted.

    `name` is a text, or a tuple or mapping of texts; `lines.text` is the field `text` of one or more
    dataclasses in `lines`.
    """
    for path in paths.split():
        name, _, rest = path.partition(".")
        value = replace(value, **{name: _redacted(getattr(value, name), level, rest)})
    return value


def _redacted(given: Any, level: Level, rest: str) -> Any:
    if isinstance(given, tuple):
        return tuple(_redacted(one, level, rest) for one in given)
    if isinstance(given, Mapping):
        return {name: _redacted(one, level, rest) for name, one in given.items()}
    if rest:
        return redacted_in(given, level, rest)
    return (_redact_word if len(given) <= _WORD_CHARACTERS else redact)(given, level)


def names_in(said: Event | Job) -> tuple[tuple[str, str], ...]:
    """Return the names in a turn as `Record.borne`. The speaker is included even without a name."""
    others = (("", said.bot_name), (f"group:{said.group_id}", said.group_name))
    return (f"user:{said.user_id}", said.user_name), *(one for one in others if one[1])


def redact_time(value: str) -> str:
    """Return `value` if it is an ISO 8601 time, else "". In an archive the field may hold any
    text."""
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return ""
    return value
