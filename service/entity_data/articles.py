"""Data stored per person and conversation: articles with their revisions, dated summaries, and
buffered states.

    layers/summaries.jsonl   dated summaries as in the data directory, including promoted ones
    layers/buffered.jsonl    buffered states: {"entry_id", "user_id", "scope", "role", "text", "name", "at"}
    layers/articles/…        Markdown files with earlier revisions; keys in the manifest

Archives of earlier versions do not have these members. The folder name `layers` is part of the
format.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, TypeVar

from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.job import check_timestamp, clean_text
from ...schema.summary import (
    ROLES,
    Article,
    ArticleKey,
    BufferedState,
    Spoken,
    Summary,
    job_of_entry,
)
from ...stores.files.articles import ARTICLE_FORMAT
from ...stores.files.naming import ARTICLES
from ...stores.files.summary_lines import as_data, as_line, parse_line
from ...stores.tables.documents import ArticleStorage
from ...stores.tables.state_buffer import StateBuffer
from ...stores.tables.summaries import SummaryStorage
from ...text.tokens import spoken_tokens
from ..components import Parts
from ..timezones import iso_of
from .kinds import (
    Documents,
    Kind,
    Lines,
    Provenance,
    Record,
    Traces,
    Value,
    redact_time,
    redacted_in,
    tally,
)

Line = TypeVar("Line", Summary, BufferedState)


class OfPerson(Kind[Value]):
    """A kind that is stored by `ArticleKey`. A record holds all data of one key."""

    kind = "articles and summaries"
    store: ArticleStorage | SummaryStorage | StateBuffer

    def keys_of(self, traces: Traces | None) -> list[ArticleKey]:
        keys = self.store.keys()
        return [key for key in keys if traces is None or traces.entity.key in key.entities]

    @abstractmethod
    def lines(self, key: ArticleKey) -> list[str]:
        """Return the lines that can be removed individually."""

    @abstractmethod
    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int: ...

    def records(self, traces: Traces | None) -> Iterator[Record]:
        for key in self.keys_of(traces):
            yield Record(str(key), tuple(self.lines(key)), scope=key.scope.key)

    def erase(self, traces: Traces) -> int:
        return self.store.erase(traces.entity)

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        for key in self.keys_of(None):
            if lines := unwanted.get(str(key)):
                self.without_lines(key, lines.__contains__)


class LinesOfPerson(OfPerson[Line], Lines[Line]):
    """A kind that is stored by `ArticleKey` and written into an archive as JSON lines."""

    store: SummaryStorage | StateBuffer

    def values(self, entity: Entity) -> Iterator[Any]:
        return (one for key in self.keys_of(Traces(entity)) for one in self.store.read(key))

    def restore(self, values: Sequence[Any]) -> Mapping[str, int | list[str]]:
        return tally(self.name, self.store.restore(values))


class ArticleRecords(OfPerson[list[Article]], Documents[ArticleKey, Article]):
    name, path = "articles", "layers/articles"
    naming, form = ARTICLES, ARTICLE_FORMAT
    store: ArticleStorage

    def lines(self, key: ArticleKey) -> list[str]:
        return self.store.lines(key)

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        return self.store.without_lines(key, unwanted, now=iso_of(self.parts.clock()))

    def redact(self, value: list[Article]) -> list[Article]:
        return [
            replace(
                redacted_in(one, self.level, "sources").with_chapters(
                    {
                        name: [redacted_in(line, self.level, "text", "tags") for line in lines]
                        for name, lines in one.chapters.items()
                    }
                ),
                updated_at=redact_time(one.updated_at),
            )
            for one in value
        ]


class SummaryRecords(LinesOfPerson[Summary]):
    name, path = "dated_summaries", "layers/summaries.jsonl"
    store: SummaryStorage

    def lines(self, key: ArticleKey) -> list[str]:
        told = self.store.read(key)
        return [line for one in told for line in one.text.splitlines() if line.strip()]

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        return self.store.without_lines(key, unwanted)

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

    def redact(self, value: Summary) -> Summary:
        return redacted_in(value, self.level, "text", "gate_reasons")

    def said(self, value: Summary) -> Provenance:
        return Provenance(value.key.entities, at=datetime.fromisoformat(value.until).timestamp())


class Buffered(LinesOfPerson[BufferedState]):
    name, path = "buffered_states", "layers/buffered.jsonl"
    store: StateBuffer

    def lines(self, key: ArticleKey) -> list[str]:
        return [f"{one.spoken.name}\n{one.spoken.text}" for one in self.store.read(key)]

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        waiting = zip(self.lines(key), self.store.read(key), strict=True)
        return self.store.remove([one.entry_id for line, one in waiting if unwanted(line)])

    def records(self, traces: Traces | None) -> Iterator[Record]:
        for key in self.keys_of(traces):
            waiting = self.store.read(key)
            # In a group the speaker may be another user: their names are left out.
            private = traces is not None and traces.entity.type == "user" and not key.group_id
            yield Record(
                str(key),
                tuple(one.spoken.text for one in waiting),
                tuple(one.spoken.name for one in waiting if private and one.spoken.role == "user"),
                tuple(self.lines(key)),
                tuple(job_of_entry(one.entry_id) for one in waiting),
                scope=key.scope.key,
            )

    def erase(self, traces: Traces) -> int:
        # Mark the jobs as forgotten, so that a job that is submitted again with a later time is not
        # accepted as new.
        jobs = {job_of_entry(one.entry_id) for one in self.values(traces.entity)}
        self.backend.erasure.bury_jobs(sorted(jobs))
        return super().erase(traces)

    def as_data(self, value: BufferedState) -> Mapping[str, Any]:
        return {
            "entry_id": value.entry_id,
            **ARTICLES.fields(value.key),
            **asdict(value.spoken),
        }

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
        spoken = value.spoken
        level = self.level if spoken.role == "record" else "all"
        clean = redacted_in(spoken, level, "text", "name")
        return replace(value, spoken=clean, tokens=spoken_tokens(clean))

    def said(self, value: BufferedState) -> Provenance:
        at = value.spoken.at
        moment = datetime.fromisoformat(at).timestamp() if at else 0.0
        return Provenance(value.key.entities, job_of_entry(value.entry_id), moment)


def article_kinds(parts: Parts) -> list[ArticleRecords | SummaryRecords | Buffered]:
    """Return the kinds that are stored per person and conversation."""
    stores = parts.article_stores
    return [
        ArticleRecords(parts, stores.articles),
        SummaryRecords(parts, stores.summaries),
        Buffered(parts, stores.buffer),
    ]
