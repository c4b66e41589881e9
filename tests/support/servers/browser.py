"""The pages in a real browser: a server on loopback in a thread of its own, and Debian's chromium."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from historian.interfaces.http_serving import http_server, listening_on
from historian.interfaces.web.access import Access
from historian.interfaces.web.app import make_app
from historian.service.cognitive import CognitiveService
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from .web import OPERATOR, web_settings

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 10_000

Result = TypeVar("Result")


@dataclass(frozen=True)
class Served:
    """An open memory and its server. The memory belongs to the event loop of the server's thread: call it by `run`."""

    memory: CognitiveService
    access: Access
    url: str
    loop: asyncio.AbstractEventLoop

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Await `work` in the loop of the server."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)

    def enqueue(self, *given: Any, **fields: Any) -> None:
        """Hand a turn over, and wait until it is filed."""
        self.run(self.memory.enqueue_job(*given, **fields))
        assert self.run(self.memory.settled(20))


@contextmanager
def served(directory: Path, **web: Any) -> Iterator[Served]:
    """Serve a memory, with its worker, on a free port."""
    ready: Future[Served] = Future()
    done: list[Any] = []

    async def serve() -> None:
        settings = web_settings(directory, **web)
        with listening_on("127.0.0.1", 0) as listener:
            here = settings.web.model_copy(update={"port": listener.getsockname()[1]})
            async with CognitiveService.open(settings) as memory:
                await memory.ready()
                access = Access(here, memory.lifecycle.clock)
                server = http_server(make_app(memory, here, access))
                done.append(server)
                url = f"http://127.0.0.1:{here.port}"
                ready.set_result(Served(memory, access, url, asyncio.get_running_loop()))
                await server.serve(sockets=[listener])

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)

    thread = threading.Thread(target=run, name="pages")
    thread.start()
    try:
        yield ready.result(30)
    finally:
        for server in done:
            server.should_exit = True
        thread.join(30)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser. Where there is none the test is skipped, but not where all tests have to run (`CI`)."""
    path = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if path is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("no browser to test the pages with: install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """A browser's window that is signed in. `foreign` are requests to other hosts, `errors` what the console said."""

    page: Page
    url: str
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """Open a page of the server."""
        answer = self.page.goto(self.url + path, wait_until="load")
        assert answer is not None
        assert answer.status == 200, f"{path}: {answer.status} {answer.text()[:2000]}"
        return self.page

    def check(self) -> None:
        """Fail if anything was asked of another host, or if a script or a rule of the browser complained."""
        assert self.foreign == []
        assert self.errors == []


@contextmanager
def visit(
    browser: Browser,
    served: Served,
    *,
    language: str = "en",
    theme: str = "light",
    width: int = 1280,
    script: bool = True,
) -> Iterator[Visit]:
    """Sign a new visitor in, in whose window script may be switched off."""
    locale = {"en": "en-GB", "zh": "zh-CN"}[language]
    context: BrowserContext = browser.new_context(
        locale=locale,
        color_scheme="dark" if theme == "dark" else "light",
        viewport={"width": width, "height": 900},
        java_script_enabled=script,
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    seen = Visit(page, served.url)
    page.on(
        "request",
        lambda one: (
            None if one.url.startswith((served.url, "data:")) else seen.foreign.append(one.url)
        ),
    )
    page.on(
        "console",
        lambda one: seen.errors.append(one.text) if one.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    try:
        page.goto(f"{served.url}/login?token={served.access.link_token()}")
        yield seen
    finally:
        context.close()


__all__ = ["OPERATOR", "Served", "Visit", "chromium", "served", "visit"]
