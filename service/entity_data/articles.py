"""Articles with history, dated summaries, buffered states, and vectors of article lines, as `EntityData`.

    layers/summaries.jsonl   dated summaries as in the data directory, including promoted ones
    layers/buffered.jsonl    buffered states: {"entry_id", "user_id", "scope", "role", "text", "name", "at"}
    layers/articles/…        Markdown as in the data directory, earlier revisions too; the manifest gives their keys

Archives of earlier versions do not have these members. The folder name `layers` is part of the format.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from ...schema.article import ROLES, Spoken
from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.job import check_timestamp, clean_text
from ...schema.protocols.entity_data import Mark, Record, Traces
from ...schema.summary import ArticleKey, BufferedState, StoredArticle, Summary, job_of_entry
from ...stores.files.articles import ARTICLE_FORMAT
from ...stores.files.summary_lines import as_data, as_line, parse_line
from ...text.redaction import Level
from ...text.tokens import spoken_tokens
from ..components import Parts
from ..timezones import iso_of
from .members import ALL, FileMember, LineMember, Member, redact_time, redacted_in, tally


class ArticleData:
    """The `EntityData` of everything stored by `ArticleKey`: a person in one conversation."""

    kind = "articles and summaries"

    def __init__(self, parts: Parts) -> None:
        self.members: Sequence[Member[Any]] = (_Articles(parts), _Summaries(parts), _Buffered(parts))
        self._stores = parts.article_stores
        self._erasure = parts.backend.erasure
        self._clock = parts.clock

    def records(self, traces: Traces | None) -> Iterator[Record]:
        for key in self._keys():
            if traces is None or traces.entity.spoke(key.user_id, key.group_id):
                waiting = self._waiting(key)
                lines = self._stores.articles.lines(key)
                for summary in self._stores.summaries.read(key):
                    lines += [line for line in summary.text.splitlines() if line.strip()]
                # In a group another user may have spoken.
                private = traces is not None and traces.entity.type == "user" and not key.group_id
                yield Record(
                    str(key),
                    (*lines, *(one.spoken.text for one in waiting)),
                    tuple(one.spoken.name for one in waiting if private and one.spoken.role == "user"),
                    (*lines, *map(_with_speaker, waiting)),
                    tuple(job_of_entry(one.entry_id) for one in waiting),
                    scope=key.scope.key,
                )

    def erase(self, traces: Traces) -> int:
        entity = traces.entity
        # So that a job submitted again with a later time is not new.
        keys = [key for key in self._stores.buffer.keys() if entity.spoke(key.user_id, key.group_id)]  # noqa: SIM118
        self._erasure.bury_jobs(sorted({job_of_entry(one.entry_id) for key in keys for one in self._waiting(key)}))
        return self._stores.erase(entity)

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        now = iso_of(self._clock())
        for key in self._keys():
            if lines := unwanted.get(str(key)):
                spoken = [one for one in self._waiting(key) if _with_speaker(one) in lines]
                self._stores.buffer.remove([one.entry_id for one in spoken])
                self._stores.summaries.without_lines(key, lines.__contains__)
                self._stores.articles.without_lines(key, lines.__contains__, now=now)

    def _keys(self) -> list[ArticleKey]:
        stores = self._stores
        return list(dict.fromkeys([*stores.articles.keys(), *stores.summaries.keys(), *stores.buffer.keys()]))

    def _waiting(self, key: ArticleKey) -> list[BufferedState]:
        return self._stores.buffer.oldest(key, ALL)


class _Articles(FileMember[ArticleKey, StoredArticle]):
    name, path = "articles", "layers/articles"

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts.article_stores.articles, ARTICLE_FORMAT)
        self._level = parts.settings.historian.redact_jobs

    def is_carried(self, key: ArticleKey, entity: Entity) -> bool:
        return entity.spoke(key.user_id, key.group_id)

    def owner(self, key: ArticleKey) -> str:
        return key.user_id

    def entry(self, key: ArticleKey) -> dict[str, str]:
        return {"user_id": key.user_id, "scope": key.scope.key}

    def key_of(self, entry: Mapping[str, Any]) -> ArticleKey:
        return _key(entry)

    def entities(self, key: ArticleKey) -> list[str]:
        return key.entities

    def redact(self, value: list[StoredArticle]) -> list[StoredArticle]:
        clean = (redacted_in(one, self._level, "sources") for one in value)
        return [
            replace(
                one,
                article=redacted_in(one.article, self._level, "bedrock", "evolutionary", "dynamic"),
                updated_at=redact_time(one.updated_at),
            )
            for one in clean
        ]

    def restore(self, values: Sequence[list[StoredArticle]]) -> Mapping[str, int | list[str]]:
        return tally(self.name, [self._store.restore(revisions) for revisions in values])


class _Summaries(LineMember[Summary]):
    name, path = "dated_summaries", "layers/summaries.jsonl"

    def __init__(self, parts: Parts) -> None:
        self._summaries = parts.article_stores.summaries
        self._level = parts.settings.historian.redact_jobs

    def values(self, entity: Entity) -> Iterator[Summary]:
        return (one for key in _keys_of(entity, self._summaries.keys()) for one in self._summaries.read(key))

    def as_data(self, value: Summary) -> Mapping[str, Any]:
        return as_data(value)

    def parse(self, data: dict[str, Any]) -> Summary:
        summary = parse_line(json.dumps(data), _key(data))
        if summary is None:
            raise InvalidInput("not a dated summary; expected id, text, from, until, created_at, through and tokens")
        for moment in (summary.since, summary.until, summary.created_at):
            check_timestamp(moment)
        as_line(summary).encode()
        return summary

    def redact(self, value: Summary) -> Summary:
        return redacted_in(value, self._level, "text", "gate_reasons")

    def stranger(self, value: Summary, entity: Entity) -> str:
        return _stranger(value.key, entity)

    def marks(self, value: Summary) -> Iterator[Mark]:
        at = datetime.fromisoformat(value.until).timestamp()
        return (Mark(entity, value.id, (entity,), at) for entity in value.key.entities)

    def restore(self, values: Sequence[Summary]) -> Mapping[str, int | list[str]]:
        keys = dict.fromkeys(one.key for one in values)
        results = [self._summaries.restore(key, [one for one in values if one.key == key]) for key in keys]
        return tally(self.name, [one for some in results for one in some])


class _Waiting(NamedTuple):
    """A buffered state and its key."""

    key: ArticleKey
    state: BufferedState


class _Buffered(LineMember[_Waiting]):
    name, path = "buffered_states", "layers/buffered.jsonl"

    def __init__(self, parts: Parts) -> None:
        self._buffer = parts.article_stores.buffer
        self._level = parts.settings.historian.redact_jobs

    def values(self, entity: Entity) -> Iterator[_Waiting]:
        return (_Waiting(key, one) for key in _keys_of(entity, self._buffer.keys()) for one in self._buffer.oldest(key, ALL))

    def as_data(self, value: _Waiting) -> Mapping[str, Any]:
        key, spoken = value.key, value.state.spoken
        whose = {"entry_id": value.state.entry_id, "user_id": key.user_id, "scope": key.scope.key}
        return {**whose, "role": spoken.role, "text": spoken.text, "name": spoken.name, "at": spoken.at}

    def parse(self, data: dict[str, Any]) -> _Waiting:
        key = _key(data)
        entry_id, text, name, at = words = [data.get(field) for field in ("entry_id", "text", "name", "at")]
        role = ROLES.get(str(data.get("role")))
        if role is None or not all(isinstance(word, str) for word in words) or not job_of_entry(str(entry_id)):
            raise InvalidInput("not a buffered state; expected entry_id (job:number), role, text, name and at")
        spoken = Spoken(role, clean_text(str(text)), clean_text(str(name)), check_timestamp(str(at)) if at else "")
        return _Waiting(key, BufferedState(str(entry_id), spoken, spoken_tokens(spoken)))

    def redact(self, value: _Waiting) -> _Waiting:
        """Redact states of the conversation at level `all`, filed events at the configured level."""
        spoken = value.state.spoken
        level: Level = self._level if spoken.role == "record" else "all"
        clean = redacted_in(spoken, level, "text", "name")
        return value if clean == spoken else value._replace(state=replace(value.state, spoken=clean, tokens=spoken_tokens(clean)))

    def stranger(self, value: _Waiting, entity: Entity) -> str:
        return _stranger(value.key, entity)

    def marks(self, value: _Waiting) -> Iterator[Mark]:
        spoken, job_id = value.state.spoken, job_of_entry(value.state.entry_id)
        at = datetime.fromisoformat(spoken.at).timestamp() if spoken.at else 0.0
        for entity in value.key.entities:
            yield Mark(entity, "", (entity,), at)
        yield Mark(f"job {job_id}", job_id, (), at)

    def restore(self, values: Sequence[_Waiting]) -> Mapping[str, int | list[str]]:
        keys = dict.fromkeys(one.key for one in values)
        results = [self._buffer.restore(key, [one.state for one in values if one.key == key]) for key in keys]
        return tally(self.name, [one for some in results for one in some])


def _keys_of(entity: Entity, keys: Sequence[ArticleKey]) -> Iterator[ArticleKey]:
    return (key for key in keys if entity.spoke(key.user_id, key.group_id))


def _stranger(key: ArticleKey, entity: Entity) -> str:
    return "" if entity.spoke(key.user_id, key.group_id) else f"user:{key.user_id}"


def _key(value: Mapping[str, Any]) -> ArticleKey:
    key = ArticleKey.parse(value.get("user_id"), value.get("scope"))
    if key is None or key.scope.key != value.get("scope"):
        whose = f"user_id {value.get('user_id')!r:.80} and scope {value.get('scope')!r:.80}"
        raise InvalidInput(f"{whose} do not fit together; expected a user id with its private chat, or with a group")
    return key


def _with_speaker(state: BufferedState) -> str:
    return f"{state.spoken.name}\n{state.spoken.text}"
