"""Records as JSON data, for the command line and the API."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import TypedDict

if TYPE_CHECKING:  # commands import this module at their start
    from ...schema.event import Event
    from ...schema.hit import Hit
    from ...schema.job import Job
    from ...schema.profile import Profile
    from ...schema.protocols import JobQueue
    from ...schema.summary import StoredArticle, Summary


class ProfileData(TypedDict):
    """A profile as JSON data."""

    entity_type: str
    entity_id: str
    layer: str
    name: str
    tags: list[str]
    summary: str
    revision: int
    updated_at: str
    source_event_id: str


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
"""A summary as JSON data, with the keys of its file."""


def event_data(event: Event) -> dict[str, Any]:
    """Return a message or an event as JSON data: its fields, and the `speaker` of a message."""
    fields = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(event).items()}
    return {**fields, "speaker": event.speaker}


def hit_data(hit: Hit, *, explain: bool = False) -> dict[str, Any]:
    """Return a hit as JSON data: its event's, the scores, messages around it; with `explain` how it came to its place."""
    told = {"explain": hit.explain()} if explain else {}
    given = {"before": hit.before, "after": hit.after}
    around = {name: [event_data(one) for one in some] for name, some in given.items() if some}
    scores = {"score": hit.score, "scores": dict(hit.scores), "pending": hit.pending}
    return {**scores, **event_data(hit.event), **around, **told}


def profile_data(one: Profile) -> ProfileData:
    """Return a profile as JSON data."""
    data = asdict(one)
    return cast(ProfileData, {**data.pop("key"), **data, "tags": list(one.tags)})


def profile_lines(one: Profile) -> list[str]:
    """Return a profile as the lines of a diff."""
    return [f"name: {one.name}", f"tags: {', '.join(one.tags)}", "", *one.summary.splitlines()]


def article_data(one: StoredArticle) -> ArticleData:
    """Return an article as JSON data."""
    return {
        "user_id": one.key.user_id,
        "scope": one.key.scope.key,
        "revision": one.revision,
        "updated_at": one.updated_at,
        "sources": list(one.sources),
        "bedrock": one.article.bedrock,
        "evolutionary": one.article.evolutionary,
        "dynamic": one.article.dynamic,
    }


def summary_data(one: Summary) -> SummaryData:
    """Return a summary as JSON data, with the keys of its file."""
    from ...stores.files.summary_lines import as_data

    data = as_data(one)
    del data["through"]
    return cast(SummaryData, data)


def job_entries(queue: JobQueue, limit: int | None) -> list[dict[str, Any]]:
    """Return jobs with `state`; failed ones with `error`, `failed_at` (epoch seconds), `filed` and file `name` too.

    At most `limit` of each state, oldest first.
    """
    most = limit or 1_000_000
    entries = [_entry(job, state) for state in ("processing", "pending") for job in queue.jobs(state, most)]
    for failed in queue.failed()[:most]:
        about = {"error": failed.error, "failed_at": failed.failed_at, "filed": failed.filed}
        entries.append({**_entry(failed.job, "failed"), "name": failed.name, **about})
    return entries


def _entry(job: Job | None, state: str) -> dict[str, Any]:
    return {"state": state, "name": "", **(job.model_dump() if job is not None else {"job_id": ""})}
