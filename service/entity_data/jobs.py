"""Waiting and failed jobs of an entity, commands that name the entity, and messages of the entity
in jobs of others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.job import Job, parse_job
from ...schema.payloads import StatesPayload
from ...schema.validation import validated
from ..intake import HANDED_OVER, check_untried, redacted
from .kinds import ALL, Lines, Provenance, Record, Traces, names_in


class JobRecords(Lines[Job]):
    """The jobs of the queue. Forgetting first returns jobs claimed by killed workers to the
    queue."""

    kind = name = "jobs"
    path = "jobs.jsonl"

    def records(self, traces: Traces | None) -> Iterator[Record]:
        jobs = {job.job_id: job for job in self._waiting()}
        if traces is None:  # read last, so that a job claimed meanwhile is not missed
            jobs |= {job.job_id: job for job in self.parts.queue.jobs("processing", ALL)}
        for job in jobs.values():
            texts = tuple(_texts(job))
            if traces is None:
                told = tuple(map(_with_speaker, _states(job))) if job.kind == "states" else texts
                recent = job.recent_messages
                senders = tuple((f"user:{one.sender_id}", one.sender_name) for one in recent)
                yield Record(
                    job.job_id,
                    texts,
                    told=told,
                    scope=job.scope.key,
                    borne=(*names_in(job), *senders),
                )
            elif _concerns(job, traces):
                names = [job.user_name if traces.entity.type == "user" else job.group_name]
                if traces.entity.type == "user" and not job.group_id:  # a group has other speakers
                    names += [
                        str(state.get("name", ""))
                        for state in _states(job)
                        if state.get("role") == "user"
                    ]
                moment = (job.scope.key, job.moment.timestamp())
                yield Record(
                    job.job_id, texts, tuple(names), job_ids=(job.job_id,), moments=(moment,)
                )
            elif traces.entity.type == "user":
                said = tuple(
                    one.text for one in job.recent_messages if one.sender_id == traces.entity.id
                )
                if said:
                    yield Record(job.job_id, said)

    def erase(self, traces: Traces) -> int:
        self.backend.erasure.bury_jobs(
            [job.job_id for job in self._waiting() if _concerns(job, traces)]
        )
        amended = self.parts.queue.amend(
            lambda job: None if _concerns(job, traces) else _without_messages(job, traces.entity)
        )
        marks = [
            f'"{traces.entity.id}"'.encode(),
            *(text.encode() for text in traces.texts if len(text.encode()) > 8),
        ]
        return amended + self.parts.queue.discard_unreadable(
            lambda content: any(mark in content for mark in marks)
        )

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        waiting = (job for job in self._waiting() if job.job_id in unwanted)
        left = {job.job_id: _without(job, unwanted[job.job_id]) for job in waiting}
        self.backend.erasure.bury_jobs([job_id for job_id, job in left.items() if job is None])
        self.parts.queue.amend(lambda job: left.get(job.job_id, job))

    def values(self, entity: Entity) -> Iterator[Job]:
        jobs = {
            job.job_id: job for job in (*self.parts.queue.jobs("processing", ALL), *self._waiting())
        }
        return (job for job in jobs.values() if job.kind in HANDED_OVER and entity.owns(job))

    def as_data(self, value: Job) -> Mapping[str, Any]:
        return value.model_copy(
            update={"attempts": 0, "not_before": 0.0, "last_error": ""}
        ).model_dump()

    def parse(self, data: dict[str, Any]) -> Job:
        job = parse_job(data)
        if job.kind not in HANDED_OVER:
            raise InvalidInput(f"kind {job.kind!r}: commands are not imported from an archive")
        check_untried(job)
        if job.kind == "states":
            validated(StatesPayload, job.payload, within="payload")
        return job

    def redact(self, value: Job) -> Job:
        return redacted(value, self.level)

    def said(self, value: Job) -> Provenance:
        return Provenance(
            sorted(value.entities, reverse=True), value.job_id, value.moment.timestamp()
        )

    def restore(self, values: Sequence[Job]) -> Mapping[str, int | list[str]]:
        known = self.parts.queue.known_ids()
        # The worker would drop a job of a forgotten entity. Events that were filed from the job are
        # imported as events.
        new = [
            job
            for job in values
            if job.job_id not in known
            and not self.backend.ledger.has("job", job.job_id)
            and not self.parts.events.is_forgotten(job.job_id, job.entities, job.moment.timestamp())
        ]
        for job in new:
            self.parts.queue.put(job)
        return {"jobs": len(new)}

    def _waiting(self) -> list[Job]:
        failed = [one.job for one in self.parts.queue.failed() if one.job is not None]
        return [*self.parts.queue.jobs("pending", ALL), *failed]


def _concerns(job: Job, traces: Traces) -> bool:
    if job.kind in HANDED_OVER:
        return traces.entity.owns(job)
    payload = job.payload
    if job.kind == "rollback_article":
        return traces.entity.spoke(
            str(payload.get("user_id", "")), str(payload.get("group_id", ""))
        )
    if job.kind == "reprocess":
        return payload.get("scope_key") == traces.entity.scope.key
    named = (payload.get("entity_type"), str(payload.get("entity_id")))
    event_id = str(payload.get("event_id", ""))
    return (
        named == (traces.entity.type, traces.entity.id)
        or event_id.rpartition(":")[0] in traces.job_ids
    )


def _texts(job: Job) -> list[str]:
    said = [str(state.get("text", "")) for state in _states(job)]
    recent = (one.text for one in job.recent_messages)
    return [
        text
        for text in (
            *said,
            job.action_summary,
            *job.new_info,
            *recent,
            str(job.payload.get("text", "")),
        )
        if text
    ]


def _states(job: Job) -> list[dict[str, Any]]:
    """Return the states in the payload of a job of kind `states`."""
    given = job.payload.get("states") if job.kind == "states" else None
    return [state for state in given if isinstance(state, dict)] if isinstance(given, list) else []


def _with_speaker(state: Mapping[str, Any]) -> str:
    return f"{state.get('name', '')}\n{state.get('text', '')}"


def _without(job: Job, unwanted: Collection[str]) -> Job | None:
    """Return a job without the unwanted texts; None if nothing is left to do.

    For a job of kind `states`, `unwanted` holds speaker and text of each state (`_with_speaker`).
    """
    if job.kind == "states":
        left = [state for state in _states(job) if _with_speaker(state) not in unwanted]
        return job.model_copy(update={"payload": {**job.payload, "states": left}})
    kept = {
        "action_summary": "" if job.action_summary in unwanted else job.action_summary,
        "new_info": [text for text in job.new_info if text not in unwanted],
        "recent_messages": [one for one in job.recent_messages if one.text not in unwanted],
    }
    amended = job.model_copy(update=kept)
    return None if amended.is_empty or str(job.payload.get("text", "")) in unwanted else amended


def _without_messages(job: Job, entity: Entity) -> Job:
    """Return a job of another user without the recent messages of the forgotten user."""
    if entity.type == "group" or all(one.sender_id != entity.id for one in job.recent_messages):
        return job
    return job.model_copy(
        update={
            "recent_messages": [one for one in job.recent_messages if one.sender_id != entity.id]
        }
    )
