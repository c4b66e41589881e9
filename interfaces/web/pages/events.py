"""The page of one message or event, and the forms that change it.

It shows the speaker, the result of the gate, and links to superseded and superseding events.
"""

from __future__ import annotations

import asyncio
from typing import Any, get_args

from fastapi import APIRouter, Request, Response

from ....schema.errors import InvalidInput
from ....schema.event import Event, EventFilter, EventLink, WrittenKind
from ....service.components import Parts
from ....text.messages.records import named_message
from ...lookups import found_event
from ..dependencies import MemoryHere, PartsHere
from .entities import successors
from .rendering import page
from .route import FormFlag, FormText, PageRoute, see

router = APIRouter(route_class=PageRoute)

CANDIDATES = 12
"""Maximum number of later events that are offered as the superseding event."""


@router.get("/event")
async def show_event(
    request: Request, memory: MemoryHere, parts: PartsHere, id: str, text: str = ""
) -> Response:
    """Show an event, and the later events that may have superseded it: those that match `text` best."""
    values = await asyncio.to_thread(_values, parts, id, text)
    goes = await memory.delete_event(id, dry_run=True)
    return page(
        request, "event.html", **values, goes=goes, said=request.query_params.get("said", "")
    )


def _values(parts: Parts, event_id: str, text: str) -> dict[str, Any]:
    detail = found_event(parts, event_id)
    event = detail.event
    return {
        "event": event,
        "successors": successors(parts, [event]),
        "superseded": detail.supersedes,
        "corrected": detail.corrects,
        "revisions": detail.revisions,
        "candidates": []
        if event.is_message or not event.holds
        else _later_ones(parts, event, text.strip()),
        "replied_to": _replied_to(parts, event),
        "text": text,
    }


@router.post("/event/edit")
async def edit(memory: MemoryHere, id: FormText, text: FormText) -> Response:
    """Replace the text of an event."""
    await memory.edit_event(id, text)
    return _seen(id)


@router.post("/event/delete")
async def delete(memory: MemoryHere, parts: PartsHere, id: FormText) -> Response:
    """Remove an event, or a whole message, with the profile lines whose only evidence it is."""
    event = (await asyncio.to_thread(found_event, parts, id)).event
    await memory.delete_event(id)
    kind, whose = ("group", event.group_id) if event.group_id else ("user", event.user_id)
    return see(f"/{kind}", id=whose, said="deleted")


@router.post("/event/supersede")
async def end(parts: PartsHere, id: FormText, by: FormText, corrects: FormFlag = False) -> Response:
    """Mark an event as superseded by a later one, or with `corrects` as never true."""
    if not await asyncio.to_thread(parts.events.supersede, [EventLink(id, by.strip(), corrects)]):
        raise InvalidInput(
            "these two events cannot be linked: the later one must be of the same conversation, "
            "and neither may be superseded"
        )
    return _seen(id)


@router.post("/event/uphold")
async def let_hold(parts: PartsHere, id: FormText) -> Response:
    """Mark a superseded event as true again."""
    await asyncio.to_thread(parts.events.uphold, [id])
    return _seen(id)


def _seen(event_id: str) -> Response:
    return see("/event", id=event_id, said="done")


def _replied_to(parts: Parts, event: Event) -> Event | None:
    """Return the message to which `event` replies; None if there is none or it is not stored."""
    if not event.reply_to:
        return None
    return next(iter(parts.events.get([f"{named_message(event.scope, event.reply_to)}:0"])), None)


def _later_ones(parts: Parts, event: Event, text: str) -> list[Event]:
    """Return later events of the same conversation that match `text` best.

    If `text` is empty, the text of `event` is used.
    """
    where = EventFilter(
        event.scope.key, kinds=get_args(WrittenKind), time_from=event.timestamp, now=parts.clock()
    )
    ids = [
        one
        for one, _ in parts.events.search_keywords(text or event.text, where, CANDIDATES + 1)
        if one != event.event_id
    ]
    return parts.events.get(ids[:CANDIDATES])
