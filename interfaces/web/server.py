"""The server of `historian serve`."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from ...schema.errors import SettingsError
from ...schema.settings import WebSettings
from ...service.cognitive import CognitiveService
from ..http_serving import http_server, listening_on, serve_until_stopped

if TYPE_CHECKING:
    from fastapi import FastAPI
    from uvicorn import Server

    from .access import Access


def check_host(settings: WebSettings) -> None:
    """Raise SettingsError if other machines can reach `web.host` and `web.token` is not set."""
    if not settings.token and not _is_loopback(settings.host):
        raise SettingsError(
            f"web.host = {settings.host!r} can be reached from other machines: set web.token (or HISTORIAN__WEB__TOKEN) to a "
            "long random text first, or leave the host at 127.0.0.1"
        )


def make_web_app(memory: CognitiveService) -> FastAPI:
    """Return the pages and the JSON API of `memory` as an ASGI application, for your own server.

    The server should limit the size of request heads and the time to send them, as the server of
    `make_web_server` does. The pages ask the user for `web.token`. Raises SettingsError if this
    token is not set, or if the packages of the extra `web` are missing.
    """
    settings = memory.settings.web
    if not settings.token:
        raise SettingsError(
            "web.token: set it (or HISTORIAN__WEB__TOKEN) to a long random text; the pages ask for it"
        )
    return _made(memory, settings)


def make_web_server(memory: CognitiveService) -> Server:
    """Return a server of `make_web_app(memory)` at `web.host` and `web.port`.

    It can run in the process of a bot: `await server.serve()`. The live view then shows the jobs of
    this bot.
    """
    app, settings = make_web_app(memory), memory.settings.web
    return http_server(app, settings.host, settings.port)


async def serve(
    memory: CognitiveService, settings: WebSettings, listening: Callable[[str, Access], None]
) -> None:
    """Serve the pages and the API over an open memory until SIGINT or SIGTERM.

    `listening` is called with the address (`http://127.0.0.1:8765`) and the tokens. Raises
    InvalidInput if the port is in use. Raises SettingsError under the condition of `check_host`, or
    if the packages of the extra `web` are missing.
    """
    check_host(settings)
    with listening_on(settings.host, settings.port) as listener:
        settings = settings.model_copy(update={"port": listener.getsockname()[1]})
        app = _made(memory, settings)
        url = f"http://{_shown(settings.host)}:{settings.port}"
        await serve_until_stopped(app, listener, lambda: listening(url, app.state.access))


def _made(memory: CognitiveService, settings: WebSettings) -> FastAPI:
    try:
        from .app import make_app
    except ImportError as error:
        raise SettingsError(
            f'the pages need more packages ({error}): pip install "langgraph-historian[web]"'
        ) from None
    return make_app(memory, settings)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def _shown(host: str) -> str:
    """Return the host for a URL that works on this machine; 127.0.0.1 for a wildcard address."""
    if host in ("", "0.0.0.0", "::"):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
