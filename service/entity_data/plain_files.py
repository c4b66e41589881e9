"""Plain summaries, `MEMORY.md`, and what is erased alone, as `EntityData`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.protocols import PlainSummaries
from ...schema.protocols.entity_data import Record, Traces
from ...stores.files.markdown_memory import MarkdownMemory
from ...text.redaction import redact_value
from ..components import Parts
from .members import LineMember, Member

_NOT_REDACTED = ("scope_key", "job_id", "user_id", "timestamp")


class PlainSummaryData(LineMember[dict[str, Any]]):
    """The last plain summaries. A value is an entry with its scope key."""

    kind = "plain summaries"
    name, path = "summaries", "summaries.jsonl"

    def __init__(self, parts: Parts, store: PlainSummaries | MarkdownMemory) -> None:
        self.members: Sequence[Member[Any]] = (self,)
        self._store = store
        self._level = parts.settings.historian.redact_jobs

    def records(self, traces: Traces | None) -> Iterator[Record]:
        for key, entry in self._store.entries():
            if traces is None or self.is_of(key, entry, traces):
                yield Record(_id(key, entry), (str(entry.get("text", "")),), scope=key)

    def erase(self, traces: Traces) -> int:
        return self._store.forget(lambda key, entry: self.is_of(key, entry, traces))

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        def is_unwanted(key: str, entry: Mapping[str, Any]) -> bool:
            return str(entry.get("text", "")) in unwanted.get(_id(key, entry), ())

        self._store.forget(is_unwanted)

    def values(self, entity: Entity) -> Iterator[dict[str, Any]]:
        found = self._store.entries()
        return ({"scope_key": key, **entry} for key, entry in found if self.is_of(key, entry, Traces(entity)))

    def as_data(self, value: dict[str, Any]) -> Mapping[str, Any]:
        return value

    def parse(self, data: dict[str, Any]) -> dict[str, Any]:
        wrong = next((name for name, one in data.items() if not isinstance(one, str)), "")
        if wrong or not data.get("scope_key"):
            raise InvalidInput(f"{wrong or 'scope_key'}: expected a text")
        return data

    def stranger(self, value: dict[str, Any], entity: Entity) -> str:
        key = value["scope_key"]
        return "" if self.is_of(key, value, Traces(entity)) else f"user:{value.get('user_id', '')}" if "user_id" in value else key

    def redact(self, value: dict[str, Any]) -> dict[str, Any]:
        return {key: one if key in _NOT_REDACTED else redact_value(one, self._level) for key, one in value.items()}

    def restore(self, values: Sequence[dict[str, Any]]) -> Mapping[str, int | list[str]]:
        assert not isinstance(self._store, MarkdownMemory)
        entries = [(str(value.pop("scope_key", "")), value) for value in map(dict, values)]
        return {"summaries": self._store.restore(entries)}

    def is_of(self, key: str, entry: Mapping[str, Any], traces: Traces) -> bool:
        """Return True if an entry is erased with an entity."""
        if key == traces.entity.scope.key or entry.get("job_id") in traces.job_ids:
            return True
        if traces.entity.type == "group":
            return False
        # Entries of earlier versions have no user id: the time decides.
        return entry["user_id"] == traces.entity.id if entry.get("user_id") else _moment(key, entry) in traces.moments


class MemoryFileData(PlainSummaryData):
    """`MEMORY.md`: the section of the conversation, and lines in other sections with the times of jobs of the entity.

    Its lines are exported for information and not imported.
    """

    kind = "lines of MEMORY.md"
    name, path = "memory", "memory.jsonl"

    def read(self, archive: object, path: Path) -> Iterator[dict[str, Any]]:
        return iter(())

    def is_of(self, key: str, entry: Mapping[str, Any], traces: Traces) -> bool:
        at = _moment(key, entry)
        # A line whose time cannot be read is theirs by its words; of others the time decides, since anybody may say the same.
        return key == traces.entity.scope.key or at in traces.moments or (at[1] != at[1] and entry["text"] in traces.texts)


class ErasedData:
    """What is erased with an entity, and neither searched for texts nor exported, as `EntityData`."""

    members: Sequence[Member[Any]] = ()

    def __init__(self, kind: str, erase: Callable[[Traces], int]) -> None:
        self.kind = kind
        self.erase = erase

    def records(self, traces: Traces | None) -> Iterator[Record]:
        return iter(())

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        return None


def _id(key: str, entry: Mapping[str, Any]) -> str:
    return f"{key} {entry.get('job_id', '')}".rstrip()


def _moment(key: str, entry: Mapping[str, Any]) -> tuple[str, float]:
    try:
        return key, datetime.fromisoformat(str(entry.get("timestamp", ""))).timestamp()
    except (ValueError, OverflowError):
        return key, float("nan")
