"""Addresses at which there is no page."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import HTTPException, Request, Response

from ..dependencies import OperatorHere
from .language import later
from .rendering import page
from .route import pages_router

router = pages_router()


@router.get("/{path:path}")
async def nothing_here(request: Request, operator: OperatorHere, path: str) -> Response:
    """Tell a visitor that there is no such page; programs get problem details."""
    if path.startswith("api/") or "text/html" not in request.headers.get("accept", ""):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return page(request, "error.html", status=HTTPStatus.NOT_FOUND, said=later("There is no such page."))
