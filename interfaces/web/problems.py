"""Error responses as problem details (RFC 9457).

The body has `type`, `title`, `status` and `detail`, and `errors` for invalid fields of a request.
"""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from ...models.secrets import mask_known
from ...schema.errors import (
    HistorianError,
    InvalidInput,
    ModelError,
    RevisionConflict,
    StorageError,
)
from ..lookups import NotFound

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"


class Refused(HistorianError):
    """An error that refuses a request. `status` and `headers` are those of the response."""

    def __init__(
        self, status: HTTPStatus, detail: str, *, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.headers = headers or {}


class FieldProblem(BaseModel):
    """What is wrong with one field of a request."""

    field: str
    problem: str


class Problem(BaseModel):
    """The body of every answer that is an error."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[FieldProblem] = []


def problem(
    status: HTTPStatus, detail: str, headers: dict[str, str] | None = None, **more: Any
) -> Response:
    """Return an error as a response."""
    data = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": mask_known(detail),
        **more,
    }
    return Response(
        json.dumps(data, ensure_ascii=False).encode(errors="replace"),
        status.value,
        headers,
        MEDIA_TYPE,
    )


def status_of(error: HistorianError) -> HTTPStatus:
    """Return the HTTP status for an error of Historian."""
    if isinstance(error, Refused):
        return error.status
    if isinstance(error, InvalidInput):
        return HTTPStatus.UNPROCESSABLE_ENTITY
    if isinstance(error, NotFound):
        return HTTPStatus.NOT_FOUND
    is_away = isinstance(error, StorageError | ModelError) and not isinstance(
        error, RevisionConflict
    )
    return HTTPStatus.SERVICE_UNAVAILABLE if is_away else HTTPStatus.CONFLICT


def add_problems(app: FastAPI) -> None:
    """Install handlers that answer every error of `app` with problem details.

    A response quotes only short values of the request.
    """

    @app.exception_handler(HistorianError)
    async def refused(request: Request, error: HistorianError) -> Response:
        return problem(
            status_of(error), str(error), error.headers if isinstance(error, Refused) else None
        )

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        return problem(HTTPStatus(error.status_code), str(error.detail), dict(error.headers or {}))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        errors = [
            {
                # For invalid JSON, `loc` contains a position instead of a field.
                "field": "body"
                if one["type"] == "json_invalid"
                else ".".join(map(str, one["loc"][1:])) or str(one["loc"][0]),
                "problem": one["msg"].removeprefix("Value error, "),
            }
            for one in error.errors()
        ]
        detail = "; ".join(f"{one['field']}: {one['problem']}" for one in errors[:3])
        return problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, errors=errors)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        # The server logs the error with its traceback. The response does not describe the error.
        return problem(
            HTTPStatus.INTERNAL_SERVER_ERROR,
            "an internal error of Historian; see the log of the server",
        )
