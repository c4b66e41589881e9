"""The smaller kinds of data: records of corrections, plain summaries, `MEMORY.md`, note manifests,
checkpoints and damaged files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ...schema.correction import CorrectionRecord
from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...stores.files.end_summaries import EndSummaries
from ...stores.files.markdown_memory import MarkdownMemory
from ...text.redaction import redact_value
from .kinds import Kind, Lines, Record, Traces

_NOT_REDACTED = ("scope_key", "job_id", "user_id", "timestamp")


class CorrectionRecords(Kind[CorrectionRecord]):
    """Data that corrections removed and `undo` restores. This kind is in no archive."""

    kind = "corrections"

    def records(self, traces: Traces | None) -> Iterator[Record]:
        entity = None if traces is None else traces.entity
        for record in self.backend.corrections.all():
            if entity is None or entity.key in record.entities:
                texts = tuple(_texts(record, entity))
                yield Record(record.correction.correction_id, texts, scope=record.scope_key)

    def erase(self, traces: Traces) -> int:
        return self.backend.corrections.erase(traces.entity)

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        self.backend.corrections.remove(list(unwanted))


class LastSummaries(Lines[dict[str, Any]]):
    """The last plain summaries. A value is an entry together with its scope key."""

    kind = "plain summaries"
    name, path = "summaries", "summaries.jsonl"
    store: EndSummaries | MarkdownMemory

    def records(self, traces: Traces | None) -> Iterator[Record]:
        for key, entry in self.store.entries():
            if traces is None or self.is_of(key, entry, traces):
                yield Record(_id(key, entry), (str(entry.get("text", "")),), scope=key)

    def erase(self, traces: Traces) -> int:
        return self.store.forget(lambda key, entry: self.is_of(key, entry, traces))

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        def is_unwanted(key: str, entry: Mapping[str, Any]) -> bool:
            return str(entry.get("text", "")) in unwanted.get(_id(key, entry), ())

        self.store.forget(is_unwanted)

    def values(self, entity: Entity) -> Iterator[dict[str, Any]]:
        found = self.store.entries()
        return (
            {"scope_key": key, **entry}
            for key, entry in found
            if self.is_of(key, entry, Traces(entity))
        )

    def as_data(self, value: dict[str, Any]) -> Mapping[str, Any]:
        return value

    def parse(self, data: dict[str, Any]) -> dict[str, Any]:
        wrong = next((name for name, one in data.items() if not isinstance(one, str)), "")
        if wrong or not data.get("scope_key"):
            raise InvalidInput(f"{wrong or 'scope_key'}: expected a text")
        return data

    def stranger(self, value: dict[str, Any], entity: Entity) -> str:
        key = value["scope_key"]
        return (
            ""
            if self.is_of(key, value, Traces(entity))
            else f"user:{value.get('user_id', '')}"
            if "user_id" in value
            else key
        )

    def redact(self, value: dict[str, Any]) -> dict[str, Any]:
        return {
            key: one if key in _NOT_REDACTED else redact_value(one, self.level)
            for key, one in value.items()
        }

    def restore(self, values: Sequence[dict[str, Any]]) -> Mapping[str, int | list[str]]:
        assert not isinstance(self.store, MarkdownMemory)
        entries = [(str(value.pop("scope_key", "")), value) for value in map(dict, values)]
        return {"summaries": self.store.restore(entries)}

    def is_of(self, key: str, entry: Mapping[str, Any], traces: Traces) -> bool:
        """Return True if an entry is erased when the entity is forgotten."""
        if key == traces.entity.scope.key or entry.get("job_id") in traces.job_ids:
            return True
        if traces.entity.type == "group":
            return False
        # Entries of earlier versions have no user id: their time is compared with the jobs' times.
        return (
            entry["user_id"] == traces.entity.id
            if entry.get("user_id")
            else _moment(key, entry) in traces.moments
        )


class MemoryFile(LastSummaries):
    """Lines of `MEMORY.md`: the section of the entity's conversation, and lines of other sections
    that have the time of a job of the entity.

    The lines are exported for information only, and are not imported.
    """

    kind = "lines of MEMORY.md"
    name, path = "memory", "memory.jsonl"

    def read(self, archive: object, path: Path) -> Iterator[dict[str, Any]]:
        return iter(())

    def is_of(self, key: str, entry: Mapping[str, Any], traces: Traces) -> bool:
        at = _moment(key, entry)
        # A line without a readable time belongs to the entity if the texts are equal. For other
        # lines the time decides, because several people may say the same.
        return (
            key == traces.entity.scope.key
            or at in traces.moments
            or (at[1] != at[1] and entry["text"] in traces.texts)
        )


class NoteFiles(Kind[None]):
    """The manifest of indexed notes. Texts of notes are events; the note files are not changed."""

    kind = "note files"

    def erase(self, traces: Traces) -> int:
        return self.backend.erasure.erase_notes(traces.entity.scope.key)


class ErasedWhole(Kind[None]):
    """All checkpoints and damaged files, whichever entity is forgotten.

    A lost checkpoint costs a model call. The content of damaged files is unknown.
    """

    kind = "checkpoint and damaged files"

    def erase(self, traces: Traces) -> int:
        return self.backend.erasure.erase_whole()


def _texts(record: CorrectionRecord, entity: Entity | None) -> Iterator[str]:
    """Yield the texts of a record; with an entity, only the texts of its profiles and events."""
    correction = record.correction
    for key, line in (*correction.lines, *record.fewer, *record.new_lines):
        if entity is None or key.entity == entity.key:
            yield line.text
    for event in (*correction.events, *correction.messages):
        if entity is None or entity.key in event.entities:
            yield event.text
            if event.handed_over:
                yield event.handed_over


def _id(key: str, entry: Mapping[str, Any]) -> str:
    return f"{key} {entry.get('job_id', '')}".rstrip()


def _moment(key: str, entry: Mapping[str, Any]) -> tuple[str, float]:
    try:
        return key, datetime.fromisoformat(str(entry.get("timestamp", ""))).timestamp()
    except (ValueError, OverflowError):
        return key, float("nan")
