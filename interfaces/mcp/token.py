"""The token that clients of the MCP server over HTTP must send.

It is needed because any program on the machine can open a connection.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...schema.errors import SettingsError
from ...schema.settings import checked_token
from ..http_serving import bearer_token

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

TOKEN_VARIABLE = "HISTORIAN_MCP_TOKEN"


def http_token(environ: Mapping[str, str] = os.environ) -> tuple[str, bool]:
    """Return the token, and True if it is new.

    The token is the value of `HISTORIAN_MCP_TOKEN`, or a new random one if that is not set. Raises
    SettingsError if the value is not a valid token.
    """
    given = environ.get(TOKEN_VARIABLE, "")
    if not given:
        return secrets.token_urlsafe(24), True
    try:
        return checked_token(given), False
    except ValueError as error:
        raise SettingsError(f"{TOKEN_VARIABLE}: {error}; leave it out for a random one") from None


class TokenRequired:
    """ASGI middleware that answers requests without the right `Authorization: Bearer` with 401."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or self._is_allowed(scope):
            await self._app(scope, receive, send)
            return
        from starlette.responses import PlainTextResponse

        answer = PlainTextResponse(
            f"send the token that the server printed at its start, or {TOKEN_VARIABLE}, as `Authorization: Bearer TOKEN`\n",
            status_code=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
        await answer(scope, receive, send)

    def _is_allowed(self, scope: Scope) -> bool:
        from starlette.datastructures import Headers

        token = bearer_token(Headers(scope=scope))
        return token is not None and hmac.compare_digest(
            token.encode(errors="replace"), self._expected
        )
