"""Serves an ASGI application on one socket until a signal arrives.

Used by the MCP server and by the web pages and API of `historian serve`.
"""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ..schema.errors import InvalidInput

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import ASGIApp
    from uvicorn import Server

MOST_HEAD_BYTES = 16 * 1024
STOP_SECONDS = 2
"""Seconds that running requests may still take when the server stops."""


@contextmanager
def listening_on(host: str, port: int) -> Iterator[socket.socket]:
    """Yield a listening socket. Port 0 selects a free port.

    Raises InvalidInput if the address cannot be bound.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen()  # before the address is announced, so that an early request waits instead of being refused
        except OSError as error:
            raise InvalidInput(
                f"port {port}: {error.strerror or error}; choose another, or 0 for a free one"
            ) from None
        yield listener


def http_server(app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> Server:
    """Return a server whose connections are limited in number and time (`http_connections.py`)."""
    import uvicorn

    from .http_connections import MOST_AT_ONCE, BoundedConnection

    config = uvicorn.Config(
        app,
        host,
        port,
        http=BoundedConnection,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws="none",
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
        limit_concurrency=MOST_AT_ONCE + 1,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    return uvicorn.Server(config)


async def serve_until_stopped(
    app: ASGIApp, listener: socket.socket, announce: Callable[[], None]
) -> None:
    """Serve `app` until SIGINT or SIGTERM.

    `announce` is called after the signal handlers are installed.
    """
    http = http_server(app)

    def stop() -> None:
        http.should_exit = True

    loop = asyncio.get_running_loop()
    for one in (signal.SIGINT, signal.SIGTERM):
        # After its shutdown uvicorn raises the signal a second time. This handler catches it, so
        # that the process can still close the stores.
        with suppress(NotImplementedError):
            loop.add_signal_handler(one, stop)
    announce()
    await http.serve(sockets=[listener])


def bearer_token(headers: Headers) -> str | None:
    """Return the token of the header `Authorization: Bearer TOKEN`.

    Return None if there is no such header, or if there are several Authorization headers.
    """
    given = headers.getlist("authorization")
    kind, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return token.strip() if kind.lower() == "bearer" else None
