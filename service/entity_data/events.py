"""Events in forgetting, export and import, and the validation of imported events."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter

from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.event import (
    EVENT_SCHEMA_VERSION,
    MESSAGE,
    SOURCES,
    Event,
    EventFilter,
    Revision,
    is_raw,
)
from ...schema.labels import clean_metadata, clean_tags
from ...schema.summary import Restored
from ...schema.times import check_expiry, check_timezone
from ...stores.tables.event_transfer import Carried
from ...text.redaction import redact_value
from .kinds import Lines, Record, names_in, redact_time, redacted_in

_EVENT = TypeAdapter(Event)
_ROLES = ("user", "assistant", "tool")
_DAY = r"\d{4}-\d\d-\d\d(?: \d\d:\d\d)?"
_TIME = re.compile(rf"(\d{{1,9}}):{_DAY}(?:/{_DAY})?")
_PERSON = re.compile(r"(\d{1,9}):(\d{1,9}):\S.*")
_EXAMPLES = {"times": "17:2026-12-04 (end:day)", "people": "0:3:42 (start:end:id)"}
_REVISIONS = TypeAdapter(tuple[Revision, ...])


class EventRecords(Lines[Carried]):
    """Events. Forgetting erases them itself, some at a time, with their search words, their vectors
    (of all models) and the ledger entries of their jobs."""

    kind = name = "events"
    path = "events.jsonl"
    redacted = "text handed_over user_name bot_name group_name gate_reasons tags"

    def stored(self, entity: Entity | None) -> Iterator[Carried]:
        return self.backend.transfer.take(EventFilter(None) if entity is None else entity.where)

    def record(self, value: Carried) -> Record:
        event = value.event
        named = ((f"user:{one.user_id}", event.text[one.start : one.end]) for one in event.named)
        return Record(
            event.event_id,
            event.entities,
            (event.text, event.handed_over, *(one.text for one in value.revisions)),
            event.scope.key,
            event.timestamp,
            event.job_id,
            borne=names_in(event),
            named=tuple(named),
            is_event=True,
        )

    def as_data(self, value: Carried) -> Mapping[str, Any]:
        revisions = [asdict(one) for one in value.revisions]
        return {**asdict(value.event), "filed": value.filed, "revisions": revisions}

    def parse(self, data: dict[str, Any]) -> Carried:
        filed = data.pop("filed", False) is True
        revisions = _REVISIONS.validate_python(data.pop("revisions", ()))
        event = _EVENT.validate_python(data)
        event = replace(
            event,
            tags=clean_tags(event.tags),
            metadata=clean_metadata(event.metadata),
            expires_at=check_expiry(event.expires_at, event.timezone),
        )
        check_timezone(event.timezone)
        json.dumps(asdict(event), ensure_ascii=False).encode()
        if not math.isfinite(event.timestamp):
            raise InvalidInput("timestamp: expected a finite number of seconds")
        if not event.event_id or not event.job_id or not event.text or not event.scope.key:
            raise InvalidInput("event_id, job_id, text and its conversation must not be empty")
        if event.source not in SOURCES:
            raise InvalidInput(f"source: expected one of {', '.join(sorted(SOURCES))}")
        if event.schema_version > EVENT_SCHEMA_VERSION:
            raise InvalidInput(
                f"schema_version {event.schema_version} is newer than {EVENT_SCHEMA_VERSION}; upgrade"
            )
        _check_message(event)
        return Carried(event, filed, revisions)

    def redact(self, value: Carried) -> Carried:
        event, level = value.event, "all" if is_raw(value.event) else self.level
        clean = redacted_in(event, level, self.redacted)
        times, people = _spans_in(event, clean.text)
        clean = replace(
            clean,
            times=times,
            people=people,
            metadata=cast("dict[str, Any]", redact_value(event.metadata, level)),
            timestamp_local=_local_time(event),
        )
        former = [redacted_in(one, level, "text") for one in value.revisions]
        former = [replace(one, replaced_at=redact_time(one.replaced_at)) for one in former]
        return value._replace(event=clean, revisions=tuple(former))

    def restore(self, values: Sequence[Carried]) -> Sequence[Restored]:
        return self.backend.transfer.bring(values)


def _check_message(event: Event) -> None:
    """Raise InvalidInput if the role of a message, or a span of the text, is malformed."""
    if event.role not in _ROLES and (event.role or event.kind == MESSAGE):
        given = "" if event.role else "missing; "
        raise InvalidInput(f"role: {given}expected one of {', '.join(_ROLES)} for a message")
    for name, form in (("times", _TIME), ("people", _PERSON)):
        for one in getattr(event, name):
            found = form.fullmatch(one)
            ends = [int(number) for number in found.groups() if number] if found else []
            if not ends or ends != sorted(ends) or ends[-1] > len(event.text):
                raise InvalidInput(f"{name}: expected positions in the text, as {_EXAMPLES[name]}")


def _spans_in(event: Event, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return `times` and `people` of an event with positions in its redacted text. Spans in a part
    that the redaction changed are left out."""
    before = event.text
    if before == text:
        return event.times, event.people
    same = _common(before, text)
    behind = _common(before[same:][::-1], text[same:][::-1])

    def moved(span: str, numbers: int) -> str:
        *places, rest = span.split(":", numbers)
        ends = [int(one) for one in places]
        if ends[-1] > same:
            if ends[0] < len(before) - behind:
                return ""
            ends = [one + len(text) - len(before) for one in ends]
        return ":".join([*map(str, ends), rest])

    times, people = (moved(one, 1) for one in event.times), (moved(one, 2) for one in event.people)
    return tuple(filter(None, times)), tuple(filter(None, people))


def _common(one: str, other: str) -> int:
    """Return the length of the common beginning of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _local_time(event: Event) -> str:
    """Return `timestamp_local` if it is an ISO 8601 time, else `timestamp` in the event's time
    zone."""
    given = redact_time(event.timestamp_local)
    return given or datetime.fromtimestamp(event.timestamp, ZoneInfo(event.timezone)).isoformat()
