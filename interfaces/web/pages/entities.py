"""The list of people and groups, and the pages of one: timeline, profile and article."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Literal
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request, Response

from ....schema.entity import Entity
from ....schema.event import Event
from ....schema.scope import EntityType
from ....schema.summary import ArticleKey
from ....service.components import Parts
from ....service.inspection.article_list import listed_articles
from ....service.inspection.json_data import profile_lines
from ....service.timezones import configured_timezone
from ...lookups import profile_layers
from ...revisions import (
    One,
    article_lines,
    article_revisions,
    kept_articles,
    profile_revisions,
    side_by_side,
)
from ..dependencies import MemoryHere, PartsHere
from . import known, timeline
from .corrections import KINDS
from .rendering import page
from .route import FormKind, FormNumber, FormText, PageRoute, see

router = APIRouter(route_class=PageRoute)

View = Literal["timeline", "profile", "article"]


@router.get("/people")
def show_people(
    request: Request, parts: PartsHere, kind: EntityType = "user", text: str = "", after: str = ""
) -> Response:
    """Show the known people and groups."""
    text = text.strip()
    found, following = (known.people if kind == "user" else known.groups)(parts, text, after)
    return page(
        request, "people.html", kind=kind, text=text, after=after, found=found, following=following
    )


@router.get("/user")
def show_user(request: Request, parts: PartsHere, id: str, view: View = "timeline") -> Response:
    """Show a person."""
    return _shown(request, parts, Entity("user", id), view)


@router.get("/group")
def show_group(request: Request, parts: PartsHere, id: str, view: View = "timeline") -> Response:
    """Show a group."""
    return _shown(request, parts, Entity("group", id), view)


@router.post("/profile/rollback")
async def bring_profile_back(
    memory: MemoryHere,
    parts: PartsHere,
    kind: FormKind,
    id: FormText,
    revision: FormNumber,
    layer: FormText = "",
) -> Response:
    """Restore an earlier revision of a profile as a new one."""
    found = await asyncio.to_thread(profile_revisions, parts, f"{kind}:{id}", layer)
    sent = await memory.command(found.rollback, found.command(revision))
    said = "done" if sent.done else "handed over"
    return see(f"/{kind}", id=id, view="profile", layer=layer, said=said)


@router.post("/article/rollback")
async def bring_article_back(
    memory: MemoryHere,
    parts: PartsHere,
    kind: FormKind,
    user: FormText,
    revision: FormNumber,
    group: FormText = "",
) -> Response:
    """Restore an earlier revision of an article as a new one."""
    key = ArticleKey(user, group)
    found = await asyncio.to_thread(article_revisions, parts, key)
    sent = await memory.command(found.rollback, found.command(revision))
    whose = user if kind == "user" else group
    return see(
        f"/{kind}", id=whose, view="article", of=key, said="done" if sent.done else "handed over"
    )


def _shown(request: Request, parts: Parts, entity: Entity, view: View) -> Response:
    """Return the page with one view of a person or a group."""
    values: dict[str, Any] = {
        "entity": entity,
        "view": view,
        "said": request.query_params.get("said", ""),
    }
    values |= {"name": known.name_of(parts, entity), "events": parts.events.count(entity.where)}
    values |= {"timeline": _timeline, "profile": _profile, "article": _article}[view](
        parts, entity, request.query_params
    )
    return page(request, f"{view}.html", **values)


def _timeline(parts: Parts, entity: Entity, parameters: Mapping[str, str]) -> dict[str, Any]:
    zone = ZoneInfo(configured_timezone(parts.settings.cognitive.timezone))
    wanted = timeline.Wanted.of(parameters)
    where = replace(entity.where, now=parts.clock())
    found = timeline.page_of(parts.events, where, wanted, zone)
    return {
        "wanted": wanted,
        "choices": timeline.CHOICES,
        "months": timeline.months(parts.events, where, zone),
        "by_month": [
            (month, list(some))
            for month, some in groupby(found.events, lambda one: one.timestamp_local[:7])
        ],
        "successors": successors(parts, found.events),
        "following": found.next,
        "matches": timeline.MATCHES,
    }


def successors(parts: Parts, events: Sequence[Event]) -> Mapping[str, Event]:
    """Return the events that superseded or corrected some of `events`, by id. Blocking."""
    ids = {one for event in events for one in (event.superseded_by, event.corrected_by) if one}
    return {event.event_id: event for event in parts.events.get(sorted(ids))} if ids else {}


def _profile(parts: Parts, entity: Entity, parameters: Mapping[str, str]) -> dict[str, Any]:
    layers = profile_layers(parts, entity)
    named = parameters.get("layer", "")
    current = next((one for one in layers if one.key.layer == named), layers[0] if layers else None)
    revisions = [] if current is None else [current, *parts.profiles.history(current.key)]
    pins = [(one.key, line) for one in layers for line in one.lines if line.pinned]
    return {
        "layers": layers,
        "current": current,
        "pins": pins,
        "kinds": KINDS,
        **_compared(parameters, revisions, profile_lines),
    }


def _article(parts: Parts, entity: Entity, parameters: Mapping[str, str]) -> dict[str, Any]:
    told = listed_articles(
        parts.article_stores, lambda key: entity.spoke(key.user_id, key.group_id)
    )
    named = parameters.get("of", "")
    current = next((one for one in told if str(one.key) == named), told[0] if told else None)
    revisions = [] if current is None else kept_articles(parts, current.key)
    return {"told": told, "current": current, **_compared(parameters, revisions, article_lines)}


def _compared(
    parameters: Mapping[str, str], revisions: Sequence[One], lines: Callable[[One], list[str]]
) -> dict[str, Any]:
    """Return the template values for the revisions of a text and for two of them side by side."""
    older, newer = _two(parameters, [one.revision for one in revisions])
    texts = {one.revision: lines(one) for one in revisions}
    rows = side_by_side(texts[older], texts[newer]) if older else []
    return {"revisions": revisions, "older": older, "newer": newer, "rows": rows}


def _two(parameters: Mapping[str, str], revisions: Sequence[int]) -> tuple[int, int]:
    """Return the older and the newer revision to compare: those of `parameters`, else the last two.

    Return (0, 0) if there are fewer than two revisions.
    """
    if len(revisions) < 2:
        return 0, 0
    given = [
        int(one) if (one := parameters.get(name, "")).isdecimal() else 0
        for name in ("older", "newer")
    ]
    older, newer = (one if one in revisions else 0 for one in given)
    newer = newer or revisions[0]
    older = older or next((one for one in revisions if one < newer), newer)
    return older, newer
