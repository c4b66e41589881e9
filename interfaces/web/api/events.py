"""Routes that list, show, correct, supersede and remove events."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field, model_validator

from ....retrieval.filters import conditioned
from ....schema.errors import InvalidInput
from ....schema.event import EventKind, EventLink, Revision
from ....schema.labels import read_metadata
from ....service.inspection.event_pages import (
    MOST_ON_A_PAGE,
    EventDetail,
    events_page,
    events_with_words,
)
from ....service.inspection.json_data import correction_data
from ....service.timezones import configured_timezone
from ...lookups import found_event
from ..dependencies import CallerHere, MemoryHere, PartsHere, ScopeHere
from .corrections import DryRun
from .event_data import CorrectionData, EventData
from .talk import Body

router = APIRouter(prefix="/events", tags=["events"])

Time = Annotated[
    str | None,
    Query(
        description="ISO 8601 (`2026-02-21`, `2026-02-21T17:30+08:00`); a day counts to its end."
    ),
]


class Events(BaseModel):
    events: list[EventData] = Field(description="Newest first.")
    next: str = Field(description='The `cursor` of the following page; "" on the last one.')


class EventWithLinks(BaseModel):
    event: EventData
    revisions: list[Revision] = Field(description="Former texts, oldest first.")
    supersedes: list[str] = Field(description="The ids of the events that it supersedes.")
    corrects: list[str] = Field(
        description="The ids of the events that were never true because of it."
    )


class Edit(Body):
    text: str | None = Field(None, description="The new text.")
    holds: bool | None = Field(
        None,
        description="True: the event is still true; remove the link to the event that superseded it.",
    )

    @model_validator(mode="after")
    def _changes_something(self) -> Edit:
        if self.text is None and self.holds is not True:
            raise ValueError("give text, or holds: true")
        return self


class Successor(Body):
    by: str = Field(description="The id of the later event, of the same conversation.")
    corrects: bool = Field(False, description="True: the event was never true.")


def _detail(event_id: str, parts: PartsHere, caller: CallerHere) -> EventDetail:
    return found_event(parts, event_id, caller.scope)


DetailHere = Annotated[EventDetail, Depends(_detail)]


@router.get("")
def list_events(
    parts: PartsHere,
    memory: MemoryHere,
    scope: ScopeHere,
    limit: Annotated[int, Query(ge=1, le=MOST_ON_A_PAGE)] = 100,
    cursor: str = "",
    text: Annotated[
        str, Query(description="Only those with these words: the best matches, on one page.")
    ] = "",
    kind: EventKind | None = None,
    user_id: str | None = None,
    source: str | None = None,
    is_absolute: bool | None = None,
    holds: Annotated[
        bool | None,
        Query(description="False: only events that a later one superseded or corrected."),
    ] = None,
    time_from: Time = None,
    time_to: Time = None,
    occurs_from: Time = None,
    occurs_to: Time = None,
    tags: Annotated[
        list[str], Query(description="All of them must be there; `tags=a&tags=b`.")
    ] = [],  # noqa: B006 - FastAPI copies it
    metadata: Annotated[str, Query(description='A JSON object, such as `{"thread": 7}`.')] = "",
) -> Events:
    """A page of messages and events, newest first: of one conversation, or of all for the operator."""
    given = {
        **{
            "kind": kind,
            "user_id": user_id,
            "source": source,
            "is_absolute": is_absolute,
            "time_from": time_from,
        },
        **{"time_to": time_to, "occurs_from": occurs_from, "occurs_to": occurs_to},
        **{"tags": tags, "metadata": read_metadata(metadata)},
    }
    zone = configured_timezone(memory.settings.cognitive.timezone)
    where = replace(conditioned(scope, given, zone, parts.clock()), holds=holds)
    if text:
        page = events_with_words(parts.events, where, text, limit=limit)
    else:
        page = events_page(parts.events, where, limit=limit, cursor=cursor)
    return Events(events=page.events, next=page.next)


@router.get("/{event_id}")
async def show_event(detail: DetailHere) -> EventWithLinks:
    """An event with its former texts, and the events that it supersedes."""
    return EventWithLinks(
        event=detail.event,
        revisions=detail.revisions,
        supersedes=[one.event_id for one in detail.supersedes],
        corrects=[one.event_id for one in detail.corrects],
    )


@router.patch("/{event_id}")
async def edit_event(
    asked: Edit, memory: MemoryHere, parts: PartsHere, caller: CallerHere, detail: DetailHere
) -> EventData:
    """Replace the text of an event, redacted, or mark it as true again. Messages cannot be edited (422)."""
    event_id = detail.event.event_id
    if asked.holds:
        await asyncio.to_thread(parts.events.uphold, [event_id])
    if asked.text is not None:
        return await memory.edit_event(event_id, asked.text, scope=caller.scope)
    return (await asyncio.to_thread(found_event, parts, event_id, caller.scope)).event


@router.delete("/{event_id}")
async def delete_event(
    detail: DetailHere, memory: MemoryHere, caller: CallerHere, dry_run: DryRun = False
) -> CorrectionData:
    """Remove an event, or a whole message, and the profile lines that are based on it alone."""
    event_id = detail.event.event_id
    return correction_data(await memory.delete_event(event_id, scope=caller.scope, dry_run=dry_run))


@router.post("/{event_id}/supersede")
def supersede_event(
    event_id: str, asked: Successor, parts: PartsHere, caller: CallerHere, detail: DetailHere
) -> EventData:
    """Mark an event as superseded by a later one of the same conversation."""
    found_event(parts, asked.by, caller.scope)
    if not parts.events.supersede([EventLink(event_id, asked.by, asked.corrects)]):
        raise InvalidInput(
            "by: expected a later event of the same conversation; neither event may be superseded "
            "already"
        )
    return found_event(parts, event_id, caller.scope).event
