"""Profiles of people and groups, and their revisions. A profile is named by its entity: `user:42`, `group:7`."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Annotated, cast, get_args

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, Field

from ....schema.entity import Entity
from ....schema.errors import InvalidInput
from ....schema.ids import told
from ....schema.profile import Profile, ProfileLine
from ....schema.scope import EntityType
from ....service.components import Parts
from ....service.inspection.json_data import profile_data, profile_lines
from ...revisions import PUBLIC, profile_layers
from ..dependencies import CallerHere, MemoryHere, OperatorHere, PartsHere, ScopeParameter
from ..problems import Refused
from .revisions import Commanded, Diff, difference, numbered, rolled_back
from .talk import Body

router = APIRouter(tags=["profiles"])

EntityParameter = Annotated[str, Query(description="`user:ID` or `group:ID`.")]
LayerParameter = Annotated[str | None, Query(description="`public`, `private` or `g:ID`, where there are several layers.")]


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
    revisions: list[ProfileData] = Field(description="Newest first; the first one is the current one.")


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
    """All profiles, a row a layer, in the order of their names."""
    keys = sorted(parts.profiles.keys(), key=lambda key: (key.entity_type, key.entity_id, key.layer))
    found = [one for key in keys[offset : offset + limit] if (one := parts.profiles.read(key)) is not None]
    return Profiles(profiles=[ProfileData.of(one) for one in found], total=len(keys))


@router.get("/profile")
async def show_profile(
    entity: EntityParameter, memory: MemoryHere, parts: PartsHere, caller: CallerHere, scope: ScopeParameter = None
) -> Profiles:
    """The layers of a profile; with a scope what may be read there, as one."""
    whose, where = named_entity(entity), caller.scope_named(scope)
    if where is None:
        found = await asyncio.to_thread(profile_layers, parts, whose)
    else:
        one = await memory.get_profile(whose.type, whose.id, where)
        found = [] if one is None else [one]
    if not found:
        raise _no_profile(entity)
    return Profiles(profiles=[ProfileData.of(one) for one in found], total=len(found))


async def _kept(entity: EntityParameter, parts: PartsHere, operator: OperatorHere, layer: LayerParameter = None) -> list[Profile]:
    return await asyncio.to_thread(kept_revisions, parts, entity, layer)


KeptHere = Annotated[list[Profile], Depends(_kept)]


@router.get("/profile/history")
async def history(kept: KeptHere) -> ProfileRevisions:
    """The revisions of a profile that are kept."""
    return ProfileRevisions(revisions=[ProfileData.of(one) for one in kept])


@router.get("/profile/diff")
async def diff(kept: KeptHere, old: int | None = None, new: int | None = None) -> Diff:
    """What changed between two revisions, by default the last two."""
    return difference(kept, old, new, profile_lines)


@router.post("/profile/rollback")
async def roll_back(
    asked: ProfileRollback, memory: MemoryHere, parts: PartsHere, operator: OperatorHere, response: Response
) -> Commanded:
    """Bring an earlier revision back, as a new one."""
    current, *earlier = await asyncio.to_thread(kept_revisions, parts, asked.entity, asked.layer)
    numbered(earlier, asked.revision)
    key = current.key
    payload = {"entity_type": key.entity_type, "entity_id": key.entity_id, "layer": key.layer, "revision": asked.revision}
    return await rolled_back(memory, "rollback", payload, response)


def named_entity(named: str) -> Entity:
    """Return the user or group of `user:42` or `group:7`. Raises InvalidInput."""
    kind, colon, entity_id = named.partition(":")
    if not colon or kind not in get_args(EntityType):
        raise InvalidInput(f"entity: {told(named)} names nobody; write user:ID or group:ID")
    return Entity(cast("EntityType", kind), entity_id)


def kept_revisions(parts: Parts, entity: str, layer: str | None) -> list[Profile]:
    """Return the revisions of one layer of a profile, newest first. Raises Refused; InvalidInput for several layers."""
    found = profile_layers(parts, named_entity(entity), layer)
    if not found:
        raise _no_profile(entity)
    if len(found) > 1:
        layers = ", ".join(one.key.layer or PUBLIC for one in found)
        raise InvalidInput(f"layer: this profile has several; name one of {layers}")
    return [found[0], *parts.profiles.history(found[0].key)]


def _no_profile(entity: str) -> Refused:
    detail = f"there is no profile of {entity!r:.80} here; GET /api/v1/profiles lists those that exist"
    return Refused(HTTPStatus.NOT_FOUND, detail)
