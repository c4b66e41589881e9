"""The pages and the API over a memory in a temporary directory, asked without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastapi.routing
import httpx
from fastapi import FastAPI
from historian.interfaces.http_serving import http_server, listening_on
from historian.interfaces.web.app import make_app
from historian.schema.settings import Settings
from historian.schema.settings.source import parse_settings
from historian.service.cognitive import CognitiveService

HOST = "127.0.0.1:8765"
ORIGIN = f"http://{HOST}"
OPERATOR, GROUP_100, USER_7 = "operator-token-1234", "token-of-group-100", "token-of-user-seven"
"""Tokens: the operator's, that of the group 100, and that of the private chat with user 7."""


def read_routes_once() -> None:
    """Let FastAPI read a route once a process, not once for each application that has it.

    Applications share their routes, and find their memory by each request's `app`. To read all of
    them takes 150 ms or more, half of the time of a test that asks for a page.
    """
    read = fastapi.routing._EffectiveRouteContext.from_api_route
    known: dict[tuple[Any, ...], Any] = {}

    def read_once(*, original_route: Any, include_context: Any) -> Any:
        key = (
            id(original_route),
            include_context.path_for(original_route),
            repr(include_context.responses),
            *map(id, include_context.dependencies),
        )
        if key not in known:
            known[key] = read(original_route=original_route, include_context=include_context)
        return known[key]

    fastapi.routing._EffectiveRouteContext.from_api_route = read_once  # type: ignore[method-assign]


read_routes_once()


@dataclass(frozen=True)
class Web:
    """An open memory, its application, and a client of it that sends no token."""

    memory: CognitiveService
    app: FastAPI
    client: httpx.AsyncClient

    async def ask(
        self, method: str, path: str, token: str = OPERATOR, **more: Any
    ) -> httpx.Response:
        """Send a request with a token."""
        return await self.client.request(
            method, path, headers={"Authorization": f"Bearer {token}"}, **more
        )

    async def json(self, method: str, path: str, token: str = OPERATOR, **more: Any) -> Any:
        """Return the data of an answer; the test fails if it is a refusal."""
        answer = await self.ask(method, path, token, **more)
        assert answer.is_success, answer.text
        return answer.json()


def web_settings(
    directory: Path,
    recall_seconds: float | str = 20.0,
    stores: dict[str, str] | None = None,
    query: dict[str, Any] | None = None,
    profile: dict[str, Any] | None = None,
    **web: Any,
) -> Settings:
    """Return settings without models, with the three tokens; recalls have time on a busy machine."""
    cognitive: dict[str, Any] = {
        "data_dir": str(directory / "data"),
        "timezone": "Asia/Shanghai",
        "bot_name": "小史",
    }
    cognitive |= {"historian": {"poll_interval_seconds": 0.02}, "profile": profile or {}}
    cognitive |= {"query": {"recall_timeout_seconds": recall_seconds, **(query or {})}}
    tokens = {"token": OPERATOR, "scope_tokens": {"group:100": GROUP_100, "user:7": USER_7}}
    data = {
        "cognitive": cognitive,
        "models": {"embedding": {"provider": "none"}},
        "stores": stores or {},
        "web": {"requests_per_second": 1e5, **tokens, **web},
    }
    return parse_settings(data, environ={}, base=directory)


@asynccontextmanager
async def opened_web(directory: Path, *, worker: bool = False, **web: Any) -> AsyncIterator[Web]:
    """Open a memory and its application; `web` are settings."""
    async with CognitiveService.open(web_settings(directory, **web), worker=worker) as memory:
        app = make_app(memory)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client:
            yield Web(memory, app, client)


@asynccontextmanager
async def listening(app: FastAPI) -> AsyncIterator[int]:
    """Serve `app` on loopback in this event loop; yield the port."""
    with listening_on("127.0.0.1", 0) as listener:
        server = http_server(app)
        serving = asyncio.create_task(server._serve([listener]))  # without the handlers of signals
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            await serving
