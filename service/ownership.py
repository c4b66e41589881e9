"""One process owns a data directory and works on it; the others wait to take over when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from ..schema.job import Job
from ..schema.states import HistorianUpdate
from ..stores.chroma.index import ChromaIndex
from ..stores.files.end_summaries import EndSummaries
from ..stores.files.owner_lock import OwnerLock
from .components import Parts, open_vector_index

if TYPE_CHECKING:
    from .jobs.worker import HistorianWorker

TAKE_OVER_SECONDS = 2.0
"""How often a process that does not own the data directory looks whether it may."""


def import_worker() -> None:
    """Import what a worker needs, LangGraph among it: a second or two, once a process. Blocking."""
    for module in (
        "entity_data.forgetting",
        "entity_data.migration",
        "jobs.commands",
        "jobs.worker",
        "upkeep.idle_work",
        "upkeep.notes_index",
    ):
        import_module(f".{module}", __package__)


@contextmanager
def owned_worker(
    parts: Parts,
    *,
    random: Callable[[], float],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    on_step: Callable[[Job, str, HistorianUpdate], None] | None = None,
) -> Iterator[HistorianWorker]:
    """The worker of a data directory, under its owner lock. Blocking to enter; raises OwnerLockHeld where it is taken."""
    lock = OwnerLock(parts.directory)
    lock.acquire(parts.clock())
    with lock:
        index = open_vector_index(parts.directory)
        try:
            yield make_worker(parts, index, random=random, sleep=sleep, on_step=on_step)
        finally:
            index.close()


def make_worker(
    parts: Parts,
    index: ChromaIndex,
    *,
    random: Callable[[], float],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    on_step: Callable[[Job, str, HistorianUpdate], None] | None = None,
) -> HistorianWorker:
    """A worker put together from parts. What it needs (LangGraph) is imported here, so that who needs none does not wait."""
    from .entity_data.forgetting import Forgetting
    from .entity_data.migration import Migration
    from .jobs.commands import CommandRunner
    from .jobs.worker import HistorianWorker
    from .upkeep.idle_work import Maintenance
    from .upkeep.notes_index import NotesIndex, embedded_later

    context, cognitive = parts.context(index), parts.settings.cognitive
    notes = NotesIndex(parts.manifest, parts.settings, embedded_later, parts.clock)
    return HistorianWorker(
        queue=parts.queue,
        context=context,
        reflection=parts.reflection_context(),
        ledger=parts.ledger,
        checkpoints=parts.directory / "checkpoints.sqlite",
        maintenance=Maintenance(
            context,
            parts.queue,
            EndSummaries(parts.directory / "end_summaries.json"),
            random=random,
            notes=notes,
            layers=parts.layers,
            migration=Migration(parts, parts.settings, rewrite=cognitive.migrate_rewrite) if cognitive.migrate_from else None,
        ),
        commands=CommandRunner(context, notes, parts.layers.articles),
        forgetting=Forgetting(parts, drop_index=index.drop),
        random=random,
        sleep=sleep,
        on_step=on_step,
    )
