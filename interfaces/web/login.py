"""Routes for signing in with a browser, and the health check.

A browser signs in with the one-time address that the server prints, or with a token that the user
types in.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from .access import SESSION_SECONDS, Access
from .guard import HEALTH
from .pages.rendering import page
from .pages.route import own_path
from .problems import Refused

router = APIRouter(include_in_schema=False)


@router.get(HEALTH)
async def health() -> dict[str, str]:
    """Report that the server is up, for the health checks of containers."""
    return {"status": "ok"}


@router.get("/login")
async def show(request: Request, token: str = "", then: str = "/") -> Response:
    """Begin a session with the one-time token of the address; without one, ask for a token."""
    if token:
        return _begun(request, token, then)
    return login_page(request, then=own_path(then))


@router.post("/login")
async def sign_in(
    request: Request, token: Annotated[str, Form()], then: Annotated[str, Form()] = "/"
) -> Response:
    """Begin a session with a token that was typed in."""
    return _begun(request, token.strip(), then)


@router.post("/logout")
async def sign_out(request: Request) -> Response:
    """End the session of this browser."""
    _access(request).end_session(request.state.cookies.get(request.app.state.cookie, ""))
    answer = RedirectResponse("/login", HTTPStatus.SEE_OTHER)
    answer.delete_cookie(request.app.state.cookie, httponly=True, samesite="strict")
    return answer


def login_page(request: Request, *, then: str, wrong: bool = False) -> Response:
    """Return the page that asks for a token.

    `then` is the path that is opened after signing in. `wrong` is True after a token was refused.
    """
    status = HTTPStatus.UNAUTHORIZED if wrong else HTTPStatus.OK
    return page(request, "login.html", status=status, then=then, wrong=wrong)


def _begun(request: Request, token: str, then: str) -> Response:
    session = _access(request).begin_session(token)
    if session is None:
        if "text/html" in request.headers.get("accept", ""):
            return login_page(request, then=own_path(then), wrong=True)
        raise Refused(HTTPStatus.UNAUTHORIZED, "this token is unknown, or was used already")
    answer = RedirectResponse(own_path(then), HTTPStatus.SEE_OTHER)
    answer.set_cookie(
        request.app.state.cookie,
        session,
        max_age=int(SESSION_SECONDS),
        httponly=True,
        samesite="strict",
        secure="https" in (request.url.scheme, request.headers.get("x-forwarded-proto", "")),
    )
    return answer


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access
