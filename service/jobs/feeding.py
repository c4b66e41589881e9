"""Follow-up work of a filed job: its events are added to the state buffer, and a job of kind
`profile` is queued that merges new facts into profiles.

Thus events, summaries, articles and profiles are made from the same jobs.
"""

from __future__ import annotations

import asyncio

from ...schema.graph_states.historian import HistorianPart, HistorianState
from ...schema.ids import digest_of
from ...schema.job import Job
from ...schema.payloads import ProfilePayload
from ...schema.protocols import JobQueue
from ...schema.summary import ArticleKey, Spoken, summaries_waiting
from ...stores.historian_context import HistorianContext
from ...text.facts.learnt import former_in, learnt_in, people_of

_KEPT = {
    "timestamp",
    "timezone",
    "request_type",
    "user_id",
    "group_id",
    "bot_id",
    "user_name",
    "group_name",
    "bot_name",
}

MOST_WAITING = 256
"""Maximum number of waiting jobs of a conversation whose facts are counted."""


async def feed(job: Job, context: HistorianContext, queue: JobQueue) -> None:
    """Add the absolute events of a filed job to the state buffer. If the buffer exceeds its token
    threshold, queue a job of kind `states`.

    Idempotent: the buffer knows the jobs that it took, and the queue knows the id of the queued
    job.
    """
    if not context.settings.cognitive.shortterm.feed_from_jobs:
        return
    key = ArticleKey(job.user_id, job.group_id)
    event_ids = [f"{job.job_id}:{n}" for n in range(1 + len(job.new_info))]
    events = await asyncio.to_thread(context.events.get, event_ids)
    records = [
        (event.event_id, Spoken("record", event.text, "", event.timestamp_local))
        for event in events
        if event.is_absolute
    ]
    buffered = context.article_stores.buffer
    if records:
        await asyncio.to_thread(
            buffered.add, key, job.job_id, records, entities=job.entities, at=job.moment.timestamp()
        )
    said, recorded = await asyncio.to_thread(buffered.fill, key)
    limits = context.settings.cognitive.shortterm
    if (
        summaries_waiting(
            said, recorded, limits.summary_token_threshold, limits.record_token_threshold
        )
        >= 1
    ):
        await asyncio.to_thread(queue.put, following_job(job))


async def merge_later(state: HistorianState, context: HistorianContext, queue: JobQueue) -> None:
    """Queue a job of kind `profile` for each person with new facts in a finished run.

    The job waits for further facts of its conversation; it is due at once if enough facts wait.
    Idempotent: the id of the job is derived from the id of the person's last job.
    """
    limits = context.settings.cognitive.profile
    due = context.clock() + limits.merge_after_seconds
    jobs = [one for part in people_of(state) if (one := _merging_job(part, due)) is not None]
    if not jobs:
        return
    waiting = await asyncio.to_thread(queue.waiting, jobs[0].scope.key, MOST_WAITING)
    known = {one.job_id: one for one in (*waiting, *jobs) if one.kind == "profile"}
    if sum(len(one.payload["facts"]) for one in known.values()) >= limits.merge_after_facts:
        jobs = [one.model_copy(update={"not_before": 0.0}) for one in jobs]
    await asyncio.to_thread(queue.put_all, jobs)


def _merging_job(part: HistorianPart, due: float) -> Job | None:
    job, learnt = Job.model_validate(part["job"]), learnt_in(part)
    if not learnt or part.get("filed") == "forgotten":
        return None
    senders = {(one.sender_id, one.sender_name): one for one in job.recent_messages}
    return Job(
        kind="profile",
        request_id=job.scope.request_id(f"profile-{digest_of(job.job_id)}"),
        recent_messages=[one.model_copy(update={"text": ""}) for one in senders.values()],
        payload=ProfilePayload(facts=learnt, former=former_in(part)).model_dump(),
        not_before=due,
        **job.model_dump(include=_KEPT),
    )


def following_job(job: Job) -> Job:
    """Return the job that summarises the buffer filled by `job`. Its id is derived from the id of
    `job`."""
    return Job(
        kind="states",
        request_id=job.scope.request_id(f"states-{digest_of(job.job_id)}"),
        payload={"states": []},
        **job.model_dump(include=_KEPT),
    )
