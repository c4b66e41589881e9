"""What is added to LangGraph's development server: who may ask it, and that it keeps nothing (`http.app` in `langgraph.json`).

The server answers whoever reaches it, and a web page in a browser of this machine does. So before any request is carried out
its `Host` must be this machine's own (a page of another site that resolves its name to 127.0.0.1 sends that name), and its
`Origin`, which browsers send with all that a script asks, must be Studio's or this machine's. Programs send no `Origin`.

The server would also write its threads and runs, with the forms as they were typed, to `.langgraph_api` in the current directory
when it ends, and read them at the next start. They are kept in memory only.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from .memory import close_opened

STUDIO_ORIGIN = "https://smith.langchain.com"
ORIGINS_VARIABLE = "HISTORIAN_STUDIO_ORIGINS"
"""More origins, separated by commas: of a Studio that is hosted elsewhere."""

_OWN_HOST = re.compile(r"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?", re.IGNORECASE | re.ASCII)
_IN_PROCESS = "/noauth"
"""`root_path` of the requests that the server sends to itself without a network; nobody outside can set it."""


class LocalOnly:
    """ASGI middleware that refuses requests with a foreign `Host` or `Origin`: HTTP with 403, web sockets unopened."""

    def __init__(self, app: ASGIApp, origins: Iterable[str]) -> None:
        self.app = app
        self._origins = frozenset(one.strip().rstrip("/").lower() for one in origins if one.strip())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or scope.get("root_path", "").startswith(_IN_PROCESS):
            await self.app(scope, receive, send)
            return
        reason = self.refusal(Headers(scope=scope))
        if not reason:
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await JSONResponse({"detail": reason}, status_code=403)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})

    def refusal(self, headers: Headers) -> str:
        """Return why a request is refused, or ""."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if not hosts or not all(map(_OWN_HOST.fullmatch, hosts)):
            return "this server is for its own machine: ask http://127.0.0.1 or http://localhost"
        if not all(map(self._is_known, origins)):
            return f"requests of this web page are refused; {ORIGINS_VARIABLE} names origins that may ask"
        # Pictures, forms and scripts of other sites are asked for without an origin; following a link is not refused.
        if not origins and headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return "requests of other web sites are refused"
        return ""

    def _is_known(self, origin: str) -> bool:
        scheme, _, host = origin.lower().partition("://")
        return origin.lower() in self._origins or (scheme in ("http", "https") and _OWN_HOST.fullmatch(host) is not None)


def keep_in_memory() -> None:
    """Let the server that runs in this process read its threads and runs from no file, and write them to none.

    `disable_persistence` in `langgraph.json` is not handed on by the command line (0.4.40), and spares only some files.
    """
    if "langgraph_runtime_inmem" in sys.modules:
        kept: Any = import_module("langgraph.checkpoint.memory").PersistentDict
        kept.load = kept.sync = lambda self: None


def _clean_up() -> None:
    close_opened()
    with suppress(OSError):  # the server makes it and leaves it empty; files in it are of former versions
        Path(".langgraph_api").rmdir()


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    """Close the memory when the server stops: a signal may end the process before the interpreter's own exit handlers."""
    try:
        yield
    finally:
        await asyncio.to_thread(_clean_up)


keep_in_memory()
app = Starlette(
    middleware=[Middleware(LocalOnly, origins=[STUDIO_ORIGIN, *os.environ.get(ORIGINS_VARIABLE, "").split(",")])],
    lifespan=_lifespan,
)
