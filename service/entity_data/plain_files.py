"""Plain summaries, `MEMORY.md`, and what is erased alone, as `EntityData`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.protocols.entity_data import Member, Record, Traces
from ...stores.files.markdown_memory import MarkdownMemory
from ...text.redaction import redact_value
from ..components import Parts
from .members import LineMember

_NOT_REDACTED = ("scope_key", "job_id", "user_id", "timestamp")


class PlainSummaryData(LineMember[dict[str, Any]]):
    """The last plain summaries. A value is an entry with its scope key."""

    kind = "plain summaries"
    name, path = "summaries", "summaries.jsonl"

    def __init__(self, parts: Parts) -> None:
        self.members: Sequence[Member[Any]] = (self,)
        self._summaries = parts.backend.plain_summaries
        self._level = parts.settings.historian.redact_jobs

    def records(self, traces: Traces | None) -> Iterator[Record]:
        for key, entry in self._summaries.entries():
            if traces is None or _theirs(key, entry, traces):
                yield Record(f"{key} {entry.get('job_id', '')}", (str(entry.get("text", "")),))

    def erase(self, traces: Traces) -> int:
        return self._summaries.forget(lambda key, entry: _theirs(key, entry, traces))

    def drop(self, ids: Collection[str], unwanted: Callable[[str], bool]) -> None:
        self._summaries.forget(lambda key, entry: unwanted(str(entry.get("text", ""))))

    def values(self, entity: Entity) -> Iterator[dict[str, Any]]:
        found = self._summaries.entries()
        return ({"scope_key": key, **entry} for key, entry in found if _theirs(key, entry, Traces(entity)))

    def as_data(self, value: dict[str, Any]) -> Mapping[str, Any]:
        return value

    def parse(self, data: dict[str, Any]) -> dict[str, Any]:
        wrong = next((name for name, one in data.items() if not isinstance(one, str)), "")
        if wrong or not data.get("scope_key"):
            raise InvalidInput(f"{wrong or 'scope_key'}: expected a text")
        return data

    def stranger(self, value: dict[str, Any], entity: Entity) -> str:
        key = value["scope_key"]
        return "" if _theirs(key, value, Traces(entity)) else f"user:{value.get('user_id', '')}" if "user_id" in value else key

    def redact(self, value: dict[str, Any]) -> dict[str, Any]:
        return {key: one if key in _NOT_REDACTED else redact_value(one, self._level) for key, one in value.items()}

    def restore(self, values: Sequence[dict[str, Any]]) -> Mapping[str, int | list[str]]:
        entries = [(str(value.pop("scope_key", "")), value) for value in map(dict, values)]
        return {"summaries": self._summaries.restore(entries)}


class MemoryFileData(LineMember[dict[str, str]]):
    """`MEMORY.md`: the section of the conversation, and lines in other sections with the times of jobs of the entity.

    Its lines are exported for information and not imported.
    """

    kind = "lines of MEMORY.md"
    name, path = "memory", "memory.jsonl"

    def __init__(self, parts: Parts) -> None:
        self.members: Sequence[Member[Any]] = (self,)
        self._memory = MarkdownMemory(parts.directory / "MEMORY.md")

    def records(self, traces: Traces | None) -> Iterator[Record]:
        for key, time, text in self._memory.entries():
            if traces is None or self._theirs(key, time, text, traces):
                yield Record(key, (text,))

    def erase(self, traces: Traces) -> int:
        return self._memory.forget(lambda key, time, text: self._theirs(key, time, text, traces))

    def drop(self, ids: Collection[str], unwanted: Callable[[str], bool]) -> None:
        self._memory.forget(lambda key, time, text: unwanted(text))

    def values(self, entity: Entity) -> Iterator[dict[str, str]]:
        for key, timestamp, text in self._memory.entries():
            if key == entity.scope.key:
                yield {"scope_key": key, "timestamp": timestamp, "text": text}

    def as_data(self, value: dict[str, str]) -> Mapping[str, Any]:
        return value

    def read(self, archive: object, path: Path) -> Iterator[dict[str, str]]:
        return iter(())

    def redact(self, value: dict[str, str]) -> dict[str, str]:
        return value

    def restore(self, values: Sequence[dict[str, str]]) -> Mapping[str, int | list[str]]:
        return {}

    def _theirs(self, key: str, time: str, text: str, traces: Traces) -> bool:
        return key == traces.entity.scope.key or (key, _epoch(time)) in traces.moments or text in traces.texts


class ErasedData:
    """What is erased with an entity, and neither searched for texts nor exported, as `EntityData`."""

    members: Sequence[Member[Any]] = ()

    def __init__(self, kind: str, erase: Callable[[Traces], int]) -> None:
        self.kind = kind
        self.erase = erase

    def records(self, traces: Traces | None) -> Iterator[Record]:
        return iter(())

    def drop(self, ids: Collection[str], unwanted: Callable[[str], bool]) -> None:
        return None


def _theirs(key: str, entry: dict[str, Any], traces: Traces) -> bool:
    if key == traces.entity.scope.key or entry.get("job_id") in traces.job_ids:
        return True
    if traces.entity.type == "group":
        return False
    # Entries of earlier versions have no user id: the time decides.
    moment = (key, _epoch(str(entry.get("timestamp", ""))))
    return entry["user_id"] == traces.entity.id if entry.get("user_id") else moment in traces.moments


def _epoch(timestamp: str) -> float:
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except (ValueError, OverflowError):
        return float("nan")
