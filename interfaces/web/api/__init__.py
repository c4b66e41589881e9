"""The JSON API, `/api/v1`."""

from __future__ import annotations

from fastapi import APIRouter

from . import articles, corrections, events, jobs, profiles, system, talk

router = APIRouter(prefix="/api/v1")
for _part in (talk, events, profiles, corrections, articles, jobs, system):
    router.include_router(_part.router)
