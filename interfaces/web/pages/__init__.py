"""The pages for people: what a memory holds, as the operator sees and changes it. They work without script."""

from __future__ import annotations

from fastapi import APIRouter

from . import elsewhere, entities, events, forgetting, jobs, searching, status
from .route import PageRoute

router = APIRouter(include_in_schema=False, route_class=PageRoute)
for _part in (status, entities, events, searching, jobs, forgetting, elsewhere):
    router.include_router(_part.router)
