"""The pages of the whole memory: overview, notes, settings and doctor."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request, Response

from ....schema.entity import Entity
from ....schema.event import Event, EventFilter
from ....schema.language import Language
from ....schema.scope import SHARED_NOTES
from ....schema.settings import Settings
from ....schema.settings.tables import toml_value
from ....service.components import Parts
from ....service.data_directory import data_directory
from ....service.inspection.settings_report import settings_report
from ....service.timezones import configured_timezone
from ....stores.opening import owner_of
from ...texts import later
from ..dependencies import MemoryHere, PartsHere
from .rendering import page, visitor_language
from .route import PageRoute

router = APIRouter(route_class=PageRoute)

SHOWN = 12
NEWEST = 200
"""Number of newest events from which the overview takes people and groups."""
LITTLE_SPACE, NO_SPACE = 2_000_000_000, 200_000_000
"""Free bytes of the disk below which the overview shows a warning, and below which a failure."""

Health = Literal["ok", "warning", "failed", "off"]


@dataclass(frozen=True, slots=True)
class Sign:
    """The state of one part of the memory.

    `says` is a message that is filled with `values`. `more` is the address of a page with details.
    """

    part: str
    state: Health
    says: str
    values: Mapping[str, Any] = field(default_factory=dict)
    more: str = ""


@router.get("/")
async def show_overview(request: Request, memory: MemoryHere) -> Response:
    """Show the latest people and groups, the numbers of today, and the state of each part."""
    stats, opened = await memory.stats(), memory.lifecycle.opened
    signs = await asyncio.to_thread(
        _signs, memory.settings, stats, memory.lifecycle.worker is not None
    )
    if opened is None:
        return page(
            request, "overview.html", signs=signs, stats=stats, newest=[], today_count=0, heard=[]
        )
    zone = ZoneInfo(configured_timezone(memory.settings.cognitive.timezone))
    midnight = datetime.fromtimestamp(memory.lifecycle.clock(), zone).replace(
        hour=0, minute=0, second=0, microsecond=0
    )

    def read(parts: Parts) -> dict[str, Any]:
        all_of_it = EventFilter(None, now=parts.clock())
        first, last = midnight.timestamp(), (midnight + timedelta(days=1)).timestamp()
        return {
            "today_count": parts.events.count(replace(all_of_it, time_from=first, time_to=last)),
            "newest": parts.events.find(all_of_it, limit=SHOWN),
            "heard": _heard(parts.events.find(all_of_it, limit=NEWEST)),
        }

    return page(
        request,
        "overview.html",
        signs=signs,
        stats=stats,
        **await asyncio.to_thread(read, opened.parts),
    )


@router.get("/notes")
def show_notes(request: Request, parts: PartsHere) -> Response:
    """Show the folders of notes that are indexed, and the files of each."""
    folders = [
        (
            "" if scope == SHARED_NOTES.key else scope,
            root,
            sorted(parts.backend.manifest.files(scope, root)),
        )
        for scope, root, _ in parts.backend.manifest.roots()
    ]
    return page(request, "notes.html", folders=folders)


@router.get("/settings")
def show_settings(request: Request, memory: MemoryHere) -> Response:
    """Show every setting in force, with its meaning."""
    return page(
        request, "settings.html", sections=_sections(memory.settings, visitor_language(request))
    )


@router.get("/doctor")
async def show_doctor(request: Request) -> Response:
    """Show the page with the button that tests every configured part."""
    return page(request, "doctor.html", results=None)


@router.post("/doctor")
async def examine(request: Request, memory: MemoryHere) -> Response:
    """Test every configured part once, which may take some seconds."""
    from ....service.diagnosis import diagnose

    results = [
        result async for result in diagnose(memory.settings, data_directory(memory.settings))
    ]
    return page(request, "doctor.html", results=results)


def _heard(events: Iterable[Event]) -> list[tuple[Entity, str, str]]:
    """Return up to SHOWN people and groups of `events`, with name and time of the latest event."""
    found: dict[Entity, tuple[str, str]] = {}
    for event in events:
        named = {Entity("group", event.group_id): event.group_name} if event.group_id else {}
        named |= {Entity("user", event.user_id): event.user_name} if event.user_name else {}
        for entity, name in named.items():
            found.setdefault(entity, (name, event.timestamp_local))
    return [(entity, name, at) for entity, (name, at) in found.items()][:SHOWN]


def _signs(settings: Settings, stats: dict[str, Any], runs_here: bool) -> list[Sign]:
    """Return the state of each part of the memory. Blocking."""
    first = _database_sign(stats), _queue_sign(stats), _worker_sign(settings, stats, runs_here)
    return [*first, *_model_signs(stats), _disk_sign(settings)]


def _database_sign(stats: dict[str, Any]) -> Sign:
    if not stats["enabled"]:
        return Sign(later("memory"), "off", later("switched off in the settings"), {}, "/settings")
    if stats.get("events") is None:
        return Sign(
            later("memory"),
            "failed",
            later("the database cannot be read; new jobs wait on disk"),
            {},
            "/doctor",
        )
    return Sign(
        later("memory"), "ok", later("{n:,} {n:event|events}"), {"n": stats["events"]}, "/people"
    )


def _queue_sign(stats: dict[str, Any]) -> Sign:
    counts = stats.get("queue", {"pending": 0, "processing": 0, "failed": 0})
    says = later("{pending} waiting, {processing} running, {failed} failed")
    return Sign(later("queue"), "warning" if counts["failed"] else "ok", says, counts, "/jobs")


def _worker_sign(settings: Settings, stats: dict[str, Any], runs_here: bool) -> Sign:
    part = later("the historian")
    if stats.get("outage"):
        return Sign(part, "warning", later("waits: {why}"), {"why": stats["outage"]}, "/doctor")
    if runs_here:
        return Sign(part, "ok", later("works in this process"), {}, "/live")
    owner = owner_of(settings) if stats.get("events") is not None else None
    if owner is None:
        return Sign(
            part, "warning", later("no process works on this memory now: jobs wait"), {}, "/jobs"
        )
    if owner.is_suspended:
        return Sign(
            part,
            "warning",
            later("process {pid} is suspended: jobs wait"),
            {"pid": owner.pid},
            "/doctor",
        )
    return Sign(part, "ok", later("works in process {pid}"), {"pid": owner.pid})


def _model_signs(stats: dict[str, Any]) -> Sequence[Sign]:
    parts = {
        "chat": (later("model"), later("none: rules write events and profiles")),
        "embedding": (later("embedder"), later("none: search uses keywords only")),
    }
    named = {purpose: stats.get("models", {}).get(purpose, "") for purpose in parts}
    return [
        Sign(part, "ok", named[one]) if named[one] else Sign(part, "off", none)
        for one, (part, none) in parts.items()
    ]


def _disk_sign(settings: Settings) -> Sign:
    directory = data_directory(settings)
    place = next(one for one in (directory, *directory.parents) if one.exists())
    free = shutil.disk_usage(place).free
    state: Health = "failed" if free < NO_SPACE else "warning" if free < LITTLE_SPACE else "ok"
    return Sign(later("disk"), state, later("{n:.1f} GB free"), {"n": free / 1e9}, "/doctor")


def _sections(settings: Settings, language: Language) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of all settings in force, by section."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in settings_report(settings):
        section, _, name = one.key.rpartition(".")
        row = {
            "name": name,
            "value": toml_value(one.value),
            "changed": one.value != one.default,
            "hot": one.hot,
        }
        found.setdefault(section, []).append({**row, "meaning": one.meaning[language]})
    return found
