"""extract: choose what of the messages of a conversation is worth remembering, and keep the messages themselves."""

from __future__ import annotations

import asyncio
import logging

from langgraph.runtime import Runtime

from ...prompts.asking import asked
from ...prompts.extracting import Extracted, Told, believed, extract_prompt
from ...prompts.templates import owner_words, render
from ...schema.graph_states.historian import HistorianContext, HistorianPart, HistorianState, HistorianUpdate
from ...schema.job import Job
from ...text.job_drafts import language_among, names_of
from ...text.messages import message_events
from ...text.talk_jobs import said_by_people, told_apart, with_statements

log = logging.getLogger(__name__)

ANSWERS = 2
"""Answers that a model is asked for: what the first one says that no message does is sent back once."""


async def extract(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """File the messages; return one part a message, its job with the statements that a model finds in it."""
    context = runtime.context
    jobs = [Job.model_validate(one) for one in (state.get("talk") or [state["job"]])]
    limit = context.settings.cognitive.observation.chunk_max_tokens
    messages = [message_events(job, limit) for job in jobs]
    await asyncio.to_thread(context.events.file_messages, messages)
    words = {one.event_id: one.text for parts in messages for one in parts}
    stored = {one.event_id: one.text for one in await asyncio.to_thread(context.events.get, list(words))}
    # What was withdrawn or edited meanwhile tells nothing any more.
    current = [bool(parts) and all(stored.get(one.event_id) == one.text for one in parts) for parts in messages]
    latest = {parts[0].job_id: n for n, parts in enumerate(messages) if parts}
    current = [stands and latest[messages[n][0].job_id] == n for n, stands in enumerate(current)]
    jobs = told_apart(jobs)
    said = [job for job, stands in zip(jobs, current, strict=True) if stands]
    found: dict[str, list[str]] = {}
    if any(map(said_by_people, said)) and context.asks_a_model:
        taken = await _asked(said, context)
        found = {} if taken is None else dict(zip((job.job_id for job in said), taken, strict=True))
    told = [found.get(job.job_id, []) if said_by_people(job) else [] for job in jobs]
    each = zip(jobs, told, current, strict=True)
    given = [with_statements(job, mine, said if stands else [job]) for job, mine, stands in each]
    return {"parts": [HistorianPart(job=job.model_dump()) for job in given]}


async def _asked(jobs: list[Job], context: HistorianContext) -> list[list[str]] | None:
    """Return the statements of each message; None if the model gave none that can be used."""
    assert context.chat is not None
    names = [names_of(job, context.settings) for job in jobs]
    language = language_among([str(job.payload.get("text", "")) for job in jobs], context.settings)
    refused: list[tuple[Told, str]] = []
    kept: list[list[str]] = [[] for _ in jobs]
    for _ in range(ANSWERS):
        answer = await asked(
            context.chat,
            Extracted,
            f"job {jobs[0].job_id}: the model took no usable statements; the messages stand alone",
            purpose="extract",
            system=render("extract_system", language, owner=owner_words(context.settings.cognitive, language)),
            user=extract_prompt(jobs, names[-1], language, refused),
        )
        if answer is None:
            return None
        again, refused = await asyncio.to_thread(believed, answer, jobs, names, language)
        context.judged("extract", taken=sum(map(len, again)), refused=len(refused))
        kept = [list(dict.fromkeys([*one, *more])) for one, more in zip(kept, again, strict=True)]
        if not refused:
            break
    if refused:
        log.info("job %s: %d statements are left out that no message says", jobs[0].job_id, len(refused))
    return kept
