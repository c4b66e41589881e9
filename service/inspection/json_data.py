"""Records as JSON data, for the command line and the API."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

if TYPE_CHECKING:  # commands import this module at their start
    from ...schema.event import Event
    from ...schema.hit import Hit
    from ...schema.profile import Profile
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
    """Return an event as JSON data."""
    return {**asdict(event), "gate_reasons": list(event.gate_reasons)}


def hit_data(hit: Hit, *, explain: bool = False) -> dict[str, Any]:
    """Return a hit as JSON data: its event's, and the scores; with `explain` also how it came to its place."""
    told = {"explain": hit.explain()} if explain else {}
    return {"score": hit.score, "scores": dict(hit.scores), "pending": hit.pending, **event_data(hit.event), **told}


def profile_data(one: Profile) -> ProfileData:
    """Return a profile as JSON data."""
    return {
        "entity_type": one.key.entity_type,
        "entity_id": one.key.entity_id,
        "layer": one.key.layer,
        "name": one.name,
        "tags": list(one.tags),
        "summary": one.summary,
        "revision": one.revision,
        "updated_at": one.updated_at,
        "source_event_id": one.source_event_id,
    }


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
    return {
        "id": one.id,
        "user_id": one.key.user_id,
        "scope": one.key.scope.key,
        "text": one.text,
        "from": one.since,
        "until": one.until,
        "created_at": one.created_at,
        "tokens": one.tokens,
        "written_by": one.written_by,
        "is_absolute": one.is_absolute,
        "gate_reasons": list(one.gate_reasons),
        "promoted_at": one.promoted_at,
        "promoted_into": one.promoted_into,
    }
