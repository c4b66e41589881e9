"""What the server of the pages costs: its start, its memory, a page of many events, and a flood of requests beside recalls.

    python benchmarks/web.py [--events 100000] [--runs 5]

Starts `historian serve` in a process of its own, without models; beside it the bare service, which is what a bot has open without
the server. Times are in milliseconds. `tests/integration/web/test_flood.py` floods a server as the last part here does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from historian.schema.scope import Scope
from historian.service.components import open_parts
from machine import machine_line, percentile

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.command import NO_MODELS
from support.events import file_texts
from support.servers.web import OPERATOR, listening, opened_web, web_settings

TOKEN = "a-token-of-the-benchmark"
BARE = """
import asyncio, sys
from historian import CognitiveService, Settings
async def main():
    async with CognitiveService.open(worker={work}) as memory:
        await memory.ready(30)
        print("open", flush=True)
        await asyncio.to_thread(sys.stdin.read)
asyncio.run(main())
"""


@contextmanager
def process(
    directory: Path, command: list[str]
) -> Iterator[tuple[subprocess.Popen[str], str, float]]:
    """Start a process; yield it with the first line of its output and the seconds until that
    line.
    """
    environ = {
        **os.environ,
        **NO_MODELS,
        "HISTORIAN__WEB__TOKEN": TOKEN,
        "HISTORIAN__WEB__REQUESTS_PER_SECOND": "100000",
    }
    environ["HISTORIAN__COGNITIVE__DATA_DIR"] = str(directory / "data")
    started = time.perf_counter()
    running = subprocess.Popen(
        command,
        env=environ,
        cwd=directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert running.stdout is not None
        line = running.stdout.readline()
        yield running, line, time.perf_counter() - started
    finally:
        running.kill()
        running.communicate()


def memory_of(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS:"))) / 1024


def start(
    directory: Path, runs: int, *options: str
) -> tuple[list[float], list[float], list[float], float]:
    """Return three times in seconds and the memory: until the address is printed, of the first page
    after that, and of a second page.
    """
    printed, first, second, held = [], [], [], 0.0
    for _ in range(runs):
        command = [
            sys.executable,
            "-m",
            "historian.interfaces.cli",
            "serve",
            "--json",
            "--port",
            "0",
            *options,
        ]
        with process(directory, command) as (running, line, seconds):
            said = json.loads(line)
            printed.append(seconds)
            with httpx.Client(base_url=said["url"], timeout=30) as browser:
                for times, path in ((first, said["link"]), (second, "/")):
                    begun = time.perf_counter()
                    browser.get(path, follow_redirects=True).raise_for_status()
                    times.append(time.perf_counter() - begun)
            time.sleep(2)
            held = memory_of(running.pid)
    return printed, first, second, held


def fill(directory: Path, events: int) -> None:
    """File events of one group, a hundred per job."""
    settings = web_settings(directory)
    parts = open_parts(settings, clock=time.time)
    for n in range(0, events, 100):
        texts = [
            f"小林在第{n + i}天读了第{i}章，并且说他更喜欢前一章里的那只叫阿橘的猫"
            for i in range(100)
        ]
        file_texts(parts.events, texts, f"j{n}-0", group="100", timestamp=1.7e9 + 60.0 * n)
    asyncio.run(parts.aclose())


def pages(
    directory: Path, runs: int, queries: dict[str, dict[str, Any]], path: str
) -> dict[str, list[float]]:
    """Return the seconds of the requests, by the name of the query."""
    command = [sys.executable, "-m", "historian.interfaces.cli", "serve", "--json", "--port", "0"]
    took: dict[str, list[float]] = {}
    with process(directory, command) as (_, line, _seconds):
        said = json.loads(line)
        with httpx.Client(
            base_url=said["url"], timeout=60, headers={"Authorization": f"Bearer {TOKEN}"}
        ) as browser:
            for name, query in queries.items():
                for _ in range(runs):
                    begun = time.perf_counter()
                    browser.get(path, params=query).raise_for_status()
                    took.setdefault(name, []).append(time.perf_counter() - begun)
    return took


async def flood(directory: Path, seconds: float) -> tuple[dict[str, int], list[float], list[float]]:
    """Return the number of answers to a flood by status, and the seconds of recalls without and
    during the flood.
    """
    client = Path(__file__).resolve().parents[1] / "tests/support/servers/flood.py"
    async with (
        opened_web(directory, requests_per_second=50.0, recall_seconds="auto") as web,
        listening(web.app) as port,
    ):
        await web.memory.ready(30)
        opened = web.memory.lifecycle.opened
        assert opened is not None
        file_texts(
            opened.parts.events, [f"阿明读了第{n}本书" for n in range(500)], "a-0", group="100"
        )
        scope = Scope.group("100", "42")
        for _ in range(20):
            await web.memory.build_context("读了什么书", scope)

        async def recall() -> float:
            begun = time.perf_counter()
            await web.memory.build_context("读了什么书", scope)
            return time.perf_counter() - begun

        quiet = [await recall() for _ in range(100)]
        running = await asyncio.create_subprocess_exec(
            *(sys.executable, str(client), str(port), OPERATOR, "1000", str(seconds)),
            stdout=asyncio.subprocess.PIPE,
        )
        beside = []
        ended = asyncio.ensure_future(running.wait())
        while not ended.done():
            beside.append(await recall())
            await asyncio.wait({ended}, timeout=0.02)
        assert running.stdout is not None
        return json.loads(await running.stdout.read()), quiet, beside


def told(name: str, seconds: list[float]) -> None:
    cells = [
        1000 * value
        for value in (
            min(seconds),
            percentile(seconds, 0.5),
            percentile(seconds, 0.95),
            max(seconds),
        )
    ]
    print(
        f"| {name} | {len(seconds)} | {' | '.join(f'{cell:.0f}' for cell in cells)} |", flush=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    print(machine_line("fastapi", "uvicorn"))
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        printed, first, second, held = start(directory, options.runs)
        _, _, _, reading = start(directory, 1, "--no-worker")
        bare = {}
        for work in (True, False):
            with process(directory, [sys.executable, "-c", BARE.format(work=work)]) as (
                running,
                _,
                _seconds,
            ):
                time.sleep(2)
                bare[work] = memory_of(running.pid)
        print(
            "\n| ms | n | shortest | median | p95 | longest |\n| --- | ---: | ---: | ---: | ---: | ---: |"
        )
        told("from the command to its address", printed)
        told("the first page after that", first)
        told("a page after that", second)
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        fill(directory, options.events)
        middle = f"{1.7e9 + 60.0 * (options.events // 200) * 100!r}~0"
        queries = {
            "first page": {"scope": "group:100"},
            "in the middle": {"scope": "group:100", "cursor": middle},
            "of all conversations": {},
            "by kind that is rare": {"scope": "group:100", "kind": "action"},
            "by words": {"scope": "group:100", "text": "第77章"},
        }
        for name, seconds in pages(directory, 20, queries, "/api/v1/events").items():
            told(f"100 of {options.events:,} events, {name}", seconds)
    with tempfile.TemporaryDirectory() as folder:
        answers, quiet, beside = asyncio.run(flood(Path(folder), 5.0))
        told("a recall", quiet)
        told("a recall beside 1,000 requests a second", beside)
    with_worker, without = (
        f"serve {held:.0f} MB, bare service {bare[True]:.0f} MB",
        f"{reading:.0f} and {bare[False]:.0f} MB",
    )
    print(f"\nidle memory: {with_worker}; without the worker {without}")
    print(f"flood of 5 s: {answers}")


if __name__ == "__main__":
    main()
