"""Undoing of corrections. Blocking; raises StorageError."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ...schema.correction import Correction
from ...schema.errors import InvalidInput
from ...schema.ids import told
from ...schema.profile import ProfileKey, ProfileLine, bounded_evidence
from ...schema.scope import Scope
from .plan import rewritten

if TYPE_CHECKING:
    from ..components import Parts


def undo(parts: Parts, correction_id: object, scope: Scope | None) -> Correction:
    """Undo a correction. See `CognitiveService.undo`."""
    now, corrections = parts.clock(), parts.backend.corrections
    record = corrections.get(correction_id) if isinstance(correction_id, str) else None
    if (
        record is None
        or record.until <= now
        or (scope is not None and record.scope_key != scope.key)
    ):
        raise InvalidInput(
            f"correction_id: there is no correction {told(correction_id)} to undo here; `list_corrections` names those "
            "that can be. They are kept for `cognitive.undo_hours`, or until a person or group in them is forgotten"
        )
    correction = record.correction
    if correction.is_undone:
        raise InvalidInput(f"correction_id: {told(correction_id)} is undone already")
    parts.backend.erasure.lift(record.job_ids, record.digests)
    now_told = {one.event_id: one.text for one in parts.events.get([*record.added, *record.edited])}
    # Events that were edited after the correction are kept.
    parts.events.forget([name for name, text in now_told.items() if text == record.text])
    hidden = {one.event_id for one in correction.messages if one.job_id not in record.job_ids}
    back = [one for one in (*correction.events, *correction.messages) if one.event_id not in hidden]
    parts.events.reveal(correction.correction_id)
    parts.events.file_new(back, [None] * len(back))
    parts.events.supersede(record.links)
    written = {(key, line.line_id): line for key, line in record.new_lines}
    for key in dict.fromkeys(
        key for key, _ in (*correction.lines, *record.fewer, *record.new_lines)
    ):
        kept = (
            (one, line)
            for one, line in (*record.fewer, *correction.lines)
            if _still_told(parts, line)
        )
        before = {line.line_id: line for one, line in kept if one == key}
        extra = {line.line_id for one, line in record.new_lines if one == key} - set(before)
        rewritten(parts, key, partial(_lines_back, key, before, extra, written), "undo")
    done = replace(correction, is_undone=True)
    corrections.put(replace(record, correction=done))
    return done if scope is None else done.seen_in(scope.key)


def _still_told(parts: Parts, line: ProfileLine) -> bool:
    """Return True if a line has no evidence, or if its evidence still supports the line.

    A stored event supports the line; a stored message does so if it contains the text of the line.
    """
    found = parts.events.get(list(line.evidence))
    said = line.text.strip('“”"')
    return not line.evidence or any(
        not one.is_message or said in " ".join(one.text.split()) for one in found
    )


def _lines_back(
    key: ProfileKey,
    before: Mapping[str, ProfileLine],
    extra: Collection[str],
    written: Mapping[tuple[ProfileKey, str], ProfileLine],
    old: Sequence[ProfileLine],
) -> tuple[ProfileLine, ...]:
    """Return the lines of a profile with the lines restored that a correction removed or changed.

    Lines that were changed after the correction are left unchanged.
    """
    lines: list[ProfileLine] = []
    for line in old:
        former, was = before.get(line.line_id), written.get((key, line.line_id))
        if line.line_id in extra and line == was:
            continue
        if former is not None and was is not None and line.text == was.text:
            new = [one for one in line.evidence if one not in was.evidence]
            line = replace(former, evidence=bounded_evidence((*former.evidence, *new)))
        lines.append(line)
    known = {line.line_id for line in lines}
    return (*lines, *(line for line in before.values() if line.line_id not in known))
