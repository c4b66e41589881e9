"""Routes that correct or remove profile lines, manage pins, and list and undo corrections.

Without a scope only the operator may change records. With a scope, and so for every token of a
conversation, a request may change the profile of the speaker (in a group, `user_id`), the profile
of the group, and the events of the conversation.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field

from ....schema.correction import Correction
from ....schema.profile import LineKind, ProfileLine
from ....schema.scope import Scope
from ....service.inspection.json_data import correction_data
from ..dependencies import CallerHere, MemoryHere, ScopeParameter
from .event_data import CandidateData, CorrectionData
from .talk import Body, InScope

router = APIRouter(tags=["corrections"])

DryRun = Annotated[
    bool, Query(description="True: change nothing, and return what would be changed.")
]
Until = Annotated[
    str | float | None,
    Field(description="ISO 8601, or seconds since 1970; null: it stays until it is removed."),
]


class LineEdit(Body):
    """Changes of a line; fields that are left out are not changed."""

    text: str | None = Field(
        None, description="The new text, also for events that are evidence for this line alone."
    )
    kind: LineKind | None = None
    tags: list[str] | None = None
    pinned: bool | None = Field(
        None, description="True: the line comes first in every memory block."
    )
    expires_at: Until = None


class PinRequest(InScope):
    text: str = Field(
        description="The text to pin. It comes first in every memory block of the conversation."
    )
    expires_at: Until = None


class CorrectRequest(InScope):
    wrong: str = Field("", description="The wrong statement of memory, in words.")
    right: str = Field(
        "", description="The correct statement; empty: the wrong one is only removed."
    )
    target_id: str = Field("", description="The id of a candidate that an earlier answer offered.")


class Corrected(BaseModel):
    correction: CorrectionData | None = Field(description="None: nothing has changed.")
    candidates: list[CandidateData] = Field(
        description="The statements that may be meant, best first; pass the id of one as `target_id`. Empty if no record says it."
    )


class Corrections(BaseModel):
    corrections: list[CorrectionData] = Field(description="Newest first.")


class Pins(BaseModel):
    pins: list[ProfileLine]


class Unpinned(BaseModel):
    unpinned: bool = Field(description="False: the conversation has no pin with this id.")


async def _scope(
    caller: CallerHere,
    scope: ScopeParameter = None,
    user_id: Annotated[str | None, Query(description="The speaker in a group.")] = None,
) -> Scope | None:
    return caller.scope_named(scope, user_id)


async def _conversation(
    caller: CallerHere, scope: Annotated[Scope | None, Depends(_scope)]
) -> Scope:
    return scope or caller.needed_scope(None)


SpokenScope = Annotated[Scope | None, Depends(_scope)]
"""The scope of a request, with its speaker. It is None if the operator names no scope."""
Conversation = Annotated[Scope, Depends(_conversation)]
"""The scope of a request that must have one, with its speaker."""


@router.patch("/lines/{line_id}")
async def edit_line(
    line_id: str, asked: LineEdit, memory: MemoryHere, scope: SpokenScope
) -> CorrectionData:
    """Edit a line of a profile: its text, also in events that are evidence for it alone, or its other fields."""
    fields: dict[str, Any] = asked.model_dump(exclude_unset=True)
    return correction_data(await memory.edit_line(line_id, **fields, scope=scope))


@router.delete("/lines/{line_id}")
async def delete_line(
    line_id: str,
    memory: MemoryHere,
    scope: SpokenScope,
    messages: Annotated[
        bool, Query(description="Also hide the messages that it is based on.")
    ] = False,
    dry_run: DryRun = False,
) -> CorrectionData:
    """Delete a line of a profile, and the events that it is based on."""
    how: dict[str, bool] = {"messages": messages, "dry_run": dry_run}
    return correction_data(await memory.delete_line(line_id, scope=scope, **how))


@router.post("/correct")
async def correct(asked: CorrectRequest, memory: MemoryHere, caller: CallerHere) -> Corrected:
    """Remove or replace a wrong statement. Candidates are returned if several statements may be meant."""
    found = await memory.correct(
        asked.wrong, asked.right, scope=asked.scope_for(caller), target_id=asked.target_id
    )
    if isinstance(found, Correction):
        return Corrected(correction=correction_data(found), candidates=[])
    return Corrected(correction=None, candidates=found)


@router.get("/corrections")
async def list_corrections(
    memory: MemoryHere, scope: SpokenScope, limit: Annotated[int, Query(ge=1, le=500)] = 20
) -> Corrections:
    """The last corrections that can be undone."""
    found = await memory.list_corrections(scope=scope, limit=limit)
    return Corrections(corrections=[*map(correction_data, found)])


@router.post("/corrections/{correction_id}/undo")
async def undo(correction_id: str, memory: MemoryHere, scope: SpokenScope) -> CorrectionData:
    """Undo a correction: restore what it removed or replaced."""
    return correction_data(await memory.undo(correction_id, scope=scope))


@router.get("/pins")
async def list_pins(memory: MemoryHere, scope: Conversation) -> Pins:
    """The pins of a conversation, which come first in each of its memory blocks."""
    return Pins(pins=await memory.list_pins(scope))


@router.post("/pins")
async def pin(asked: PinRequest, memory: MemoryHere, caller: CallerHere) -> ProfileLine:
    """Pin a text, which then comes first in every memory block of the conversation."""
    scope = asked.scope_for(caller)
    return await memory.pin(asked.text, scope, expires_at=asked.expires_at)


@router.delete("/pins/{line_id}")
async def unpin(line_id: str, memory: MemoryHere, scope: Conversation) -> Unpinned:
    """Remove a pin."""
    return Unpinned(unpinned=await memory.unpin(line_id, scope))
