"""embed: file the events of a job once, with their vectors."""

from __future__ import annotations

import asyncio
import logging

from langgraph.runtime import Runtime

from ...models.embeddings.recorded import vectors_for
from ...schema.errors import FingerprintMismatch
from ...schema.graph_states.historian import HistorianState, HistorianUpdate, events_of
from ...schema.job import Job
from ...stores.historian_context import HistorianContext
from ...text.speakers.borne_names import with_people

log = logging.getLogger(__name__)


async def embed(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """File all events of the job in one transaction.

    Without an embedder, or while it is unavailable, they are filed without vectors.
    """
    store = runtime.context.events
    job = Job.model_validate(state["job"])
    items = state.get("items", [])
    if job.kind == "talk":  # checkpoints of older versions may hold items without source messages
        items = [item for item in items if "sources" in item]
    events = await asyncio.to_thread(with_people, job, events_of(job, items))
    ids = [event.event_id for event in events]
    if await asyncio.to_thread(store.is_filed, job.job_id):
        return {"filed": "before", "event_ids": ids, "items": items}
    vectors = await vectors_for([event.text for event in events], runtime.context.embedder, store)
    try:
        new = await asyncio.to_thread(store.file_job, job.job_id, events, vectors)
    except FingerprintMismatch as error:
        log.warning("job %s is filed without vectors: %s", job.job_id, error)
        new = await asyncio.to_thread(store.file_job, job.job_id, events, [None] * len(events))
    if not new and not await asyncio.to_thread(store.is_filed, job.job_id):
        return {"filed": "forgotten", "event_ids": []}
    for event in events:
        if not event.is_absolute:
            reasons = "; ".join(event.gate_reasons)
            log.debug(
                "event %s of job %s is filed as not absolute: %s",
                event.event_id,
                job.job_id,
                reasons,
            )
    return {"filed": "new" if new else "before", "event_ids": ids, "items": items}
