"""The web pages on which the operator sees and changes a memory.

They work without JavaScript, except the live view.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from ....schema.language import Language
from ...texts import later
from ..dependencies import OPERATOR_ALONE
from . import corrections, entities, events, forgetting, jobs, searching, status
from .rendering import COOKIE, page
from .route import PageRoute, own_path

router = APIRouter(include_in_schema=False, route_class=PageRoute)
for _part in (status, entities, corrections, events, searching, jobs, forgetting):
    router.include_router(_part.router, dependencies=OPERATOR_ALONE)

YEAR_SECONDS = 365 * 86_400


@router.post("/language")
async def choose_language(
    language: Annotated[Language, Form()], then: Annotated[str, Form()] = "/"
) -> Response:
    """Store the language that a visitor chose in a cookie."""
    answer = RedirectResponse(own_path(then), 303)
    answer.set_cookie(COOKIE, language, max_age=YEAR_SECONDS, httponly=True, samesite="lax")
    return answer


@router.get("/{path:path}", dependencies=OPERATOR_ALONE)
async def nothing_here(request: Request, path: str) -> Response:
    """Answer a request for an unknown address: visitors get a page, programs get problem details."""
    if path.startswith("api/") or "text/html" not in request.headers.get("accept", ""):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return page(
        request, "error.html", status=HTTPStatus.NOT_FOUND, said=later("There is no such page.")
    )
