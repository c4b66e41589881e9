"""The pages for forgetting a person or a group, with a way to export the data first."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from ....schema.entity import Entity
from ....schema.forgetting import ForgetReport
from ....schema.profile import ProfileKey
from ....schema.scope import EntityType
from ...texts import FORGOTTEN
from ..dependencies import MemoryHere, PartsHere
from . import known
from .rendering import link, page
from .route import FormFlag, FormKind, FormText, PageRoute, see

router = APIRouter(route_class=PageRoute)

PATIENCE_SECONDS = 20.0
"""Maximum number of seconds that the response waits for a forget request, which continues
afterwards."""


@router.get("/forget")
def ask(
    request: Request, parts: PartsHere, kind: EntityType, id: str, mistyped: bool = False
) -> Response:
    """Show the number of records that will be removed, and ask for confirmation."""
    entity = Entity(kind, id)
    name, goes = known.name_of(parts, entity), known.records_to_remove(parts, entity)
    return page(
        request,
        "forget.html",
        entity=entity,
        name=name,
        goes=goes,
        kinds=FORGOTTEN,
        mistyped=mistyped,
    )


@router.post("/forget")
async def carry_out(
    request: Request,
    memory: MemoryHere,
    kind: FormKind,
    id: FormText,
    confirmed: FormText = "",
    mentions: FormFlag = False,
) -> Response:
    """Forget the entity if the id was typed in once more, and show what was removed."""
    entity = Entity(kind, id)
    if confirmed.strip() != entity.id:
        return see("/forget", kind=kind, id=id, mistyped="true")
    report = await memory.forget(entity, mentions, PATIENCE_SECONDS)
    return page(
        request,
        "forgotten.html",
        entity=entity,
        report=report,
        kinds=FORGOTTEN,
        mentioned=_mentioned(report),
    )


def _mentioned(report: ForgetReport) -> list[tuple[str, str]]:
    """Return the mentions of the forgotten entity in records of others, as (address, text).

    The address is "" if the mention was removed, or if the record has no page.
    """
    found: list[tuple[str, str]] = []
    texts = report.texts_of_mentions
    for kind, item in report.mentions:
        address = ""
        if kind == "events":
            address = link("/event", id=item)
        elif kind == "profiles":
            key = ProfileKey.of_index_id(item)
            address = link(f"/{key.entity_type}", id=key.entity_id, view="profile", layer=key.layer)
        found.append(("" if report.mentions_removed else address, texts.get((kind, item)) or item))
    return found
