"""Run a worker over a data directory until nothing is left."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from historian.schema.settings import Settings
from historian.service.components import Parts, open_parts
from historian.service.intake import make_job
from historian.service.jobs.step_stream import JobWatch
from historian.service.jobs.worker import HistorianWorker
from historian.service.running.ownership import owned_worker


@asynccontextmanager
async def open_worker(
    settings: Settings,
    *,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], Awaitable[None]] | None = None,
    watch: JobWatch | None = None,
) -> AsyncIterator[tuple[Parts, HistorianWorker]]:
    """The parts and an owning worker that is not started."""
    more: dict[str, Any] = {} if sleep is None else {"sleep": sleep}
    parts = open_parts(settings, clock=clock)
    try:
        with owned_worker(parts, watch=watch, **more) as worker:
            yield parts, worker
    finally:
        await parts.aclose()


def put(parts: Parts, fields: dict[str, Any]) -> str:
    """Accept a job as the service would, without one."""
    return parts.queue.put(make_job(fields, parts.settings, parts.clock))


def nothing_left(parts: Parts) -> bool:
    """Return True if every accepted job is filed or given up."""
    counts = parts.queue.counts(parts.clock())
    return counts.pending + counts.processing == 0
