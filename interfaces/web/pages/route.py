"""Routes that answer errors with a page."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Form, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from ....models.secrets import mask_known
from ....schema.errors import HistorianError
from ....schema.scope import EntityType
from ...texts import later
from ..problems import status_of
from .rendering import link, page


class PageRoute(APIRoute):
    """A route that answers an error of Historian, or an invalid form, with an error page."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except HistorianError as error:
                return page(
                    request,
                    "error.html",
                    status=status_of(error).value,
                    said=mask_known(str(error)),
                )
            except RequestValidationError:
                said = later("A field of this form is missing or invalid.")
                return page(request, "error.html", status=422, said=said)

        return handled


FormText = Annotated[str, Form()]
FormFlag = Annotated[bool, Form()]
FormNumber = Annotated[int, Form()]
FormKind = Annotated[EntityType, Form()]


def see(path: str, /, **parameters: object) -> RedirectResponse:
    """Return a redirect to a page, to be used after a form was processed."""
    return RedirectResponse(link(path, **parameters), 303)


def own_path(path: str) -> str:
    """Return `path` if it is on this server; "/" if a browser might open another server with it.

    >>> own_path("/people?kind=group"), own_path("//example.org"), own_path("https://example.org")
    ('/people?kind=group', '/', '/')
    """
    is_own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_own else "/"
