"""Feed the events of a filed job into the state buffer, so that events, summaries and articles come from the same jobs."""

from __future__ import annotations

import asyncio

from ...schema.article import Spoken
from ...schema.graph_states.reflection import ReflectionContext
from ...schema.ids import digest_of
from ...schema.job import Job
from ...schema.protocols import JobQueue
from ...schema.summary import ArticleKey, summaries_waiting

_KEPT = {"timestamp", "timezone", "request_type", "user_id", "group_id", "bot_id", "user_name", "group_name", "bot_name"}


async def feed(job: Job, context: ReflectionContext, queue: JobQueue) -> None:
    """Buffer the absolute events of a job that was filed; past the threshold, put a job of kind `states` in line.

    Idempotent: the buffer knows whose states it took, and the queue knows the id of the following job.
    """
    if not context.settings.cognitive.shortterm.feed_from_jobs:
        return
    key = ArticleKey(job.user_id, job.group_id)
    event_ids = [f"{job.job_id}:{n}" for n in range(1 + len(job.new_info))]
    events = await asyncio.to_thread(context.events.get, event_ids)
    records = [(event.event_id, Spoken("record", event.text, "", event.timestamp_local)) for event in events if event.is_absolute]
    buffered = context.article_stores.buffer
    if records:
        await asyncio.to_thread(buffered.add, key, job.job_id, records, entities=job.entities, at=job.moment.timestamp())
    said, recorded = await asyncio.to_thread(buffered.fill, key)
    limits = context.settings.cognitive.shortterm
    if summaries_waiting(said, recorded, limits.summary_token_threshold, limits.record_token_threshold) >= 1:
        await asyncio.to_thread(queue.put, following_job(job))


def following_job(job: Job) -> Job:
    """Return the job that summarises the buffer which `job` filled. Its id is derived from that of `job`."""
    return Job(
        kind="states",
        request_id=job.scope.request_id(f"states-{digest_of(job.job_id)}"),
        payload={"states": []},
        **job.model_dump(include=_KEPT),
    )
