"""How long the pages take in a memory of 100,000 events, all of them in one group, and in 200 groups.

    python benchmarks/pages.py [--events N] [--times N]

The pages are asked for without a socket: what is measured is reading and rendering.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import tempfile
import time
from html import unescape
from pathlib import Path

import httpx
from historian.interfaces.web.app import make_app
from historian.schema.event import Event
from historian.schema.settings.source import parse_settings
from historian.service.cognitive import CognitiveService
from historian.stores.tables.events.store import EventStore
from machine import machine_line, row

WORDS = (
    "tea",
    "coffee",
    "茶",
    "咖啡",
    "moved to Lisbon",
    "plays chess",
    "喜欢爬山",
    "搬到杭州",
    "reads novels",
    "讨厌剧透",
)
AT_ONCE = 5_000
SECONDS_APART = 700.0
TOKEN = "token-of-the-benchmark"


async def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--events", type=int, default=100_000)
    options.add_argument("--times", type=int, default=20, help="how often each page is opened")
    given = options.parse_args()
    print(machine_line("fastapi", "jinja2"))
    for groups in (1, 200):
        with tempfile.TemporaryDirectory(prefix="historian-pages-") as directory:
            print(f"\n{given.events:,} events in {groups} groups")
            await measure(Path(directory), given.events, groups, given.times)


async def measure(directory: Path, count: int, groups: int, times: int) -> None:
    """Fill a memory and open its pages."""
    data = {
        "cognitive": {"data_dir": str(directory)},
        "models": {"embedding": {"provider": "none"}},
        "web": {"token": TOKEN},
    }
    data["web"]["requests_per_second"] = 1e5
    settings = parse_settings(data, environ={}, base=directory)
    async with CognitiveService.open(settings, worker=False) as memory:
        assert memory.lifecycle.opened is not None
        await asyncio.to_thread(fill, memory.lifecycle.opened.parts.events, count, groups)
        transport = httpx.ASGITransport(make_app(memory))
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers=headers
        ) as client:
            first = (await client.get("/group?id=0")).text
            older = re.search(r'rel="next" href="([^"]+)"', first)
            pages = {
                "overview": "/",
                "people": "/people",
                "groups": "/people?kind=group",
                "newest events": "/group?id=0",
                "the next page": unescape(older[1]) if older else "/group?id=0",
                "from the middle": f"/group?id=0&before={count / 2 * SECONDS_APART}~1",
                "one month": "/group?id=0&month=1970-03",
                "not absolute": "/group?id=0&absolute=no",
                "with words": "/group?id=0&text=Lisbon",
                "of a person": "/user?id=7",
                "search": "/search?q=Lisbon+tea&scope=g%3A0",
            }
            for name, path in pages.items():
                print(row(name, [await opened(client, path) for _ in range(times)]))


async def opened(client: httpx.AsyncClient, path: str) -> float:
    """Return the time of loading a page, in seconds."""
    started = time.perf_counter()
    answer = await client.get(path)
    answer.raise_for_status()
    return time.perf_counter() - started


def fill(store: EventStore, count: int, groups: int) -> None:
    """File events of 2,000 people, one every 700 seconds."""
    chance = random.Random(7)
    for start in range(0, count, AT_ONCE):
        events = [
            made(n, str(n % groups), str(n % 2_000), chance)
            for n in range(start, min(start + AT_ONCE, count))
        ]
        store.file_new(events, [None] * len(events))


def made(n: int, group: str, user: str, chance: random.Random) -> Event:
    """Return one event."""
    text = f"{chance.choice(WORDS)}, {chance.choice(WORDS)}, {n}"
    return Event(
        event_id=f"j{n}:0",
        job_id=f"j{n}",
        kind="fact",
        text=text,
        user_id=user,
        group_id=group,
        request_type="group",
        timestamp=n * SECONDS_APART,
        timestamp_local="2026-02-21T17:30:00+08:00",
        timezone="Asia/Shanghai",
        user_name=f"user {user}",
        group_name=f"group {group}",
        handed_over=f"she {text}",
        is_absolute=n % 10 > 0,
    )


if __name__ == "__main__":
    asyncio.run(main())
