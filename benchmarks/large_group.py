"""What one group of 100,000 messages costs: time to read it into memory, warm searches, memory, disk.

    python -m benchmarks.large_group [--messages 100000] [--queries 300] [--directory DIR] [--clustered]

The messages have 6 to 40 words in two languages, come from 30 senders over one year, and have
random unit vectors of 384 dimensions (`--clustered`: in 200 clusters). The embedder of the
questions is made up too and takes no time. Memory is that of the process (resident and, in
brackets, its anonymous part, Linux), minus that of a service that has answered in a group of 60
messages. Times are in milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import hashlib
import multiprocessing
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import numpy as np
from historian.models.given import GivenModels
from historian.schema.event import MESSAGE, Event
from historian.schema.protocols import Matrix
from historian.schema.scope import Scope
from historian.schema.settings import Settings
from historian.service.cognitive import CognitiveService
from historian.service.components import open_parts
from langchain_core.embeddings import Embeddings

from .concurrent_recalls import lateness
from .machine import machine_line, percentile, row
from .stores import Texts

DIMENSION, SENDERS, CLUSTERS, A_BATCH = 384, 30, 200, 500
YEAR = 365 * 86_400.0
FIRST_TIME = 1_730_000_000.0
GROUP, SMALL = "123456789", "987654321"
A_SMALL_GROUP = 60
"""The number of messages of another group. They are the newest: only that group is read when the
service starts."""


class MadeUpEmbeddings(Embeddings):
    """A unit vector for each text; the same text always gets the same vector."""

    model = "made-up"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
        return unit(np.random.default_rng(seed).normal(size=(1, DIMENSION)))[0].tolist()


def unit(rows: np.ndarray) -> Matrix:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def settings_for(folder: Path) -> Settings:
    return Settings.model_validate(
        {"cognitive": {"data_dir": str(folder), "timezone": "Asia/Shanghai"}}
    )


def messages(count: int) -> Iterator[Event]:
    """Yield messages in the order of time, in bursts with silences between them. The messages of
    the small group come last.
    """
    random = np.random.default_rng(7)
    texts = Texts(random)
    count += A_SMALL_GROUP
    steps = np.where(random.random(count) < 0.05, 40.0, 1.0) * random.exponential(size=count)
    times = FIRST_TIME + np.cumsum(steps) * (YEAR / steps.sum())
    for n, at in enumerate(times.tolist()):
        sender = int(random.integers(SENDERS))
        name = f"message-{hashlib.sha256(str(n).encode()).hexdigest()[:32]}"
        yield Event(
            event_id=f"{name}:0",
            job_id=name,
            kind=MESSAGE,
            text=texts.sentence(6, 40),
            user_id=f"10000{sender:04}",
            group_id=GROUP if n < count - A_SMALL_GROUP else SMALL,
            request_type="group",
            timestamp=at,
            timestamp_local=time.strftime("%Y-%m-%dT%H:%M:%S+08:00", time.gmtime(at + 8 * 3600)),
            timezone="Asia/Shanghai",
            user_name=f"Name{sender}",
            is_absolute=False,
            rewritten_by="none",
            source=MESSAGE,
            said_by=f"10000{sender:04}",
            bot_name="Clio",
            group_name="Made-up group",
            role="user",
            message_id=str(2_000_000_000 + n),
        )


def fill(folder: Path, count: int, clustered: bool) -> None:
    models = GivenModels(None, MadeUpEmbeddings(), None)
    parts = open_parts(settings_for(folder), clock=time.time, models=models)
    assert parts.embedder is not None
    parts.events.set_fingerprint(parts.embedder.model, DIMENSION)
    random = np.random.default_rng(11)
    centres = unit(random.normal(size=(CLUSTERS, DIMENSION)))
    started = time.perf_counter()
    batch: list[Event] = []

    def file() -> None:
        vectors = random.normal(size=(len(batch), DIMENSION))
        if clustered:
            vectors = 2 * centres[random.integers(CLUSTERS, size=len(batch))] + unit(vectors)
        ids = parts.events.file_messages([[event] for event in batch])
        parts.events.set_vectors(ids, list(unit(vectors)))
        batch.clear()

    for event in messages(count):
        batch.append(event)
        if len(batch) == A_BATCH:
            file()
    if batch:
        file()
    while parts.events.tidy():
        pass
    parts.events.database.truncate_log()
    asyncio.run(parts.aclose())
    print(f"{count} messages filed in {time.perf_counter() - started:.0f} s")
    size = sum(path.stat().st_size for path in folder.rglob("index.sqlite*"))
    print(f"index.sqlite {size / 2**20:.0f} MiB, {size / count:.0f} bytes a message", flush=True)


def resident() -> tuple[float, float]:
    """Return the resident memory of this process in MiB, and its anonymous part (no pages of files)."""
    status = Path("/proc/self/status").read_text()
    all_of_it, anonymous = (
        int(status.partition(f"{name}:")[2].split()[0]) / 1024 for name in ("VmRSS", "RssAnon")
    )
    return all_of_it, anonymous


def beyond(before: tuple[float, float]) -> str:
    gc.collect()
    now = resident()
    return f"{now[0] - before[0]:.0f} MiB ({now[1] - before[1]:.0f})"


class Watch:
    """Records the highest resident memory; it is sampled every 20 ms."""

    def __enter__(self) -> Watch:
        self.peak, self._over = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.02):
            self.peak = max(self.peak, resident()[0])


async def timed(label: str, call: Callable[[str], Awaitable[object]], questions: list[str]) -> None:
    passed: list[float] = []
    busy: list[float] = []
    for question in questions:
        started, worked = time.perf_counter(), time.process_time()
        assert await call(question)
        passed.append(time.perf_counter() - started)
        busy.append(time.process_time() - worked)
    worked_for = " ".join(f"{percentile(busy, at) * 1000:.1f}" for at in (0.5, 0.99))
    print(f"{row(label, passed)}   processor {worked_for}", flush=True)


async def measured(folder: Path, queries: int) -> None:
    texts = Texts(np.random.default_rng(7))
    questions = [texts.sentence(4, 14) for _ in range(2 * queries)]
    group, embeddings = Scope.group(GROUP, "100000003"), MadeUpEmbeddings()
    async with CognitiveService.open(
        settings_for(folder), worker=False, embeddings=embeddings
    ) as memory:
        await memory.ready(60)
        for question in questions[:20]:
            await memory.search_events(question, Scope.group(SMALL, "100000003"))
            await memory.build_context(question, Scope.group(SMALL, "100000003"))
        gc.collect()
        before = resident()
        print(
            f"a service that has answered in a small group: {before[0]:.0f} MiB ({before[1]:.0f})"
        )

        async with lateness() as late:
            with Watch() as watch:
                started = time.perf_counter()
                first = await memory.build_context(questions[0], group)
                took = time.perf_counter() - started
                levels = Counter((await memory.stats())["recall"]["levels"])
                print(
                    f"first recall: {1000 * took:.0f} ms, {len(first)} characters, levels {dict(levels)}"
                )
                opened = memory.lifecycle.opened
                assert opened is not None
                tables, meanwhile, empty = opened.recall.events.tables, list[float](), 0
                while tables.held(group.key) is None:
                    asked = time.perf_counter()
                    empty += not await memory.build_context(
                        f"{questions[1]} {len(meanwhile)}", group
                    )
                    meanwhile.append(time.perf_counter() - asked)
                    await asyncio.sleep(0.1)
                filled = time.perf_counter() - started
        levels = Counter((await memory.stats())["recall"]["levels"])
        print(f"read into memory in {filled:.1f} s; levels meanwhile {dict(levels)}")
        if meanwhile:
            print(f"{row('recalls meanwhile', meanwhile)}   empty {empty}")
        at = [1000 * percentile(late, share) for share in (0.5, 0.99, 1.0)]
        print(
            f"event loop late meanwhile: p50 {at[0]:.1f}, p99 {at[1]:.1f}, max {at[2]:.1f} ms;"
            f" highest memory {watch.peak - before[0]:.0f} MiB"
        )
        print(
            f"memory of the group: {beyond(before)}; by its own account {tables.nbytes / 2**20:.0f} MiB"
        )

        def search(question: str) -> Awaitable[object]:
            return memory.search_events(question, group)

        def context(question: str) -> Awaitable[object]:
            return memory.build_context(question, group)

        await timed("search_events, first ten", search, questions[:10])
        await timed("search_events, warm", search, questions[10:queries])
        await timed("build_context, warm", context, questions[queries:])
        print(f"levels {dict((await memory.stats())['recall']['levels'])}")
        print(f"memory after that: {beyond(before)}", flush=True)


def measure(folder: Path, queries: int) -> None:
    asyncio.run(measured(folder, queries))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--directory", type=Path, help="kept, and used as it is if it is there")
    parser.add_argument("--clustered", action="store_true")
    options = parser.parse_args(arguments)
    print(machine_line("numpy"))
    with tempfile.TemporaryDirectory() as name:
        folder = options.directory or Path(name)
        # Each runs in a separate process, so that memory used by filing is not counted.
        processes = multiprocessing.get_context("spawn")
        for target, given in (
            (fill, (folder, options.messages, options.clustered)),
            (measure, (folder, options.queries)),
        ):
            if target is fill and (folder / "index.sqlite").exists():
                continue
            process = processes.Process(target=target, args=given)
            process.start()
            process.join()
            if process.exitcode:
                sys.exit(process.exitcode)


if __name__ == "__main__":
    main(sys.argv[1:])
