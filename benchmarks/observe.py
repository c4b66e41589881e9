"""What observing costs an agent, how fast the background follows, and whether memory stays flat.

    python benchmarks/observe.py [--calls 20000] [--index 1000] [--many 100000] [--embedding none|local] [--folder DIR]

*Foreground*: `await on_tool_executed` with results of 2 KB and 10 MB while the queue is full and the background works it
off at full speed, beside an empty coroutine function, called in turns: the interpreter's own thread switches show in both.
*Indexed*: messages and tool results a second, until the last is stored. *Memory*: resident size over many observations.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from historian.schema.scope import Scope
from historian.schema.settings.source import parse_settings
from historian.service.cognitive import CognitiveService
from machine import machine_line, percentile

SCOPE = Scope.group("100", "42")
WORDS = (
    "memory",
    "harbour",
    "lantern",
    "river",
    "the",
    "of",
    "library",
    "quiet",
    "天气",
    "杭州",
    "读书",
    "会议",
    "tool",
    "42",
)


def words(characters: int, dice: random.Random) -> str:
    """Return a text of about `characters` characters; no two texts are the same."""
    made: list[str] = []
    length = 0
    while length < characters:
        word = dice.choice(WORDS)
        made.append(word if dice.random() > 0.08 else word + ".")
        length += len(word) + 1
    return " ".join(made)[:characters]


def service(folder: Path, embedding: str) -> CognitiveService:
    settings = parse_settings(
        {
            "cognitive": {"data_dir": str(folder), "timezone": "Asia/Shanghai"},
            "models": {"embedding": {"provider": embedding}},
        },
        environ={},
        base=folder,
    )
    return CognitiveService.open(settings, worker=False)


async def nothing(
    name: str,
    arguments: object,
    result: object,
    *,
    scope: Scope | None = None,
    session_id: str = "",
) -> None:
    """Do nothing: the floor, the cost of every awaited call."""


async def foreground(memory: CognitiveService, calls: int, result: Any, label: str) -> None:
    """Time calls while the queue is full. Every 50 calls the event loop may run, as it may in an
    agent.
    """
    assert memory.observation is not None
    capacity = memory.settings.cognitive.observation.queue_max
    for n in range(capacity):
        await memory.on_tool_executed("search", {"n": n}, result, scope=SCOPE)
    observed: list[float] = []
    empty: list[float] = []
    for n in range(calls):
        for function, times in ((memory.on_tool_executed, observed), (nothing, empty))[
            :: 1 if n % 2 else -1
        ]:
            arguments = {"query": "weather in Hangzhou", "n": n}
            began = time.perf_counter()
            await function("search", arguments, result, scope=SCOPE)
            times.append(time.perf_counter() - began)
        if n % 50 == 0:
            await asyncio.sleep(0)
    dropped = memory.observation.statistics.dropped
    for name, times in ((label, observed), ("empty function", empty)):
        figures = "  ".join(
            f"p{int(p * 1000) / 10:g} {percentile(times, p) * 1e6:9.2f}"
            for p in (0.5, 0.95, 0.99, 0.999)
        )
        print(f"{name:<26} n={len(times)}  {figures}  max {max(times) * 1e6:10.1f} µs")
    print(f"{'':<26} dropped so far {dropped}, queue of {capacity} full all the while")
    await memory.observation.settled(600)


async def indexed(memory: CognitiveService, count: int) -> None:
    assert memory.observation is not None
    dice = random.Random(7)
    for label, characters in (("messages of 60 characters", 60), ("tool results of 2 KB", 2_000)):
        texts = [words(characters, dice) for _ in range(count)]
        before = memory.observation.statistics.stored
        began = time.perf_counter()
        for n, text in enumerate(texts):
            if characters < 100:
                memory.feed_message("user", f"{n} {text}", scope=SCOPE, name="Ann")
            else:
                await memory.on_tool_executed("search", {"n": n}, text, scope=SCOPE)
            if n % 500 == 499:
                await memory.observation.settled(600)
        await memory.observation.settled(600)
        seconds = time.perf_counter() - began
        stored = memory.observation.statistics.stored - before
        print(
            f"{label:<26} {count / seconds:8.0f} a second stored ({stored} chunks in {seconds:.2f} s)"
        )


async def flat(memory: CognitiveService, many: int) -> None:
    """Print the resident memory while tools with large results are observed much faster than the
    results can be stored.
    """
    assert memory.observation is not None
    result = words(100_000, random.Random(3)) * 10
    print(f"{many} observations of {len(result) / 1e6:.0f} MB each, a new string every time:")
    for n in range(many):
        await memory.on_tool_executed(
            "read", {"n": n}, {"page": n, "text": f"{n} {result}"}, scope=SCOPE
        )
        if n % 200 == 0:
            await asyncio.sleep(0.001)
        if n % (many // 5) == 0:
            print(
                f"  {n:>7}  resident {resident_megabytes():7.1f} MB, stored {memory.observation.statistics.stored}"
            )
    await memory.observation.settled(600)
    gc.collect()
    print(f"  {many:>7}  resident {resident_megabytes():7.1f} MB after all was stored")
    print(f"  {memory.observation.statistics.as_dict()}")


def resident_megabytes() -> float:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
            1e6 if sys.platform == "darwin" else 1e3
        )


async def main_async(options: argparse.Namespace, folder: Path) -> None:
    print(machine_line("langgraph-historian"), f"; embedding {options.embedding}")
    async with service(folder / "a", options.embedding) as memory:
        await foreground(
            memory, options.calls, words(2_000, random.Random(1)), "on_tool_executed, 2 KB"
        )
        await foreground(
            memory,
            options.calls,
            words(1_000, random.Random(1)) * 10_000,
            "on_tool_executed, 10 MB",
        )
        large = {"pages": [{"n": n, "text": words(100, random.Random(n))} for n in range(20)]}
        await foreground(memory, options.calls, large, "on_tool_executed, 2 KB dict")
    async with service(folder / "b", options.embedding) as memory:
        await indexed(memory, options.index)
    async with service(folder / "c", "none") as memory:
        await flat(memory, options.many)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--index", type=int, default=1_000)
    parser.add_argument("--many", type=int, default=100_000)
    parser.add_argument("--embedding", default="none")
    parser.add_argument(
        "--folder",
        type=Path,
        help="on the disk to be measured (default: the system's temporary folder)",
    )
    options = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        asyncio.run(main_async(options, Path(temporary)))


if __name__ == "__main__":
    main()
