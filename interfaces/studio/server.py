"""Additions to LangGraph's development server (`http.app` in `langgraph.json`).

Requests are checked. The server itself answers every client, and a web page in a browser on this
machine is such a client. Therefore the `Host` of a request must be a name of this machine: a page
of another site that resolves its host name to 127.0.0.1 sends that other name. The `Origin` must be
that of Studio or of this machine: browsers send it with the requests of scripts. Programs send no
`Origin`.

Nothing is written to disk. The server itself would write its threads and runs, with the unredacted
forms, to `.langgraph_api` in the current directory when it ends, and read them at the next start.
Here they are in memory only.
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
"""The environment variable for further allowed origins, separated by commas, such as those of a
Studio on another host."""

_OWN_HOST = re.compile(
    r"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?", re.IGNORECASE | re.ASCII
)
_IN_PROCESS = "/noauth"
"""The `root_path` of requests that the server sends to itself inside the process. No client can set
it."""


class LocalOnly:
    """ASGI middleware that refuses requests with a foreign `Host` or `Origin`.

    An HTTP request gets status 403; a web socket is closed before it opens.
    """

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
        """Return the reason why a request is refused; "" if it is accepted."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if not hosts or not all(map(_OWN_HOST.fullmatch, hosts)):
            return "this server is for its own machine: ask http://127.0.0.1 or http://localhost"
        if not all(map(self._is_known, origins)):
            return f"requests of this web page are refused; {ORIGINS_VARIABLE} names origins that may ask"
        # Browsers send no Origin when a page of another site loads an image or a script from here.
        # Following a link is allowed.
        if (
            not origins
            and headers.get("sec-fetch-site") == "cross-site"
            and headers.get("sec-fetch-mode") != "navigate"
        ):
            return "requests of other web sites are refused"
        return ""

    def _is_known(self, origin: str) -> bool:
        scheme, _, host = origin.lower().partition("://")
        return origin.lower() in self._origins or (
            scheme in ("http", "https") and _OWN_HOST.fullmatch(host) is not None
        )


def keep_in_memory() -> None:
    """Stop the server in this process from reading and writing files of its threads and runs.

    The setting `disable_persistence` in `langgraph.json` is not enough: the command line (0.4.40)
    does not pass it to the server, and it affects only some of the files.
    """
    if "langgraph_runtime_inmem" in sys.modules:
        kept: Any = import_module("langgraph.checkpoint.memory").PersistentDict
        kept.load = kept.sync = lambda self: None


def _clean_up() -> None:
    close_opened()
    # The server creates this directory. It is not empty if former versions wrote files into it.
    with suppress(OSError):
        Path(".langgraph_api").rmdir()


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    """Close the memory when the server stops.

    The exit handlers of the interpreter are not enough: a signal may end the process before they
    run.
    """
    try:
        yield
    finally:
        await asyncio.to_thread(_clean_up)


keep_in_memory()
app = Starlette(
    middleware=[
        Middleware(
            LocalOnly, origins=[STUDIO_ORIGIN, *os.environ.get(ORIGINS_VARIABLE, "").split(",")]
        )
    ],
    lifespan=_lifespan,
)
