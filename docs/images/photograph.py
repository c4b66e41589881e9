"""Photograph the pages of the README: a person, and the live view, in both languages.

    python docs/images/photograph.py [FOLDER]        # default: the folder of this script; wants chromium and playwright

`historian serve` is run over an empty memory and is handed the conversations of `historian demo`, and what the same people say
some weeks later.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from historian.interfaces.cli.demo_conversation import conversation
from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
LATER: dict[str, dict[str, Any]] = {
    "ann": {
        "timestamp": "2026-04-02T20:15:00+00:00",
        "action_summary": "I wished her a good start in Porto and promised to look for a club there next week",
        "new_info": ["She moved to Porto yesterday", "She plays Catan every Friday"],
    },
    "1001": {
        "timestamp": "2026-04-02T20:15:00+08:00",
        "action_summary": "我祝他在苏州一切顺利，答应下周帮他找那边的读书会",
        "new_info": ["他搬到苏州了", "他最近在读《银河帝国》"],
    },
}
PERSONS = {"en": ("ann", ""), "zh": ("1001", ".zh-CN")}
"""Whose page is shown in a language, and how the names of its pictures end."""


def main(folder: Path) -> None:
    """Write the pictures."""
    with served() as (link, url, token), sync_playwright() as playwright:
        turns = [turn.fields for turn in conversation()[0]]
        places = {turn["user_id"]: turn for turn in reversed(turns) if turn.get("group_id")}
        later = {
            user: {**places[user], **more, "request_id": f"later-{user}"}
            for user, more in LATER.items()
        }
        with httpx.Client(
            base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {token}"}
        ) as client:
            for turn in turns:
                client.post("/jobs", json=turn).raise_for_status()
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            state = signed_in(browser, link)
            for language, (user, ending) in PERSONS.items():
                page = opened(browser, state, language)
                page.goto(f"{url}/live")
                client.post("/jobs", json=later[user]).raise_for_status()
                page.locator(".passing .card").filter(has_text=f"later-{user}").locator(
                    ".step"
                ).nth(4).wait_for()
                page.screenshot(path=folder / f"live{ending}.png")
                page.locator(".passing .card").filter(has_text=f"later-{user}").locator(
                    "h2 .tag"
                ).wait_for()
                page.goto(f"{url}/user?id={user}")
                page.screenshot(path=folder / f"person{ending}.png")
            browser.close()


@contextmanager
def served() -> Iterator[tuple[str, str, str]]:
    """Run the server; yields the address that signs in, the plain one, and the operator's token."""
    with tempfile.TemporaryDirectory(prefix="historian-pictures-") as directory:
        command = [
            sys.executable,
            "-m",
            "historian",
            "--data-dir",
            directory,
            "serve",
            "--port",
            "0",
            "--json",
        ]
        environment = {**os.environ, "HISTORIAN__MODELS__EMBEDDING__PROVIDER": "none"}
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, env=environment, text=True
        ) as process:
            try:
                assert process.stdout is not None
                told = json.loads(process.stdout.readline())
                yield told["link"], told["url"], told["token"]
            finally:
                process.terminate()


def signed_in(browser: Browser, link: str) -> Any:
    """Return the cookies of a browser that opened the address once."""
    context = browser.new_context()
    context.new_page().goto(link)
    return context.storage_state()


def opened(browser: Browser, state: Any, language: str) -> Page:
    """Return a window whose visitor reads a language."""
    locale = {"en": "en-GB", "zh": "zh-CN"}[language]
    size = {"width": 1180, "height": 860}
    return browser.new_context(
        storage_state=state, locale=locale, color_scheme="light", viewport=size
    ).new_page()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else HERE)
