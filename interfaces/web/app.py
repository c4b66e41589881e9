"""The ASGI application over an open memory."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from ... import __version__
from ...schema.settings import WebSettings
from ...service.cognitive import CognitiveService
from .access import Access
from .api import router as api
from .guard import Guard
from .login import router as login
from .pages import router as pages
from .problems import Problem, add_problems

STATIC_FILES = Path(__file__).parent / "static"


def make_app(
    memory: CognitiveService, settings: WebSettings | None = None, access: Access | None = None
) -> FastAPI:
    """Return the ASGI application of the pages and the API.

    The caller opens and closes `memory`. `settings` are by default `memory.settings.web`.
    """
    settings = memory.settings.web if settings is None else settings
    access = Access(settings, memory.lifecycle.clock) if access is None else access
    app = FastAPI(
        title="Historian",
        version=__version__,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # FastAPI's pages of documentation load scripts from another host
        redoc_url=None,
        responses={"4XX": {"model": Problem, "description": "The request is refused."}},
    )
    app.state.memory, app.state.access = memory, access
    # The port is part of the name, because browsers send a cookie to all ports of a host.
    app.state.cookie = f"historian_{settings.port}"
    add_problems(app)
    app.add_middleware(Guard, access=access, settings=settings, cookie=app.state.cookie)
    app.mount("/static", StaticFiles(directory=STATIC_FILES), name="static")
    app.include_router(login)
    app.include_router(api)
    app.include_router(pages)
    return app
