"""Forgetting a person or a group, and taking everything along as a file first."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from ....schema.entity import Entity
from ....schema.profile import ProfileKey
from ....schema.protocols.forget_requests import ForgetReport
from ....schema.scope import EntityType
from ....service.components import Parts
from ...texts import FORGOTTEN
from ..dependencies import MemoryHere, PartsHere
from . import known
from .rendering import link, page
from .route import FormFlag, FormKind, FormText, PageRoute, see

router = APIRouter(route_class=PageRoute)

PATIENCE_SECONDS = 20.0
"""How long a browser waits until all is forgotten; it goes on without."""


@router.get("/forget")
def ask(request: Request, parts: PartsHere, kind: EntityType, id: str, mistyped: bool = False) -> Response:
    """Say what goes, and ask."""
    entity = Entity(kind, id)
    name, goes = known.name_of(parts, entity), known.what_goes(parts, entity)
    return page(request, "forget.html", entity=entity, name=name, goes=goes, kinds=FORGOTTEN, mistyped=mistyped)


@router.post("/forget")
async def carry_out(
    request: Request,
    memory: MemoryHere,
    parts: PartsHere,
    kind: FormKind,
    id: FormText,
    confirmed: FormText = "",
    mentions: FormFlag = False,
) -> Response:
    """Forget, if the id was typed in once more, and tell what went."""
    entity = Entity(kind, id)
    if confirmed.strip() != entity.id:
        return see("/forget", kind=kind, id=id, mistyped="true")
    report = await memory.lifecycle.forget(entity, mentions, PATIENCE_SECONDS)
    mentioned = await asyncio.to_thread(_mentioned, parts, report)
    return page(request, "forgotten.html", entity=entity, report=report, kinds=FORGOTTEN, mentioned=mentioned)


def _mentioned(parts: Parts, report: ForgetReport) -> list[tuple[str, str]]:
    """Return what others' records say of the forgotten one, as (address, text)."""
    texts = {event.event_id: event.text for event in parts.events.get([item for kind, item in report.mentions])}
    found: list[tuple[str, str]] = []
    for kind, item in report.mentions:
        if kind == "events" and item in texts:
            found.append((link("/event", id=item), texts[item]))
        elif kind == "profiles":
            key = ProfileKey.of_index_id(item)
            found.append((link(f"/{key.entity_type}", id=key.entity_id, view="profile", layer=key.layer), str(key)))
    return found
