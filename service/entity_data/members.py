"""The common protocol of stores for the data of an entity, by which forgetting, export and import handle all stores.

Members of archives have two forms: JSON lines, and Markdown files with revisions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from pydantic import ValidationError

from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.event import Event
from ...schema.ids import encode_id
from ...schema.job import Job
from ...schema.protocols.documents.revisions import Revisions
from ...schema.protocols.entity_data import Mark, Record, Traces
from ...schema.validation import invalid_input
from ...stores.files.archive import ArchiveReader, ArchiveWriter
from ...stores.files.forms import Format, Revision
from ...text.redaction import Level, redact
from ...text.remembered import remembered

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Value = TypeVar("Value")
Key = TypeVar("Key")
Document = TypeVar("Document", bound=Revision)
Redactable = TypeVar("Redactable", bound="DataclassInstance")

ALL = 10_000_000
"""A limit above the size of any store."""
_redact_word = remembered(4096)(redact)
"""Cached, for names and reasons that occur in many records."""
_WORD_CHARACTERS = 200


@contextmanager
def checked(where: str) -> Iterator[None]:
    """Convert errors of a value to InvalidInput that names the place."""
    try:
        yield
    except ValidationError as error:
        raise InvalidInput(f"{where}: {invalid_input(error, whole='event')}") from None
    except UnicodeEncodeError:
        raise InvalidInput(f"{where}: holds a lone surrogate, which cannot be stored") from None
    except (InvalidInput, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidInput(f"{where}: {error}") from None


def redacted_in(value: Redactable, level: Level, *fields: str) -> Redactable:
    """Return a record with some of its fields redacted: texts, and tuples of texts."""
    return replace(value, **{name: _redacted(getattr(value, name), level) for name in fields})


def _redacted(given: str | tuple[str, ...], level: Level) -> str | tuple[str, ...]:
    if not isinstance(given, str):
        return tuple(_redact_word(one, level) for one in given)
    return (_redact_word if len(given) <= _WORD_CHARACTERS else redact)(given, level)


def names_in(said: Event | Job) -> tuple[tuple[str, str], ...]:
    """Return the names of a turn as `Record.borne`, who spoke also without a name."""
    borne = ((f"user:{said.user_id}", said.user_name), ("", said.bot_name), (f"group:{said.group_id}", said.group_name))
    return tuple((whose, name) for n, (whose, name) in enumerate(borne) if name or n == 0)


def redact_time(value: str) -> str:
    """Return `value` if it is an ISO 8601 time, else "": the field is free text in an archive."""
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return ""
    return value


def tally(name: str, results: Sequence[str]) -> dict[str, int | list[str]]:
    """Return the report fields that count restored, known and different items."""
    prefixes = {"": "restored", "known_": "same", "different_": "different"}
    return {prefix + name: results.count(result) for prefix, result in prefixes.items()}


class Member(ABC, Generic[Value]):
    """One kind of data in an archive: how it is exported and imported."""

    name: str
    """Its name in the manifest."""
    path: str

    @abstractmethod
    def write(self, archive: ArchiveWriter, entity: Entity) -> int | list[dict[str, Any]]:
        """Write the data of `entity`. Return the number of items, or the entries of the manifest."""

    @abstractmethod
    def read(self, archive: ArchiveReader, path: Path) -> Iterator[Value]:
        """Yield the validated values of an archive. Raises InvalidInput."""

    @abstractmethod
    def stranger(self, value: Value, entity: Entity) -> str:
        """Return whose value it is (`user:42`) if an archive of `entity` may not hold it; else an empty string."""

    @abstractmethod
    def redact(self, value: Value) -> Value:
        """Return `value` with the redaction of this installation applied. Redacted parts stay unchanged."""

    def marks(self, value: Value) -> Iterator[Mark]:
        return iter(())

    @abstractmethod
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

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        """Remove texts (`Record.told`) from records, and a record where it has no other, in one pass.

        `unwanted` are the texts by the id of the record.
        """


class LineMember(Member[Value]):
    """A member of JSON lines."""

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


class FileMember(Member[list[Document]], Generic[Key, Document]):
    """A folder of Markdown files, one per revision; the manifest has the keys. A value: the revisions of a key, oldest first."""

    former_name = ""
    """Its name in the manifest of earlier versions."""

    def __init__(self, store: Revisions[Key, Document], form: Format[Key, Document]) -> None:
        self._store = store
        self._form = form

    @abstractmethod
    def is_carried(self, key: Key, entity: Entity) -> bool: ...

    @abstractmethod
    def entry(self, key: Key) -> dict[str, str]:
        """Return the fields of a key for the manifest."""

    @abstractmethod
    def key_of(self, entry: Mapping[str, Any]) -> Key:
        """Return the key of an entry of the manifest. May raise the errors that `checked` converts."""

    @abstractmethod
    def owner(self, key: Key) -> str: ...

    @abstractmethod
    def entities(self, key: Key) -> list[str]:
        """Return the entities with which it is forgotten, regardless of the time."""

    def write(self, archive: ArchiveWriter, entity: Entity) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = []
        for key in self._store.keys():  # noqa: SIM118 - a store, not a dictionary
            if self.is_carried(key, entity):
                current = self._store.read(key)
                for document in [*reversed(self._store.history(key)), *([current] if current else [])]:
                    member = f"{self.path}/{len(entries):04d}-{encode_id(self.owner(key))}-{document.revision}.md"
                    archive.text(member, self._form.render(document))
                    entries.append({"member": member, **self.entry(key), "revision": document.revision})
        return entries

    def read(self, archive: ArchiveReader, path: Path) -> Iterator[list[Document]]:
        where = f"{path}: {self.name}"
        found: dict[Key, list[Mapping[str, Any]]] = {}
        entries = archive.manifest.get(self.name, archive.manifest.get(self.former_name, []))
        if not isinstance(entries, list):
            raise InvalidInput(f"{where}: expected a list in the manifest, got {type(entries).__name__}")
        for entry in entries:
            with checked(where):
                if not isinstance(entry, dict):
                    raise InvalidInput(f"expected objects in the manifest, got {type(entry).__name__}")
                found.setdefault(self.key_of(entry), []).append(entry)
        for key, some in found.items():
            with checked(where):
                revisions = [self._parsed(archive, key, entry) for entry in some]
            yield sorted(revisions, key=lambda one: one.revision)

    def stranger(self, value: list[Document], entity: Entity) -> str:
        key = self._form.key(value[-1])
        return "" if self.is_carried(key, entity) else self.entities(key)[0]

    def _parsed(self, archive: ArchiveReader, key: Key, entry: Mapping[str, Any]) -> Document:
        revision = entry["revision"]
        if type(revision) is not int:
            raise InvalidInput(f"revision: expected a whole number, got {type(revision).__name__}")
        return self._form.parse(archive.text(str(entry["member"])).encode(), key, lambda: revision)

    def marks(self, value: list[Document]) -> Iterator[Mark]:
        for entity in self.entities(self._form.key(value[-1])):
            yield Mark(entity, "", (entity,), float("-inf"))
