"""Routes for the profiles of people and groups, and for their revisions.

A profile is identified by its entity: `user:42`, `group:7`.
"""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, Field

from ....schema.profile import Profile, ProfileLine
from ....schema.scope import EntityType
from ....service.inspection.json_data import profile_data
from ...lookups import NotFound, named_entity, named_profile
from ...revisions import KeptRevisions, profile_revisions
from ..dependencies import CallerHere, MemoryHere, OperatorHere, PartsHere, ScopeParameter
from .revisions import Commanded, Diff, commanded, difference
from .talk import Body

router = APIRouter(tags=["profiles"])

EntityParameter = Annotated[str, Query(description="`user:ID` or `group:ID`.")]
LayerParameter = Annotated[
    str | None, Query(description="`public`, `private` or `g:ID`, if there are several layers.")
]


class ProfileData(BaseModel):
    entity_type: EntityType
    entity_id: str
    layer: str
    name: str
    tags: list[str]
    lines: list[ProfileLine] = Field(description="Its statements, each with its day and evidence.")
    summary: str = Field(description="The lines as a Markdown list.")
    revision: int
    updated_at: str
    source_event_id: str

    @classmethod
    def of(cls, one: Profile) -> ProfileData:
        return cls.model_validate(profile_data(one))


class Profiles(BaseModel):
    profiles: list[ProfileData]
    total: int


class ProfileRevisions(BaseModel):
    revisions: list[ProfileData] = Field(
        description="Newest first; the first one is the current one."
    )


class ProfileRollback(Body):
    entity: str
    layer: str | None = None
    revision: Annotated[int, Field(ge=1)]


@router.get("/profiles")
def list_profiles(
    parts: PartsHere,
    operator: OperatorHere,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Profiles:
    """All profiles, one row per layer, in the order of their names."""
    keys = sorted(
        parts.profiles.keys(), key=lambda key: (key.entity_type, key.entity_id, key.layer)
    )
    found = [
        one
        for key in keys[offset : offset + limit]
        if (one := parts.profiles.read(key)) is not None
    ]
    return Profiles(profiles=[ProfileData.of(one) for one in found], total=len(keys))


@router.get("/profile")
async def show_profile(
    entity: EntityParameter,
    memory: MemoryHere,
    parts: PartsHere,
    caller: CallerHere,
    scope: ScopeParameter = None,
) -> Profiles:
    """The layers of a profile; with a scope, the layers that may be read in it, merged into one."""
    where = caller.scope_named(scope)
    if where is None:
        found = await asyncio.to_thread(named_profile, parts, entity)
    else:
        whose = named_entity(entity)
        one = await memory.get_profile(whose.type, whose.id, where)
        if one is None:
            raise NotFound("there is no profile {entity!r:.80} here", entity=entity)
        found = [one]
    return Profiles(profiles=[ProfileData.of(one) for one in found], total=len(found))


async def _kept(
    entity: EntityParameter, parts: PartsHere, operator: OperatorHere, layer: LayerParameter = None
) -> KeptRevisions[Profile]:
    return await asyncio.to_thread(profile_revisions, parts, entity, layer)


KeptHere = Annotated[KeptRevisions[Profile], Depends(_kept)]


@router.get("/profile/history")
async def history(found: KeptHere) -> ProfileRevisions:
    """The stored revisions of a profile."""
    return ProfileRevisions(revisions=[ProfileData.of(one) for one in found.kept])


@router.get("/profile/diff")
async def diff(found: KeptHere, old: int | None = None, new: int | None = None) -> Diff:
    """The differences between two revisions, by default the last two."""
    return difference(found, old, new)


@router.post("/profile/rollback")
async def roll_back(
    asked: ProfileRollback,
    memory: MemoryHere,
    parts: PartsHere,
    operator: OperatorHere,
    response: Response,
) -> Commanded:
    """Restore an earlier revision as a new one."""
    found = await asyncio.to_thread(profile_revisions, parts, asked.entity, asked.layer)
    return await commanded(memory, found.rollback, found.command(asked.revision), response)
