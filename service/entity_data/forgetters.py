"""One class for each kind of thing that is kept, with what forgetting a person or a group means for it.

Whoever adds a store adds a class here and to `forgetters`: that is all that `historian forget` needs to know of it. Each
may be called again at any time, and after a crash in the middle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...schema.entity import Entity
from ...schema.event import EventFilter
from ...schema.job import Job
from ...schema.profile import ProfileKey
from ...stores.files.durable import remove_durably
from ...stores.files.end_summaries import EndSummaries
from ...stores.files.markdown_memory import MarkdownMemory
from ..components import Parts
from .article_forgetter import LayerForgetter
from .forget_traces import Forgetter, Record, Traces


class EventForgetter:
    """Events with words and vectors (those of other models too), and the jobs' entries in the ledgers."""

    kind = "events"

    def __init__(self, parts: Parts) -> None:
        self._erasure = parts.erasure

    def survey(self, traces: Traces) -> None:
        for event in self._erasure.events(traces.entity.where):
            traces.texts.add(event.text)
            traces.job_ids.add(event.job_id)
            traces.moments.add((event.scope.key, event.timestamp))
            if traces.entity.type == "user" and event.user_name:
                traces.names.add(event.user_name)

    def forget(self, traces: Traces) -> int:
        return self._erasure.erase_events(traces.entity.where)

    def others(self) -> Iterator[Record]:
        for event in self._erasure.events(EventFilter(None)):
            yield Record(self.kind, event.event_id, event.text)

    def drop(self, records: Sequence[Record], unwanted: Callable[[str], bool]) -> int:
        return self._erasure.erase_events(EventFilter(None, event_ids=tuple(record.id for record in records)))


class ProfileForgetter:
    """Profiles with their history, and what is searched of them. Of a group, what users are known by in it as well."""

    kind = "profiles"

    def __init__(self, parts: Parts) -> None:
        self._profiles = parts.profiles
        self._index = parts.profile_index
        self._erasure = parts.erasure
        self._clock = parts.clock

    def survey(self, traces: Traces) -> None:
        layer = _layer_of_users(traces.entity)
        for key in self._profiles.keys():  # noqa: SIM118 - a store, not a dictionary
            if key.entity == traces.entity.key or (layer and key.entity_type == "user" and key.layer == layer):
                for profile in self._profiles.kept(key):
                    traces.texts.update(profile.summary.splitlines())
                    if profile.name and key.entity == traces.entity.key:
                        traces.names.add(profile.name)

    def forget(self, traces: Traces) -> int:
        self._erasure.erase_profiles(traces.entity)
        self._erasure.erase_ledger(traces.entity)
        return self._profiles.erase(traces.entity)

    def others(self) -> Iterator[Record]:
        for key in self._profiles.keys():  # noqa: SIM118
            for profile in self._profiles.kept(key):
                for line in (*profile.summary.splitlines(), *profile.tags):
                    yield Record(self.kind, key.index_id, line)

    def drop(self, records: Sequence[Record], unwanted: Callable[[str], bool]) -> int:
        now = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds")
        for index_id in {record.id for record in records}:
            key = ProfileKey.of_index_id(index_id)
            self._profiles.without_lines(key, unwanted, now=now)
            profile = self._profiles.read(key)
            if profile is not None:
                self._index.put(profile, None)
        return len(records)


class NoteForgetter:
    """Which note files were indexed for the conversation. (Their texts are events; the files themselves are not ours.)"""

    kind = "note files"

    def __init__(self, parts: Parts) -> None:
        self._erasure = parts.erasure

    def survey(self, traces: Traces) -> None:
        return None

    def forget(self, traces: Traces) -> int:
        return self._erasure.erase_notes(traces.scope_key)

    def others(self) -> Iterator[Record]:
        return iter(())

    def drop(self, records: Sequence[Record], unwanted: Callable[[str], bool]) -> int:
        return 0


class JobForgetter:
    """Jobs that wait or were given up, orders that name the entity, and what they said in other people's jobs."""

    kind = "jobs"

    def __init__(self, parts: Parts) -> None:
        self._queue = parts.queue
        self._erasure = parts.erasure
        self._clock = parts.clock

    def survey(self, traces: Traces) -> None:
        # What a worker that was killed had taken goes back into the queue, where it can be dropped.
        self._queue.recover(self._clock())
        failed = [failed.job for failed in self._queue.failed() if failed.job is not None]
        for job in (*self._queue.jobs("pending", _ALL), *failed):
            if self._concerns(job, traces):
                traces.texts.update(_texts(job))
                traces.job_ids.add(job.job_id)
                traces.moments.add((job.scope.key, job.moment.timestamp()))
                name = job.user_name if traces.entity.type == "user" else job.group_name
                traces.names.update([name] if name else [])
                if traces.entity.type == "user" and not job.group_id:  # in a group somebody else may have spoken
                    said = [state for state in _states(job) if state.get("role") == "user"]
                    traces.names.update(name for state in said if (name := str(state.get("name", ""))))
            elif traces.entity.type == "user":
                traces.texts.update(one.text for one in job.recent_messages if one.sender_id == traces.entity.id)

    def forget(self, traces: Traces) -> int:
        dropped = [
            job.job_id
            for job in (*self._queue.jobs("pending", _ALL), *(one.job for one in self._queue.failed() if one.job is not None))
            if self._concerns(job, traces)
        ]
        self._erasure.bury_jobs(dropped)
        amended = self._queue.amend(lambda job: None if self._concerns(job, traces) else _without_messages(job, traces.entity))
        marks = [f'"{traces.entity.id}"'.encode(), *(text.encode() for text in traces.texts if len(text.encode()) > 8)]
        return amended + self._queue.discard_unreadable(lambda content: any(mark in content for mark in marks))

    def others(self) -> Iterator[Record]:
        failed = [failed.job for failed in self._queue.failed() if failed.job is not None]
        for job in (*self._queue.jobs("pending", _ALL), *failed):
            speakers = {str(state.get("name", "")) for state in _states(job)}
            yield Record(self.kind, job.job_id, "\n".join((*_texts(job), *sorted(speakers))))

    def drop(self, records: Sequence[Record], unwanted: Callable[[str], bool]) -> int:
        ids = {record.id for record in records}
        waiting = (*self._queue.jobs("pending", _ALL), *(one.job for one in self._queue.failed() if one.job is not None))
        whole = {job.job_id for job in waiting if job.job_id in ids and job.kind != "states"}
        self._erasure.bury_jobs(sorted(whole))

        def change(job: Job) -> Job | None:
            return None if job.job_id in whole else _without_states(job, unwanted) if job.job_id in ids else job

        return self._queue.amend(change)

    def _concerns(self, job: Job, traces: Traces) -> bool:
        if job.kind in ("remember", "states"):
            return traces.entity.owns(job)
        payload = job.payload
        if job.kind == "rollback_article":
            return traces.entity.spoke(str(payload.get("user_id", "")), str(payload.get("group_id", "")))
        named = (payload.get("entity_type"), str(payload.get("entity_id")))
        event_id = str(payload.get("event_id", ""))
        return named == (traces.entity.type, traces.entity.id) or event_id.rpartition(":")[0] in traces.job_ids


class SummaryForgetter:
    """`end_summaries.json`."""

    kind = "plain summaries"

    def __init__(self, parts: Parts) -> None:
        self._path = parts.directory / "end_summaries.json"
        self._summaries = EndSummaries(self._path)
        self._erasure = parts.erasure

    def survey(self, traces: Traces) -> None:
        traces.texts.update(
            str(entry.get("text", "")) for key, entry in self._summaries.entries() if self._theirs(key, entry, traces)
        )

    def forget(self, traces: Traces) -> int:
        return self._summaries.forget(lambda key, entry: self._theirs(key, entry, traces))

    def others(self) -> Iterator[Record]:
        for key, entry in self._summaries.entries():
            yield Record(self.kind, f"{key} {entry.get('job_id', '')}", str(entry.get("text", "")))

    def drop(self, records: Sequence[Record], unwanted: Callable[[str], bool]) -> int:
        return self._summaries.forget(lambda key, entry: unwanted(str(entry.get("text", ""))))

    def _theirs(self, key: str, entry: dict[str, Any], traces: Traces) -> bool:
        if key == traces.scope_key or entry.get("job_id") in traces.job_ids:
            return True
        if traces.entity.type == "group":
            return False
        moment = _epoch(str(entry.get("timestamp", "")))
        # Entries of earlier versions do not say who spoke: then the moment decides.
        return entry["user_id"] == traces.entity.id if entry.get("user_id") else (key, moment) in traces.moments


class MemoryFileForgetter:
    """`MEMORY.md`: the conversation's section, and lines of the moments at which the entity spoke elsewhere."""

    kind = "lines of MEMORY.md"

    def __init__(self, parts: Parts) -> None:
        self._memory = MarkdownMemory(parts.directory / "MEMORY.md")

    def survey(self, traces: Traces) -> None:
        traces.texts.update(text for key, time, text in self._memory.entries() if self._theirs(key, time, text, traces))

    def forget(self, traces: Traces) -> int:
        return self._memory.forget(lambda key, time, text: self._theirs(key, time, text, traces))

    def others(self) -> Iterator[Record]:
        for key, _, text in self._memory.entries():
            yield Record(self.kind, key, text)

    def drop(self, records: Sequence[Record], unwanted: Callable[[str], bool]) -> int:
        return self._memory.forget(lambda key, time, text: unwanted(text))

    def _theirs(self, key: str, time: str, text: str, traces: Traces) -> bool:
        return key == traces.scope_key or (key, _epoch(time)) in traces.moments or text in traces.texts


class FileForgetter:
    """Files that go whole: checkpoints (a lost one costs a model call) and what was set aside as damaged, since nobody can
    tell what is in it."""

    kind = "checkpoint and damaged files"
    PATTERNS = ("checkpoints.sqlite*", "*.damaged", "*.damaged.*")

    def __init__(self, parts: Parts) -> None:
        self._directory = parts.directory

    def survey(self, traces: Traces) -> None:
        return None

    def forget(self, traces: Traces) -> int:
        files: set[Path] = {path for pattern in self.PATTERNS for path in self._directory.glob(pattern) if path.is_file()}
        return sum(remove_durably(path) for path in sorted(files))

    def others(self) -> Iterator[Record]:
        return iter(())

    def drop(self, records: Sequence[Record], unwanted: Callable[[str], bool]) -> int:
        return 0


def forgetters(parts: Parts) -> list[Forgetter]:
    """Everything that is kept of people, in the order in which it is removed: what is read with every reply comes first."""
    return [
        EventForgetter(parts),
        ProfileForgetter(parts),
        LayerForgetter(parts),
        JobForgetter(parts),
        SummaryForgetter(parts),
        MemoryFileForgetter(parts),
        NoteForgetter(parts),
        FileForgetter(parts),
    ]


_ALL = 10_000_000


def _layer_of_users(entity: Entity) -> str:
    """The layer in which users are known by what was said in a group; "" for users."""
    return entity.scope.key if entity.type == "group" else ""


def _texts(job: Job) -> list[str]:
    said = [str(state.get("text", "")) for state in _states(job)]
    texts = [
        *said,
        job.action_summary,
        *job.new_info,
        *(one.text for one in job.recent_messages),
        str(job.payload.get("text", "")),
    ]
    return [text for text in texts if text]


def _states(job: Job) -> list[dict[str, Any]]:
    """The states that a job of kind `states` hands over, as they lie in its payload."""
    given = job.payload.get("states") if job.kind == "states" else None
    return [state for state in given if isinstance(state, dict)] if isinstance(given, list) else []


def _without_states(job: Job, unwanted: Callable[[str], bool]) -> Job:
    """A job of kind `states` without the states that are unwanted, by their text or by who speaks."""
    left = [state for state in _states(job) if not unwanted(f"{state.get('name', '')}\n{state.get('text', '')}")]
    return job.model_copy(update={"payload": {**job.payload, "states": left}})


def _without_messages(job: Job, entity: Entity) -> Job:
    """A job of somebody else without what the forgotten user said before it."""
    if entity.type == "group" or all(one.sender_id != entity.id for one in job.recent_messages):
        return job
    return job.model_copy(update={"recent_messages": [one for one in job.recent_messages if one.sender_id != entity.id]})


def _epoch(timestamp: str) -> float:
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except (ValueError, OverflowError):
        return float("nan")
