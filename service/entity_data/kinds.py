"""Base classes for the kinds of stored data. Forgetting, export, import and the redaction of
archives go through all kinds.

A kind in an archive has one of two forms: JSON lines (`Lines`), or Markdown files with revisions
(`Documents`).
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
from ...schema.ids import encode_id
from ...schema.job import Job
from ...schema.validation import invalid_input
from ...stores.files.archive import ArchiveReader, ArchiveWriter
from ...stores.files.forms import Document, Format
from ...stores.files.naming import Key, Naming
from ...stores.tables.documents import DocumentTable
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
    """A stored record. `Kind.drop` takes its `id`.

    `texts` are all texts of the record. `names` are names of the entity in the record. `told` are
    the texts that are searched for mentions (default: `texts`). `job_ids` and `moments` (scope key,
    seconds since the epoch) identify the jobs of the record. `event_id` is given for events only.

    `scope` is the key of the record's conversation. If it is "", the record belongs to all
    conversations in which a person of `borne` spoke. `borne` are the names in the record as (entity
    key, name): the bot has an empty key, and a speaker whose name is unknown has an empty name.
    `named` are the people named in the text of an event, as stored in the event: (entity key,
    words).
    """

    id: str
    texts: tuple[str, ...]
    names: tuple[str, ...] = ()
    told: tuple[str, ...] | None = None
    job_ids: tuple[str, ...] = ()
    moments: tuple[tuple[str, float], ...] = ()
    event_id: str = ""
    scope: str = ""
    borne: tuple[tuple[str, str], ...] = ()
    named: tuple[tuple[str, str], ...] = ()


@dataclass
class Traces:
    """An entity with the texts, names, job ids and moments (scope key, seconds) of its stored
    data."""

    entity: Entity
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    job_ids: set[str] = field(default_factory=set)
    moments: set[tuple[str, float]] = field(default_factory=set)
    event_ids: set[str] = field(default_factory=set)
    """Ids of the events that this process has read."""

    def add(self, record: Record) -> None:
        self.texts.update(record.texts)
        self.names.update(name for name in record.names if name)
        self.job_ids.update(record.job_ids)
        self.moments.update(record.moments)
        if record.event_id:
            self.event_ids.add(record.event_id)


class Provenance(NamedTuple):
    """The origin of a value: its entities (the main one first), its job, and its time in seconds
    since the epoch."""

    entities: Sequence[str] = ()
    job_id: str = ""
    at: float = 0.0


class Kind(ABC, Generic[Value]):
    """One kind of stored data. Methods are blocking and idempotent, also after a crash, and raise
    StorageError."""

    kind: str
    """The name in reports. Kinds that are reported together have the same name."""
    name = ""
    """The name in the manifest of an archive; "" if the kind is not archived."""
    path = ""
    """The file or folder in an archive."""

    def __init__(self, parts: Parts, store: Any = None) -> None:
        """`store` is the store of this kind; None if the kind finds it in `parts`."""
        self.parts = parts
        self.backend = parts.backend
        self.store = store
        self.level: Level = parts.settings.historian.redact_jobs

    def records(self, traces: Traces | None) -> Iterator[Record]:
        """Return the records of an entity; with None, of all entities."""
        return iter(())

    @abstractmethod
    def erase(self, traces: Traces) -> int:
        """Permanently remove the data of an entity. Return the number of items."""

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        """Remove texts from records in one pass, and remove records that have no other text.

        `unwanted` maps record ids to texts of `Record.told`. Some kinds always remove the whole
        record.
        """

    def write(self, archive: ArchiveWriter, entity: Entity) -> int | list[dict[str, Any]]:
        """Write the data of `entity`. Return the number of items, or the entries of the
        manifest."""
        return 0

    def read(self, archive: ArchiveReader, path: Path) -> Iterator[Value]:
        """Yield the validated values of an archive. Raises InvalidInput."""
        return iter(())

    def said(self, value: Value) -> Provenance:
        return Provenance()

    def stranger(self, value: Value, entity: Entity) -> str:
        """Return the key of the value's owner (`user:42`) if an archive of `entity` may not hold
        the value, else ""."""
        entities = self.said(value).entities
        return "" if entity.key in entities else entities[0]

    def redact(self, value: Value) -> Value:
        """Return `value` with the redaction of this installation applied. Parts that are redacted
        already are not changed."""
        return value

    def restore(self, values: Sequence[Value]) -> Mapping[str, int | list[str]]:
        """Store the values that are missing here. Return counts for the import report.
        Idempotent."""
        return {}


class Lines(Kind[Value]):
    """A kind that is written into an archive as JSON lines."""

    @abstractmethod
    def values(self, entity: Entity) -> Iterator[Value]: ...

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


class Documents(Kind[list[Document]], Generic[Key, Document]):
    """A kind that is written into an archive as Markdown files, one per revision. The keys are in
    the manifest.

    A value is the list of revisions of one key, oldest first.
    """

    former_name = ""
    """The name in manifests that earlier versions wrote."""
    naming: Naming[Key]
    form: Format[Key, Document]
    store: DocumentTable[Key, Document]

    def write(self, archive: ArchiveWriter, entity: Entity) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = []
        for key in self.store.keys():  # noqa: SIM118 - a store, not a dictionary
            for document in self.store.kept(key)[::-1] if entity.key in key.entities else ():
                _, owner, _ = self.naming.row(key)
                member = f"{self.path}/{len(entries):04d}-{encode_id(owner)}-{document.revision}.md"
                archive.text(member, self.form.render(document))
                entries.append(
                    {"member": member, **self.naming.fields(key), "revision": document.revision}
                )
        return entries

    def read(self, archive: ArchiveReader, path: Path) -> Iterator[list[Document]]:
        where = f"{path}: {self.name}"
        found: dict[Key, list[Mapping[str, Any]]] = {}
        entries = archive.manifest.get(self.name, archive.manifest.get(self.former_name, []))
        if not isinstance(entries, list):
            raise InvalidInput(
                f"{where}: expected a list in the manifest, got {type(entries).__name__}"
            )
        for entry in entries:
            with checked(where):
                if not isinstance(entry, dict):
                    raise InvalidInput(
                        f"expected objects in the manifest, got {type(entry).__name__}"
                    )
                found.setdefault(self.naming.of_fields(entry), []).append(entry)
        for key, some in found.items():
            with checked(where):
                revisions = [self._parsed(archive, key, entry) for entry in some]
            yield sorted(revisions, key=lambda one: one.revision)

    def said(self, value: list[Document]) -> Provenance:
        return Provenance(self.form.key(value[-1]).entities, at=float("-inf"))

    def restore(self, values: Sequence[list[Document]]) -> Mapping[str, int | list[str]]:
        return tally(self.name, [self.store.restore(revisions) for revisions in values])

    def _parsed(self, archive: ArchiveReader, key: Key, entry: Mapping[str, Any]) -> Document:
        revision = entry["revision"]
        if type(revision) is not int:
            raise InvalidInput(f"revision: expected a whole number, got {type(revision).__name__}")
        return self.form.parse(archive.text(str(entry["member"])).encode(), key, lambda: revision)


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


def redacted_in(value: Redactable, level: Level, *fields: str) -> Redactable:
    """Return a copy of `value` with `fields` redacted, which are texts or tuples of texts."""
    return replace(value, **{name: _redacted(getattr(value, name), level) for name in fields})


def _redacted(given: str | tuple[str, ...], level: Level) -> str | tuple[str, ...]:
    if not isinstance(given, str):
        return tuple(_redact_word(one, level) for one in given)
    return (_redact_word if len(given) <= _WORD_CHARACTERS else redact)(given, level)


def names_in(said: Event | Job) -> tuple[tuple[str, str], ...]:
    """Return the names in a turn as `Record.borne`. The speaker is included even without a name."""
    borne = (
        (f"user:{said.user_id}", said.user_name),
        ("", said.bot_name),
        (f"group:{said.group_id}", said.group_name),
    )
    return tuple((whose, name) for n, (whose, name) in enumerate(borne) if name or n == 0)


def redact_time(value: str) -> str:
    """Return `value` if it is an ISO 8601 time, else "". In an archive the field may hold any
    text."""
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return ""
    return value


def tally(name: str, results: Sequence[str]) -> dict[str, int | list[str]]:
    """Return the report fields that count restored, known and different items."""
    prefixes = {"": "restored", "known_": "same", "different_": "different"}
    return {prefix + name: results.count(result) for prefix, result in prefixes.items()}
