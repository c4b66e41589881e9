"""`HistorianStore` beside LangGraph's own `AsyncSqliteStore`: put, get and search over many items.

    python -m benchmarks.langgraph_store [--items 10000] [--dimension 384] [--directory DIR]

Values are sentences of made-up words, half Chinese and half English; vectors are random, and making them costs nothing in
either. Items lie in a hundred namespaces; a search is in one of them, or in all. LangGraph's store searches by vectors where
SQLite can load extensions, else it lists the newest items whatever the query is; Historian's searches by words and vectors.
`AsyncSqliteStore` commits without waiting for the disk, `HistorianStore` waits.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from historian import HistorianStore
from historian.schema.settings_source import parse_settings
from langchain_core.embeddings import Embeddings
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.sqlite.aio import AsyncSqliteStore

from benchmarks.machine import machine_line, row
from benchmarks.stores import Texts

NAMESPACES = 100
CALLS = 100


class RandomVectors(Embeddings):
    """A vector a text, random and always the same."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension

    def embed_query(self, text: str) -> list[float]:
        random = np.random.default_rng(list(text.encode()[:64]))
        values: list[float] = random.normal(size=self._dimension).tolist()
        return values

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


def namespace(number: int) -> tuple[str, ...]:
    return ("users", f"u{number % NAMESPACES}")


async def measured(calls: Sequence[Callable[[], Awaitable[Any]]]) -> list[float]:
    taken = []
    for call in calls:
        start = time.perf_counter()
        await call()
        taken.append(time.perf_counter() - start)
    return taken


async def measure(name: str, store: BaseStore, sentences: Sequence[str]) -> None:
    start = time.perf_counter()
    for first in range(0, len(sentences), 500):
        batch = [
            PutOp(namespace(n), f"k{n}", {"text": text, "n": n}) for n, text in enumerate(sentences[first : first + 500], first)
        ]
        await store.abatch(batch)
    print(f"{name}: {len(sentences)} items in batches of 500 in {time.perf_counter() - start:.1f} s")
    chosen = np.random.default_rng(7).integers(0, len(sentences), CALLS).tolist()
    rounds: dict[str, list[Callable[[], Awaitable[Any]]]] = {
        "put": [lambda n=n: store.aput(namespace(n), f"k{n}", {"text": sentences[-n], "n": n}) for n in chosen],
        "get": [lambda n=n: store.aget(namespace(n), f"k{n}") for n in chosen],
        "search in a namespace": [lambda n=n: store.asearch(namespace(n), query=sentences[n][:40]) for n in chosen],
        "search in all": [lambda n=n: store.asearch(("users",), query=sentences[n][:40]) for n in chosen],
        "filter in all": [lambda n=n: store.asearch(("users",), filter={"n": n}) for n in chosen],
        "delete": [lambda n=n: store.adelete(namespace(n), f"k{n}") for n in chosen],
    }
    for label, calls in rounds.items():
        print("  " + row(label, await measured(calls)))


def loads_extensions() -> bool:
    return hasattr(sqlite3.Connection, "enable_load_extension")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--directory", type=Path)
    options = parser.parse_args()
    print(machine_line("langgraph-checkpoint-sqlite"), f"SQLite {sqlite3.sqlite_version}")
    texts = Texts(np.random.default_rng(1))
    sentences = [texts.sentence(10, 25) for _ in range(options.items)]
    index: Any = {"dims": options.dimension, "embed": RandomVectors(options.dimension), "fields": ["text"]}
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        peer_index = index if loads_extensions() else None
        async with AsyncSqliteStore.from_conn_string(f"{directory}/peer.sqlite", index=peer_index) as peer:
            await peer.setup()
            await measure(f"AsyncSqliteStore ({'vectors' if peer_index else 'no search'})", peer, sentences)
        settings = parse_settings({"cognitive": {"data_dir": directory}}, environ={}, base=Path(directory))
        async with HistorianStore(settings, index=index) as store:
            await measure("HistorianStore (words and vectors)", store, sentences)
        settings = parse_settings(
            {"cognitive": {"data_dir": f"{directory}/words"}, "models": {"embedding": {"provider": "none"}}},
            environ={},
            base=Path(directory),
        )
        async with HistorianStore(settings) as store:
            await measure("HistorianStore (words)", store, sentences)


if __name__ == "__main__":
    asyncio.run(main())
