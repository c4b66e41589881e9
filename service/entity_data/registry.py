"""The list of all kinds of stored data, for forgetting, export, import and the redaction of
archives, with the kinds that need few words: rows per person and conversation, and small files.

    layers/summaries.jsonl   dated summaries as in the data directory, including promoted ones
    layers/buffered.jsonl    buffered states: {"entry_id", "user_id", "scope", "role", "text", "name", "at"}

The folder name `layers` is part of the format.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeVar

from ...schema.correction import CorrectionRecord
from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.job import clean_text
from ...schema.scope import scope_of_key
from ...schema.summary import (
    ROLES,
    BufferedState,
    Restored,
    Spoken,
    Summary,
    job_of_entry,
)
from ...schema.times import check_timestamp
from ...stores.files.end_summaries import EndSummaries
from ...stores.files.markdown_memory import MarkdownMemory
from ...stores.files.naming import ARTICLES
from ...stores.files.summary_lines import as_data, as_line, moment_of, parse_line
from ...stores.tables.corrections import CorrectionTable
from ...stores.tables.state_buffer import StateBuffer
from ...stores.tables.summaries import SummaryStorage
from ...text.redaction import redact_value
from ...text.tokens import spoken_tokens
from ..components import Parts
from .documents import ArticleRecords, ProfileRecords
from .events import EventRecords
from .jobs import JobRecords
from .kinds import Kind, Lines, Record, Traces, redacted_in

Line = TypeVar("Line", Summary, BufferedState)
PlainEntry = tuple[str, dict[str, Any]]
"""A scope key, and an entry of its conversation."""
_NOT_REDACTED = ("job_id", "user_id", "timestamp")


def stored_kinds(parts: Parts) -> list[Kind[Any]]:
    """Return all kinds in the order of erasure: data that is read with every reply comes first.
    Archives have the same order."""
    return [
        EventRecords(parts),
        ProfileRecords(parts, parts.profiles),
        CorrectionRecords(parts, parts.backend.corrections),
        *article_kinds(parts),
        JobRecords(parts),
        LastSummaries(parts, parts.backend.plain_summaries),
        MemoryFile(parts, MarkdownMemory(parts.directory / "MEMORY.md")),
        NoteFiles(parts),
        ErasedWhole(parts),
    ]


def article_kinds(parts: Parts) -> list[Kind[Any]]:
    """Return the kinds that are stored per person and conversation."""
    stores = parts.article_stores
    return [
        ArticleRecords(parts, stores.articles),
        SummaryRecords(parts, stores.summaries),
        BufferedStates(parts, stores.buffer),
    ]


class LinesOfPerson(Lines[Line]):
    """A kind that is stored by `ArticleKey` and written into an archive as JSON lines."""

    kind = ArticleRecords.kind
    store: SummaryStorage | StateBuffer

    def stored(self, entity: Entity | None) -> Iterator[Any]:
        for key in self.store.keys():  # noqa: SIM118 - a store, not a dictionary
            if entity is None or entity.key in key.entities:
                yield from self.store.read(key)

    def restore(self, values: Sequence[Any]) -> Sequence[Restored]:
        return self.store.restore(values)


class SummaryRecords(LinesOfPerson[Summary]):
    name, path = "dated_summaries", "layers/summaries.jsonl"
    redacted = "text gate_reasons"
    store: SummaryStorage

    def record(self, value: Summary) -> Record:
        key, at = value.key, moment_of(value.until).timestamp()
        lines = tuple(line for line in value.text.splitlines() if line.strip())
        return Record(str(key), key.entities, lines, key.scope.key, at)

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        for key in self.store.keys():  # noqa: SIM118 - a store, not a dictionary
            if lines := unwanted.get(str(key)):
                self.store.without_lines(key, lines.__contains__)

    def as_data(self, value: Summary) -> Mapping[str, Any]:
        return as_data(value)

    def parse(self, data: dict[str, Any]) -> Summary:
        summary = parse_line(json.dumps(data), ARTICLES.of_fields(data))
        if summary is None:
            fields = "id, text, from, until, created_at, through and tokens"
            raise InvalidInput(f"not a dated summary; expected {fields}")
        for moment in (summary.since, summary.until, summary.created_at):
            check_timestamp(moment)
        as_line(summary).encode()
        return summary


class BufferedStates(LinesOfPerson[BufferedState]):
    name, path = "buffered_states", "layers/buffered.jsonl"
    store: StateBuffer

    def record(self, value: BufferedState) -> Record:
        key, said = value.key, value.spoken
        # In a group the speaker may be another user: their names are left out.
        is_theirs = not key.group_id and said.role == "user"
        return Record(
            str(key),
            key.entities,
            (said.text,),
            key.scope.key,
            moment_of(said.at).timestamp(),
            job_of_entry(value.entry_id),
            lines=(f"{said.name}\n{said.text}",),
            borne=((f"user:{key.user_id}", said.name),) if is_theirs else (),
        )

    def erase(self, traces: Traces) -> int:
        # Mark the jobs as forgotten, so that a job that is submitted again with a later time is not
        # accepted as new.
        jobs = {job_of_entry(one.entry_id) for one in self.values(traces.entity)}
        self.backend.erasure.bury_jobs(sorted(jobs))
        return super().erase(traces)

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        records = ((one.entry_id, self.record(one)) for one in self.stored(None))
        self.store.remove(
            [entry for entry, one in records if one.searched[0] in unwanted.get(one.id, ())]
        )

    def as_data(self, value: BufferedState) -> Mapping[str, Any]:
        said = asdict(value.spoken)
        return {"entry_id": value.entry_id, **ARTICLES.fields(value.key), **said}

    def parse(self, data: dict[str, Any]) -> BufferedState:
        key = ARTICLES.of_fields(data)
        entry_id, text, name, at = words = [
            data.get(one) for one in ("entry_id", "text", "name", "at")
        ]
        role = ROLES.get(str(data.get("role")))
        is_text = all(isinstance(word, str) for word in words)
        if role is None or not is_text or not job_of_entry(str(entry_id)):
            fields = "entry_id (job:number), role, text, name and at"
            raise InvalidInput(f"not a buffered state; expected {fields}")
        at = check_timestamp(str(at)) if at else ""
        spoken = Spoken(role, clean_text(str(text)), clean_text(str(name)), at)
        return BufferedState(key, str(entry_id), spoken, spoken_tokens(spoken))

    def redact(self, value: BufferedState) -> BufferedState:
        """Redact messages at level `all`, and filed events (role `record`) at the configured
        level."""
        level = self.level if value.spoken.role == "record" else "all"
        clean = redacted_in(value, level, "spoken.text spoken.name")
        return replace(clean, tokens=spoken_tokens(clean.spoken))


class CorrectionRecords(Kind[CorrectionRecord]):
    """Data that corrections removed and `undo` restores. This kind is in no archive."""

    kind = "corrections"
    store: CorrectionTable

    def records(self, traces: Traces | None = None) -> Iterator[Record]:
        """Yield a record per corrected line or event, which belongs to different entities."""
        for one in self.store.all():
            correction, name = one.correction, one.correction.correction_id
            for key, line in (*correction.lines, *one.fewer, *one.new_lines):
                if traces is None or key.entity == traces.entity.key:
                    yield Record(name, texts=(line.text,), scope=one.scope_key)
            for event in (*correction.events, *correction.messages):
                if traces is None or traces.entity.key in event.entities:
                    texts = (event.text, event.handed_over)
                    yield Record(name, texts=texts, scope=one.scope_key)

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        self.store.remove(list(unwanted))


class LastSummaries(Lines[PlainEntry]):
    """The last plain summaries."""

    kind = "plain summaries"
    name, path = "summaries", "summaries.jsonl"
    is_compared = False
    store: EndSummaries | MarkdownMemory

    def stored(self, entity: Entity | None) -> Iterator[PlainEntry]:
        return iter(self.store.entries())

    def record(self, value: PlainEntry) -> Record:
        key, entry = value
        text, user_id, job_id, time = (
            str(entry.get(name, "")) for name in ("text", "user_id", "job_id", "timestamp")
        )
        scope, entities = scope_of_key(key), [f"user:{user_id}"] if user_id else []
        if scope is not None:
            entities.append(
                f"group:{scope.group_id}" if scope.group_id else f"user:{scope.user_id}"
            )
        at = moment_of(time).timestamp()
        return Record(f"{key} {job_id}".rstrip(), entities, (text,), key, at, rests_on=job_id)

    def is_of(self, record: Record, traces: Traces) -> bool:
        # An entry of former versions names neither user nor job: its time is that of a job.
        is_nameless = not record.rests_on and not any(
            one.startswith("user:") for one in record.entities
        )
        return super().is_of(record, traces) or (
            is_nameless
            and traces.entity.type == "user"
            and record.at >= 0
            and (record.scope, record.at) in traces.moments
        )

    def erase(self, traces: Traces) -> int:
        return self.store.forget(lambda *entry: self.is_of(self.record(entry), traces))

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        def is_unwanted(*entry: Any) -> bool:
            found = self.record(entry)
            return found.texts[0] in unwanted.get(found.id, ())

        self.store.forget(is_unwanted)

    def as_data(self, value: PlainEntry) -> Mapping[str, Any]:
        return {"scope_key": value[0], **value[1]}

    def parse(self, data: dict[str, Any]) -> PlainEntry:
        wrong = next((name for name, one in data.items() if not isinstance(one, str)), "")
        if wrong or not data.get("scope_key") or "text" not in data:
            raise InvalidInput(f"{wrong or 'scope_key and text'}: expected a text")
        return data.pop("scope_key"), data

    def redact(self, value: PlainEntry) -> PlainEntry:
        key, entry = value
        clean = {name: redact_value(one, self.level) for name, one in entry.items()}
        return key, {**clean, **{name: entry[name] for name in _NOT_REDACTED if name in entry}}

    def restore(self, values: Sequence[PlainEntry]) -> Sequence[Restored]:
        assert not isinstance(self.store, MarkdownMemory)
        restored = self.store.restore(values)
        results: list[Restored] = ["restored"] * restored
        results += ["same"] * (len(values) - restored)
        return results


class MemoryFile(LastSummaries):
    """Lines of `MEMORY.md`: the section of the entity's conversation, and lines of other sections
    that have the time of a job of the entity."""

    kind = "lines of MEMORY.md"
    name, path = "memory", "memory.jsonl"
    is_imported = False

    def is_of(self, record: Record, traces: Traces) -> bool:
        # A line without a readable time belongs to the entity if the texts are equal. For other
        # lines the time decides, because several people may say the same.
        return (
            traces.entity.key in record.entities
            or (record.at >= 0 and (record.scope, record.at) in traces.moments)
            or (record.at < 0 and record.texts[0] in traces.texts)
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
        return self.backend.erasure.erase_unattributed()
