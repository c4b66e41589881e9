"""Records of corrections, which `undo` reads, as `EntityData`. They are in no archive."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ...schema.correction import CorrectionRecord
from ...schema.entity import Entity
from ...schema.protocols.entity_data import Record, Traces
from ..components import Parts
from .members import Member


class CorrectionData:
    """The `EntityData` of what corrections took out."""

    kind = "corrections"
    members: Sequence[Member[Any]] = ()

    def __init__(self, parts: Parts) -> None:
        self._corrections = parts.backend.corrections

    def records(self, traces: Traces | None) -> Iterator[Record]:
        for record in self._corrections.all():
            if traces is None or traces.entity.key in record.entities:
                texts = tuple(_texts(record, None if traces is None else traces.entity))
                yield Record(record.correction.correction_id, texts, scope=record.scope_key)

    def erase(self, traces: Traces) -> int:
        return self._corrections.erase(traces.entity)

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        self._corrections.remove(list(unwanted))


def _texts(record: CorrectionRecord, entity: Entity | None) -> Iterator[str]:
    """Yield the texts of a record; of an entity, those of its profiles and events."""
    correction = record.correction
    for key, line in (*correction.lines, *record.fewer, *record.new_lines):
        if entity is None or key.entity == entity.key:
            yield line.text
    for event in (*correction.events, *correction.messages):
        if entity is None or entity.key in event.entities:
            yield event.text
            if event.handed_over:
                yield event.handed_over
