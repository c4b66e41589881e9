"""The search page, with the parts of each score and the block that the bot would get."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request, Response

from ....schema.errors import InvalidInput
from ....schema.hit import Hit
from ....schema.scope import Scope, scope_of_key
from ...texts import NAMES
from ..dependencies import MemoryHere, PartsHere
from . import known
from .rendering import page
from .route import PageRoute

router = APIRouter(route_class=PageRoute)

NEIGHBOURS = 2
"""Number of messages shown before and after each message that is found."""

STEPS: Mapping[str, str] = NAMES["pages"]["search_steps"]
"""The steps of a search in their order, with their display names."""


@router.get("/search")
async def show_search(
    request: Request, memory: MemoryHere, parts: PartsHere, q: str = "", scope: str = ""
) -> Response:
    """Search one conversation, or all of them, and show what a reply in that conversation would begin with."""
    q, where = q.strip(), _scope(scope.strip())
    hits: Sequence[Hit] = ()
    told, seconds = "", 0.0
    if q:
        started = time.perf_counter()
        hits = await (
            memory.search_everywhere(q)
            if where is None
            else memory.search_events(q, where, neighbours=NEIGHBOURS)
        )
        seconds = time.perf_counter() - started
        told = "" if where is None else await memory.build_context(q, where)
    steps = {
        name: label for name, label in STEPS.items() if any(name in hit.scores for hit in hits)
    }
    values: dict[str, Any] = {
        "q": q,
        "scope": scope.strip(),
        "hits": hits,
        "told": told,
        "milliseconds": 1000 * seconds,
    }
    values |= {
        "steps": steps,
        "highest": {name: max(abs(hit.scores.get(name, 0.0)) for hit in hits) for name in steps},
    }
    return page(
        request,
        "search.html",
        **values,
        conversations=await asyncio.to_thread(known.conversations, parts),
    )


def _scope(named: str) -> Scope | None:
    """Return the scope with the key `named`; None if it is empty.

    Raises InvalidInput if it is malformed.
    """
    if not named:
        return None
    scope = scope_of_key(named)
    if scope is None:
        raise InvalidInput(
            f"{named!r:.60} names no conversation; write g:ID for a group, p:ID for a private chat"
        )
    return scope
