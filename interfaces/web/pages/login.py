"""The page that asks for a token."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import Request, Response

from .rendering import page


def login_page(request: Request, *, then: str, wrong: bool = False) -> Response:
    """Return the page; `then` is the path that is opened next, `wrong` says that a token was refused."""
    status = HTTPStatus.UNAUTHORIZED if wrong else HTTPStatus.OK
    return page(request, "login.html", status=status, then=then, wrong=wrong)
