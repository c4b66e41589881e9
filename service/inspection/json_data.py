"""Records as JSON data, for the command line and the API."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import TypedDict

if TYPE_CHECKING:  # commands import this module at their start
    from _typeshed import DataclassInstance

    from ...schema.correction import Correction
    from ...schema.event import Event
    from ...schema.hit import Hit
    from ...schema.job import Job
    from ...schema.profile import Profile
    from ...schema.protocols import JobQueue
    from ...schema.summary import Article, Summary


class ArticleData(TypedDict):
    """An article as JSON data."""

    user_id: str
    scope: str
    revision: int
    updated_at: str
    sources: list[str]
    bedrock: str
    evolutionary: str
    dynamic: str


SummaryData = TypedDict(  # `from` cannot be the name of an attribute
    "SummaryData",
    {
        "id": str,
        "user_id": str,
        "scope": str,
        "text": str,
        "from": str,
        "until": str,
        "created_at": str,
        "tokens": int,
        "written_by": str,
        "is_absolute": bool,
        "gate_reasons": list[str],
        "promoted_at": str | None,
        "promoted_into": int | None,
    },
)
"""A summary as JSON data, with the keys that it has in archives."""


def record_data(record: DataclassInstance) -> dict[str, Any]:
    """Return the fields of a record, such as a line of a profile, as JSON data."""
    told = asdict(record)
    return {name: list(one) if isinstance(one, tuple) else one for name, one in told.items()}


def event_data(event: Event) -> dict[str, Any]:
    """Return a message or an event as JSON data: its fields, and the `speaker` of a message."""
    return {**record_data(event), "speaker": event.speaker}


def hit_data(hit: Hit, *, explain: bool = False) -> dict[str, Any]:
    """Return a hit as JSON data: the data of its event, the scores, and the neighbouring messages.
    With `explain`, the explanation of its rank is added."""
    told = {"explain": hit.explain()} if explain else {}
    given = {"before": hit.before, "after": hit.after}
    around = {name: [event_data(one) for one in some] for name, some in given.items() if some}
    scores = {"score": hit.score, "scores": dict(hit.scores), "pending": hit.pending}
    return {**scores, **event_data(hit.event), **around, **told}


def profile_data(one: Profile) -> dict[str, Any]:
    """Return a profile as JSON data: its fields with those of its key, and its lines as Markdown in
    `summary`."""
    data = record_data(one)
    return {**data.pop("key"), **data, "summary": one.summary}


def profile_lines(one: Profile) -> list[str]:
    """Return the lines of a profile (name, tags, summary), to be compared in a diff."""
    return [*filter(None, (one.name, ", ".join(one.tags))), *one.summary.splitlines()]


def correction_data(one: Correction) -> dict[str, Any]:
    """Return a correction as JSON data. Each of its lines has the key of its profile."""
    told = {field.name: getattr(one, field.name) for field in fields(one)}
    told["lines"] = [{**asdict(key), "line": record_data(line)} for key, line in one.lines]
    told |= {name: [*map(event_data, told[name])] for name in ("events", "messages")}
    return {**told, "still_told": list(one.still_told)}


def article_data(one: Article) -> ArticleData:
    """Return an article as JSON data. Each chapter is a Markdown list."""
    data = {
        "user_id": one.key.user_id,
        "scope": one.key.scope.key,
        "revision": one.revision,
        "updated_at": one.updated_at,
        "sources": list(one.sources),
    }
    for name, lines in one.chapters.items():
        data[name.lower()] = "\n".join(f"- {line.dated_text}" for line in lines)
    return cast(ArticleData, data)


def summary_data(one: Summary) -> SummaryData:
    """Return a summary as JSON data, with the keys that it has in archives."""
    from ...stores.files.summary_lines import as_data

    data = as_data(one)
    del data["through"]
    return cast(SummaryData, data)


def job_entries(queue: JobQueue, limit: int | None) -> list[dict[str, Any]]:
    """Return jobs as JSON data with their `state`, at most `limit` per state (None: all), oldest
    first.

    Failed jobs also have `error`, `failed_at` (seconds since the epoch), `filed` (True if their
    events are stored) and `name` (`FailedJob.name`).
    """
    most = limit or 1_000_000
    entries = [
        _entry(job, state) for state in ("processing", "pending") for job in queue.jobs(state, most)
    ]
    for failed in queue.failed()[:most]:
        about = {"error": failed.error, "failed_at": failed.failed_at, "filed": failed.filed}
        entries.append({**_entry(failed.job, "failed"), "name": failed.name, **about})
    return entries


def _entry(job: Job | None, state: str) -> dict[str, Any]:
    return {"state": state, "name": "", **(job.model_dump() if job is not None else {"job_id": ""})}
