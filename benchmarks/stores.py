"""How long the stores take: filing, keyword search in scope, reading a scope's vectors.

    python -m benchmarks.stores [--events 100000] [--scopes 200] [--dimension 384] [--directory DIR]

Texts consist of words distributed by a power law, half of them Chinese and half English; vectors
are random. The floor for the reads is the product of the scope's vectors with a query, measured in
the same run. Times are in milliseconds.
"""

from __future__ import annotations

import argparse
import platform
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from historian.schema.event import Event, EventFilter
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.sqlite.index_schema import open_index


class Texts:
    """Sentences of made-up words; the k-th most frequent word is 1/k as frequent as the first."""

    def __init__(self, random: np.random.Generator, words: int = 8000) -> None:
        self._random = random
        common = 1 / np.arange(1, 2501) ** 0.9
        characters = np.array([chr(0x4E00 + i) for i in range(2500)])
        syllables = np.array([c + v for c in "bdfgklmnprstv" for v in "aeiou"])
        self._chinese = [
            "".join(random.choice(characters, 2, p=common / common.sum())) for _ in range(words)
        ]
        self._english = [
            "".join(random.choice(syllables, random.integers(1, 4))) for _ in range(words)
        ]
        frequency = 1 / np.arange(1, words + 1)
        self._frequency = np.cumsum(frequency / frequency.sum())

    def sentence(self, least: int, most: int) -> str:
        ranks = np.searchsorted(
            self._frequency, self._random.random(int(self._random.integers(least, most)))
        ).tolist()
        if self._random.random() < 0.5:
            return "".join(self._chinese[rank] for rank in ranks)
        return " ".join(self._english[rank] for rank in ranks)


def make_job(texts: Texts, number: int, scope: int, events: int) -> tuple[str, list[Event]]:
    job_id = f"r{number}-0"
    return job_id, [
        Event(
            event_id=f"{job_id}:{n}",
            job_id=job_id,
            kind="fact" if n else "action",
            text=texts.sentence(10, 25),
            user_id=f"u{(scope * 7 + number) % 1000}",
            group_id=f"g{scope}",
            request_type="group",
            timestamp=1_700_000_000.0 + number,
            timestamp_local="2023-11-14T22:13:20+00:00",
            timezone="UTC",
        )
        for n in range(events)
    ]


def report(name: str, times: Sequence[tuple[float, float]]) -> None:
    columns = [np.percentile(column, [50, 95, 99]) for column in zip(*times, strict=True)]
    wall, busy = (" ".join(f"{value:8.3f}" for value in column) for column in columns)
    print(f"{name:<50} n={len(times):<5} wall p50 p95 p99 {wall}   processor {busy}", flush=True)


def clock(calls: Sequence[Callable[[], object]]) -> list[tuple[float, float]]:
    """Measure the elapsed time of each call and the processor time of this thread; they differ on a
    busy machine.
    """
    taken = []
    for call in calls:
        start, busy = time.perf_counter(), time.thread_time()
        call()
        taken.append(((time.perf_counter() - start) * 1000, (time.thread_time() - busy) * 1000))
    return taken


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--scopes", type=int, default=200)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--directory", type=Path, default=None)
    options = parser.parse_args(arguments)

    print(
        f"{platform.platform()}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, numpy {np.__version__}"
    )
    print(f"{options.events} events, {options.scopes} scopes, {options.dimension} dimensions")
    random = np.random.default_rng(7)
    texts = Texts(random)
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        path = Path(directory) / "index.sqlite"
        store = SqliteEventStore(open_index(path))

        def vectors(n: int) -> list[np.ndarray[tuple[int], np.dtype[np.float32]]]:
            made = random.normal(size=(n, options.dimension)).astype(np.float32)
            return list(made / np.linalg.norm(made, axis=1, keepdims=True))

        jobs = [
            (make_job(texts, i, i % options.scopes, 50), vectors(50))
            for i in range(options.events // 50)
        ]
        start = time.perf_counter()
        for (job_id, events), embedded in jobs:
            store.file_job(job_id, events, embedded)
        seconds = time.perf_counter() - start
        size = path.stat().st_size / 1e6
        print(f"loaded in {seconds:.1f} s ({options.events / seconds:.0f} events/s), {size:.0f} MB")

        small = [
            (make_job(texts, 10**7 + i, int(random.integers(options.scopes)), 3), vectors(3))
            for i in range(300)
        ]
        report(
            "file_job, 3 events", clock([lambda j=j: store.file_job(*j[0], j[1]) for j in small])
        )  # type: ignore[misc]

        scopes = [EventFilter(f"g:g{n}") for n in random.integers(0, options.scopes, 1000)]
        queries = [texts.sentence(4, 14) for _ in scopes]
        pairs = list(zip(queries, scopes, strict=True))
        report(
            "search_keywords in scope, 4 to 13 words",
            clock([lambda p=p: store.search_keywords(p[0], p[1], 36) for p in pairs]),  # type: ignore[misc]
        )
        start, rounds = time.perf_counter(), 0
        while store.tidy():
            rounds += 1
        print(f"tidied in {rounds} rounds, {(time.perf_counter() - start) * 1000:.0f} ms")
        report(
            "the same, tidied",
            clock([lambda p=p: store.search_keywords(p[0], p[1], 36) for p in pairs]),  # type: ignore[misc]
        )
        facts = [(query, EventFilter(where.scope_key, kinds=("fact",))) for query, where in pairs]
        report(
            "facts only",
            clock([lambda p=p: store.search_keywords(p[0], p[1], 36) for p in facts]),  # type: ignore[misc]
        )
        report(
            "search_keywords without scope",
            clock(
                [lambda q=q: store.search_keywords(q, EventFilter(None), 36) for q in queries[:50]]
            ),  # type: ignore[misc]
        )
        report("vectors of a scope", clock([lambda w=w: store.vectors(w) for w in scopes]))  # type: ignore[misc]
        report(
            "change_number",
            clock([lambda w=w: store.change_number(str(w.scope_key)) for w in scopes]),  # type: ignore[misc]
        )
        _, matrix = store.vectors(scopes[0])
        one = vectors(1)[0]
        report(
            f"floor: product with {len(matrix)} vectors in memory",
            clock([lambda: matrix @ one] * 1000),
        )
        store.close()
        start = time.perf_counter()
        store = SqliteEventStore(open_index(path))
        report(
            "reopened: first search and vectors of 100 scopes",
            clock(
                [
                    lambda p=p: (store.search_keywords(*p, 36), store.vectors(p[1]))
                    for p in pairs[:100]
                ]
            ),
        )  # type: ignore[misc]
        store.close()
    print(
        f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB (the jobs included)"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
