#!/usr/bin/env python3
"""Jobs per second of the whole write path with a model and an embedder that take no time, and where the time goes.

    python benchmarks/pipeline.py [--jobs 200]

Each job has one new fact, so that it takes the rewrite, the gate, the filing, the merge and the profile; users and groups are
all different, so that nothing waits in line. Checkpoints are on, as always. The floor in the same run is what a job
cannot do without: three synced file writes (the job, its events, its profile).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
from historian.schema.job import Job
from historian.schema.protocols import Answer, Matrix, Usage, Vector
from historian.schema.settings import Settings
from historian.schema.settings.source import parse_settings
from historian.service.components import Parts, open_parts
from historian.service.intake import make_job
from historian.service.running.ownership import owned_worker
from machine import machine_line

DIMENSION = 384


class InstantModel:
    """A `ChatModel` that answers at once: with the notes and the names inserted, or with the new
    fact as a line.
    """

    model = "instant"

    def __init__(self) -> None:
        self.calls = 0

    async def structured(
        self, answer: type[Answer], *, purpose: str, system: str, user: str
    ) -> Answer:
        self.calls += 1
        facts = re.findall(r"^(N\d+) \[(\w+)[^\]\n]*\] \([^)\n]*\): (.+)$", user, re.MULTILINE)
        data: dict[str, object] = {
            "add": [{"about": about, "text": text, "facts": [name]} for name, about, text in facts]
        }
        if "texts" in answer.model_fields:
            notes = re.findall(r"^\d+ (?:做了|得知)：(.*)$", user, re.MULTILINE)
            dated = [re.sub(r"\w{2} \((\d{4}-\d\d-\d\d)[^)]*\)", r"\1", note) for note in notes]
            data = {"texts": [note.replace("我", "小史").replace("他", "阿明") for note in dated]}
        return answer.model_validate(data)

    async def probe(self) -> None:
        return None

    def judged(self, purpose: str, *, taken: int, refused: int) -> None:
        return None

    def resting(self) -> Mapping[str, float]:
        return {}

    def usage(self) -> Mapping[str, Usage]:
        return {}

    async def aclose(self) -> None:
        return None


class InstantEmbedder:
    """An `Embedder` that answers at once with random unit vectors."""

    model = "instant"
    dimension = DIMENSION
    is_remote = False

    def __init__(self) -> None:
        self._random = np.random.default_rng(1)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        matrix = self._random.standard_normal((len(texts), DIMENSION)).astype(np.float32)
        return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)

    async def embed_query(self, text: str) -> Vector:
        return np.asarray((await self.embed_documents([text]))[0])

    async def aclose(self) -> None:
        return None


def floor_per_second(directory: Path, count: int) -> float:
    """Return how many times per second three files of 2 KB can be written, synced and renamed, with
    their folder synced.
    """
    payload = os.urandom(2048)
    started = time.perf_counter()
    folder = os.open(directory, os.O_RDONLY)
    for n in range(count):
        for part in range(3):
            name = directory / f"{n}-{part}"
            handle = os.open(f"{name}.tmp", os.O_WRONLY | os.O_CREAT)
            os.write(handle, payload)
            os.fsync(handle)
            os.close(handle)
            Path(f"{name}.tmp").replace(name)
            os.fsync(folder)
    os.close(folder)
    return count / (time.perf_counter() - started)


def settings_of(directory: Path, concurrency: int, **stores: object) -> Settings:
    return parse_settings(
        {
            "cognitive": {
                "data_dir": str(directory),
                "timezone": "UTC",
                "historian": {"concurrency": concurrency, "rewrite_mode": "always"},
            },
            "models": {"embedding": {"provider": "none"}},
            "stores": stores,
        },
        environ={},
        base=directory,
    )


def instant_parts(settings: Settings) -> Parts:
    """Open the stores of the settings, with models that take no time."""
    opened = open_parts(settings, clock=time.time)
    return replace(opened, chat=InstantModel(), embedder=InstantEmbedder())


def job_of(number: int, settings: Settings) -> Job:
    fields = {
        "user_id": f"u{number}",
        "group_id": f"g{number}",
        "user_name": "阿明",
        "bot_name": "小史",
    }
    return make_job(
        {"request_id": f"r{number}", **fields, "new_info": ["他昨天说喜欢吉他"]},
        settings,
        time.time,
    )


async def run(
    directory: Path, jobs: int, concurrency: int
) -> tuple[float, dict[str, float], float]:
    """Return (jobs per second, median seconds by node, processor seconds per job)."""
    settings = settings_of(directory, concurrency)
    parts = instant_parts(settings)
    for n in range(jobs):
        parts.queue.put(job_of(n, settings))
    stack = ExitStack()
    worker = stack.enter_context(owned_worker(parts))
    started, used = time.perf_counter(), time.process_time()
    if not await worker.run(drain=True):
        raise SystemExit("draining was given up")
    seconds, processor = time.perf_counter() - started, time.process_time() - used
    if worker.statistics.outcomes["filed"] != jobs:
        raise SystemExit(f"not every job was filed: {worker.statistics.outcomes}")
    latencies = {
        node: statistics.median(values) for node, values in worker.statistics.latencies.items()
    }
    stack.close()
    await parts.aclose()
    return jobs / seconds, latencies, processor / jobs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(machine_line("langgraph-checkpoint-sqlite"))
    rates: dict[int, list[float]] = {1: [], 8: []}
    floors: list[float] = []
    for number in range(arguments.rounds + 1):
        for concurrency in (1, 8):
            with tempfile.TemporaryDirectory() as directory:
                rate, nodes, processor = asyncio.run(
                    run(Path(directory), arguments.jobs, concurrency)
                )
            if number == 0:
                continue  # the first round includes the time of the imports
            rates[concurrency].append(rate)
            shown = "  ".join(f"{node} {seconds * 1000:.1f}" for node, seconds in nodes.items())
            print(
                f"concurrency {concurrency}: {rate:6.1f} jobs/s, {processor * 1000:.1f} ms of CPU a job; ms by node: {shown}"
            )
        with tempfile.TemporaryDirectory() as directory:
            floors.append(floor_per_second(Path(directory), arguments.jobs))
    for concurrency, series in rates.items():
        share = statistics.median(series) / statistics.median(floors)
        print(
            f"median at concurrency {concurrency}: {statistics.median(series):.1f} jobs/s "
            f"({share:.2f} of the floor of three synced files, {statistics.median(floors):.0f}/s)"
        )


if __name__ == "__main__":
    sys.exit(main())
