"""embed: file the events, once, with their vectors; then tell the derived index."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from langgraph.runtime import Runtime

from ...schema.errors import FingerprintMismatch, ModelError, StorageError
from ...schema.event import Event
from ...schema.job import Job
from ...schema.protocols import Vector
from ...schema.states import HistorianContext, HistorianState, HistorianUpdate, ItemState
from ...stores.chroma.repair import event_metadata
from .conversation import job_of

log = logging.getLogger(__name__)


async def embed(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """One transaction for all events of the job. Without an embedder, or while it is down, they are filed all the same."""
    context = runtime.context
    job = job_of(state)
    events = events_of(job, state["items"])
    if await asyncio.to_thread(context.events.is_filed, job.job_id):
        return {"filed": "before", "event_ids": [event.event_id for event in events]}
    vectors = await vectors_for([event.text for event in events], context)
    try:
        new = await asyncio.to_thread(context.events.file_job, job.job_id, events, vectors)
    except FingerprintMismatch as error:
        log.warning("job %s is filed without vectors: %s", job.job_id, error)
        vectors = [None] * len(events)
        new = await asyncio.to_thread(context.events.file_job, job.job_id, events, vectors)
    if not new and not await asyncio.to_thread(context.events.is_filed, job.job_id):
        return {"filed": "forgotten", "event_ids": []}
    await index_events(events, vectors, context)
    return {"filed": "new" if new else "before", "event_ids": [event.event_id for event in events]}


def events_of(job: Job, items: Sequence[ItemState]) -> list[Event]:
    """The events of a job. Their ids follow from the job, so that a second run makes the same ones."""
    return [
        Event.of_job(
            job,
            n,
            item["kind"],
            item["candidate"],
            is_absolute=item["passed"],
            gate_reasons=() if item["passed"] else tuple(dict.fromkeys(reason["why"] for reason in item["violations"])),
            rewritten_by=item["rewritten_by"],
        )
        for n, item in enumerate(items)
    ]


async def vectors_for(texts: Sequence[str], context: HistorianContext) -> list[Vector | None]:
    """One vector a text, or None for all where there is no embedder, it fails, or its model is not the stored one."""
    if context.embedder is None:
        return [None] * len(texts)
    try:
        matrix = await context.embedder.embed_documents(texts)
        await asyncio.to_thread(context.events.set_fingerprint, context.embedder.model, int(matrix.shape[1]))
    except (ModelError, FingerprintMismatch) as error:
        log.warning("events are filed without vectors for now: %s", error)
        return [None] * len(texts)
    return list(matrix)


async def index_events(events: Sequence[Event], vectors: Sequence[Vector | None], context: HistorianContext) -> None:
    """Put what has a vector into the derived index. A failure is repaired from the truth when the worker is idle."""
    pairs = [(event, vector) for event, vector in zip(events, vectors, strict=True) if vector is not None]
    index = context.event_index
    if index is None or not pairs:
        return
    ids = [event.event_id for event, _ in pairs]
    metadatas = [event_metadata(event) for event, _ in pairs]
    try:
        await asyncio.to_thread(index.upsert, ids, [vector for _, vector in pairs], metadatas)
        await asyncio.to_thread(context.events.mark_indexed, ids, [])
    except StorageError as error:
        log.warning("the vector index misses %d events until it is repaired: %s", len(ids), error)
