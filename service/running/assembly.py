"""Assembly of a worker from the parts of a data directory. Imports everything a worker needs, including LangGraph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...schema.protocols import Ownership, VectorIndex
from ..components import Parts
from ..entity_data.forgetting import Forgetting
from ..entity_data.migration import Migration
from ..jobs.commands import CommandRunner
from ..jobs.worker import HistorianWorker
from ..upkeep.idle_work import Maintenance
from ..upkeep.notes_index import NotesIndex, embedded_later


def make_worker(
    parts: Parts,
    index: VectorIndex | None,
    ownership: Ownership,
    *,
    random: Callable[[], float],
    **options: Any,
) -> HistorianWorker:
    """Return a worker over `parts`; the options, `sleep` and `watch`, are those of `HistorianWorker`."""
    cognitive = parts.settings.cognitive
    notes = NotesIndex(parts.backend.manifest, parts.settings, embedded_later, parts.clock)
    forgetting = Forgetting(parts, index)
    migration = Migration(parts, parts.settings, rewrite=cognitive.migrate_rewrite) if cognitive.migrate_from else None
    return HistorianWorker(
        parts,
        ownership=ownership,
        maintenance=Maintenance(
            parts, index, random=random, notes=notes, migration=migration, index_waits=lambda: forgetting.index_waits
        ),
        commands=CommandRunner(parts, notes),
        forgetting=forgetting,
        random=random,
        **options,
    )
