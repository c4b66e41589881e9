"""Waiting and failed jobs of an entity, commands that name the entity, and messages of the entity
in jobs of others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.job import Job, RecentMessage, parse_job
from ...schema.payloads import StatesPayload
from ...schema.scope import scope_of_key
from ...schema.summary import Restored
from ...schema.validation import validated
from ..intake import HANDED_OVER, check_untried, redacted
from .kinds import ALL, Lines, Record, Traces, names_in


class JobRecords(Lines[Job]):
    """The jobs of the queue. Forgetting first returns jobs claimed by killed workers to the
    queue."""

    kind = name = "jobs"
    path = "jobs.jsonl"
    is_compared = False

    def stored(self, entity: Entity | None) -> Iterator[Job]:
        queue = self.parts.queue
        failed = (one.job for one in queue.failed() if one.job is not None)
        jobs = {job.job_id: job for job in (*queue.jobs("pending", ALL), *failed)}
        # Read last, so that a job claimed meanwhile is not missed.
        jobs |= {job.job_id: job for job in queue.jobs("processing", ALL)}
        return iter(jobs.values())

    def record(self, value: Job) -> Record:
        states, texts = _states(value), tuple(_texts(value))
        senders = ((f"user:{one.sender_id}", one.sender_name) for one in value.recent_messages)
        is_private = not value.group_id  # a group has other speakers
        partner = (str(one.get("name") or "") for one in states if one.get("role") == "user")
        named = [(f"user:{value.user_id}", name) for name in partner if is_private]
        is_command = value.kind not in HANDED_OVER
        event_id = str(value.payload.get("event_id", "")) if is_command else ""
        return Record(
            value.job_id,
            _named_by(value.payload) if is_command else sorted(value.entities, reverse=True),
            texts,
            value.scope.key,
            value.moment.timestamp(),
            "" if is_command else value.job_id,
            rests_on=event_id.rpartition(":")[0],
            lines=tuple(map(_with_speaker, states)) if value.kind == "states" else texts,
            borne=(*names_in(value), *senders, *named),
        )

    def values(self, entity: Entity) -> Iterator[Job]:
        return (job for job in super().values(entity) if job.kind in HANDED_OVER)

    def records(self, traces: Traces | None = None) -> Iterator[Record]:
        for job in self.stored(None):
            record = self.record(job)
            if traces is None or self.is_of(record, traces):
                yield record
            elif traces.entity.type == "user" and (said := _messages_of(job, traces.entity.id)):
                yield record._replace(texts=tuple(one.text for one in said), job_id="")

    def erase(self, traces: Traces) -> int:
        def amended(job: Job) -> Job | None:
            if self.is_of(self.record(job), traces):
                return None
            said = _messages_of(job, traces.entity.id) if traces.entity.type == "user" else []
            left = [one for one in job.recent_messages if one not in said]
            return job.model_copy(update={"recent_messages": left}) if said else job

        marks = [f'"{traces.entity.id}"'.encode()]
        marks += [text.encode() for text in traces.texts if len(text.encode()) > 8]
        return self._amend(amended) + self.parts.queue.discard_unreadable(
            lambda content: any(mark in content for mark in marks)
        )

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        self._amend(lambda job: _without(job, unwanted.get(job.job_id, ())))

    def _amend(self, change: Callable[[Job], Job | None]) -> int:
        """Change the stored jobs, and mark those that are removed as forgotten."""
        gone = [job.job_id for job in self.stored(None) if change(job) is None]
        self.backend.erasure.bury_jobs(gone)
        return self.parts.queue.amend(change)

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

    def restore(self, values: Sequence[Job]) -> Sequence[Restored]:
        queue, is_forgotten = self.parts.queue, self.parts.events.is_forgotten
        known, results = queue.known_ids(), list[Restored]()
        for job in values:
            if job.job_id in known or self.backend.ledger.has("job", job.job_id):
                results.append("same")
            # The worker would drop a job of a forgotten entity. Events that were filed from the job
            # are imported as events.
            elif not is_forgotten(job.job_id, job.entities, job.moment.timestamp()):
                queue.put(job)
                results.append("restored")
        return results


def _named_by(payload: Mapping[str, Any]) -> list[str]:
    """Return the keys of the entities that a command names."""
    scope = scope_of_key(str(payload.get("scope_key", "")))
    named = [("user", payload.get("user_id")), ("group", payload.get("group_id"))]
    named += [(str(payload.get("entity_type")), payload.get("entity_id"))]
    named += [("user", scope.user_id), ("group", scope.group_id)] if scope is not None else []
    return [f"{kind}:{one}" for kind, one in named if one]


def _texts(job: Job) -> list[str]:
    said = (str(state.get("text", "")) for state in _states(job))
    recent = (one.text for one in job.recent_messages)
    others = (job.action_summary, *job.new_info, *recent, str(job.payload.get("text", "")))
    return [text for text in (*said, *others) if text]


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
    if not unwanted:
        return job
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


def _messages_of(job: Job, user_id: str) -> list[RecentMessage]:
    return [one for one in job.recent_messages if one.sender_id == user_id]
